"""Whose turn it is, games that a person has hidden from their list, and the names in results.

In games continued from a moment of another game, bots had the names of the people whose seats they took.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"

_BOTS = ("Pericles", "Zenobia", "Ashoka", "Livia")
_PEOPLE = ("Solon", "Hypatia", "Aspasia", "Cyrus")

_games = sa.table("games", sa.column("id"), sa.column("record"), sa.column("options"))
_seats = sa.table("seats", sa.column("game"), sa.column("seat"), sa.column("name"), sa.column("bot"))
_results = sa.table("results", sa.column("game"), sa.column("seat"), sa.column("name"))


def upgrade() -> None:
    op.create_table(
        "turns",
        sa.Column("game", sa.String(22), sa.ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("deadline", sa.DateTime(timezone=True), nullable=True),
    )
    op.add_column("results", sa.Column("name", sa.String(24), nullable=False, server_default=""))
    op.add_column("seats", sa.Column("hidden", sa.Boolean, nullable=False, server_default=sa.false()))
    _name_results()
    _rename_players_of_games_played_on()


def downgrade() -> None:
    op.drop_column("seats", "hidden")
    op.drop_column("results", "name")
    op.drop_table("turns")


def _name_results() -> None:
    """Give results the names at the table, or those in the record, if the game still exists."""
    for game, record, seats in _tables(_games.c.id.in_(sa.select(_results.c.game))):
        for seat, name in zip(seats, _names_in(record), strict=False):
            own = _results.c.game == game, _results.c.seat == seat.seat
            named = _results.update().values(name=(seat.name or name)[:24])
            op.get_bind().execute(named.where(*own))


def _rename_players_of_games_played_on() -> None:
    """Replace the names in the records of such games by those at the table, or by those of bots and of people."""
    for game, record, seats in _tables(_games.c.options.contains('"origin":')):
        names = [seat.name or (_BOTS if seat.bot else _PEOPLE)[seat.seat] for seat in seats]
        renamed = _games.update().values(record=_with_names(record, names))
        op.get_bind().execute(renamed.where(_games.c.id == game))


def _tables(condition: "sa.ColumnElement[bool]") -> "Iterator[tuple[str, str, Sequence[sa.Row[Any]]]]":
    """The games that meet a condition, each with its record and its seats."""
    connection = op.get_bind()
    for game in connection.scalars(sa.select(_games.c.id).where(condition)).all():
        record = connection.scalar(sa.select(_games.c.record).where(_games.c.id == game))
        seats = sa.select(_seats).where(_seats.c.game == game).order_by(_seats.c.seat)
        yield game, record or "", connection.execute(seats).all()


def _with_names(record: str, names: Sequence[str]) -> str:
    line = f"players = {json.dumps(names, ensure_ascii=False)}"
    return re.sub(r"^players = .*$", lambda _: line, record, count=1, flags=re.MULTILINE)


def _names_in(record: str) -> Sequence[str]:
    """The names in a record; none if it is damaged."""
    try:
        return [str(name) for name in tomllib.loads(record)["players"]]
    except (KeyError, TypeError, ValueError):
        return ()
