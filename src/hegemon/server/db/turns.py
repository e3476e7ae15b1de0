"""Whose turn it is, for lists of games: derived from the games, which need not be loaded for a list."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from sqlalchemy import Column, Integer, Table, bindparam, delete, exists, insert, select

from hegemon.server.db.database import Database
from hegemon.server.db.schema import game_key, games, metadata, time_column

turns: Final = Table(
    "turns",
    metadata,
    game_key(),
    Column("seat", Integer, primary_key=True),
    time_column("deadline", nullable=True),
)

#: The seats that are to move, each with its deadline.
ToMove = Mapping[int, datetime | None]

_DELETE: Final = delete(turns).where(turns.c.game == bindparam("of"))

#: Inserts a turn unless its game was deleted.
_INSERT: Final = insert(turns).from_select(
    [turns.c.game, turns.c.seat, turns.c.deadline],
    select(
        *(
            bindparam(column.name, type_=column.type)
            for column in (games.c.id, turns.c.seat, turns.c.deadline)
        )
    ).where(exists().where(games.c.id == bindparam("id"))),
)


class Turns:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, changes: Mapping[str, ToMove]) -> None:
        """Replace the turns of some games, ignoring games that no longer exist."""
        if not self._database.is_shared:
            rows = [
                {"id": game_id, "seat": seat, "deadline": deadline}
                for game_id, to_move in changes.items()
                for seat, deadline in to_move.items()
            ]
            deleted = [{"of": game_id} for game_id in changes]
            await self._database.write((_DELETE, deleted), *([(_INSERT, rows)] if rows else []))
            return
        async with self._database.writing() as connection:
            # Locked, always in the same order: two workers may save the turns of the same games.
            found = select(games.c.id).where(games.c.id.in_(changes)).order_by(games.c.id)
            known = list(await connection.scalars(found.with_for_update(key_share=True)))
            await connection.execute(delete(turns).where(turns.c.game.in_(changes)))
            rows = [
                {"game": game_id, "seat": seat, "deadline": deadline}
                for game_id in known
                for seat, deadline in changes[game_id].items()
            ]
            if rows:
                await connection.execute(insert(turns), rows)
