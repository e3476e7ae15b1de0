"""Smaller games: indexes without nulls, short numbers in PostgreSQL, and archives of format 2.

A server writes archives of format 2 from now on; those of format 1 stay as they are. SQLite stores a number in as many
bytes as it needs.
"""

import zlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import sqlalchemy as sa
from alembic import op

from hegemon.server.db.archives import ArchiveError, unpack
from hegemon.server.db.rows import MoveRow

revision = "0028"
down_revision = "0027"

_SMALL = {
    "seats": ("seat", "color"),
    "results": ("seat", "players", "domain", "opening", "score", "turns"),
}

_INDEXES = {"ix_games_previous_game": ("games", "previous_game"), "ix_seats_invite": ("seats", "invite")}

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_archives = sa.table("archives", sa.column("game"), sa.column("moves", sa.LargeBinary))


def upgrade() -> None:
    _alter("smallint")
    for index, (table, column) in _INDEXES.items():
        given = sa.column(column).is_not(None)
        op.drop_index(index, table)
        op.create_index(index, table, [column], unique=True, sqlite_where=given, postgresql_where=given)


def downgrade() -> None:
    for index, (table, column) in _INDEXES.items():
        op.drop_index(index, table)
        op.create_index(index, table, [column], unique=True)
    _alter("integer")
    connection = op.get_bind()
    for game in connection.scalars(sa.select(_archives.c.game)).all():
        packed = connection.scalar(sa.select(_archives.c.moves).where(_archives.c.game == game)) or b""
        if packed.startswith(b"\x02"):
            try:
                older = _pack(unpack(packed))
            except ArchiveError as error:
                raise ArchiveError(f"The moves of game {game} cannot be read: {error}.") from error
            connection.execute(sa.update(_archives).where(_archives.c.game == game).values(moves=older))


def _alter(kind: str) -> None:
    if op.get_bind().dialect.name == "postgresql":
        for table, columns in _SMALL.items():
            op.execute(f"ALTER TABLE {table} " + ", ".join(f"ALTER {name} TYPE {kind}" for name in columns))


def _pack(rows: Sequence[MoveRow]) -> bytes:
    """An archive of format 1."""
    ticks = [(row.created_at - _EPOCH) // timedelta(milliseconds=1) for row in rows if row.created_at]
    differences = [later - earlier for earlier, later in pairwise(ticks)]
    shift = -min(0, *differences, 0)
    times = [*ticks[:1], shift, *(difference + shift for difference in differences)] if ticks else []
    text = " ".join(row.choice for row in rows) + "\n" + "".join(str(row.seat) for row in rows) + "\n"
    compressor = zlib.compressobj(9)
    packed = b"\x01" + compressor.compress(text.encode()) + compressor.flush(zlib.Z_FULL_FLUSH)
    return packed + compressor.compress(bytes(_varints(times))) + compressor.flush()


def _varints(numbers: Sequence[int]) -> Iterator[int]:
    for number in numbers:
        while number > 0x7F:
            yield number & 0x7F | 0x80
            number >>= 7
        yield number
