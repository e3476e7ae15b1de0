"""Whose turn it is, as shown in lists of games: a copy, for which the games are authoritative."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from sqlalchemy import Column, DateTime, ForeignKey, Integer, Table, delete, insert, select

from hegemon.server.db.database import Database
from hegemon.server.db.schema import games, metadata

turns: Final = Table(
    "turns",
    metadata,
    Column("game", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("deadline", DateTime(timezone=True), nullable=True),
)

#: The seats that are to move, each with its deadline.
ToMove = Mapping[int, datetime | None]


class Turns:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, changes: Mapping[str, ToMove]) -> None:
        """Replace the turns of some games, ignoring games that were deleted meanwhile."""
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
