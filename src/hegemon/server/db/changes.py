"""Which games other workers have changed, according to PostgreSQL's own transaction ids.

Triggers note for every game the last transaction of each worker that changed it (migration 0023). A reader that asks
for everything since the oldest transaction that was still running at its last question misses nothing, whatever the
order in which transactions are committed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy import TextClause
from sqlalchemy.ext.asyncio import AsyncConnection

from hegemon.server.db.database import Database

#: The last transaction of each worker that has changed a game.
Revisions = Mapping[str, int]

_SINCE: Final = TextClause(
    """
    SELECT now.floor, changes.game, changes.writer, changes.revision,
           EXISTS (
               SELECT FROM games WHERE games.id = changes.game AND NOT games.finished
               AND (games.options LIKE '%"clock":%' OR EXISTS (
                   SELECT FROM seats WHERE seats.game = games.id
                   AND (seats.bot IS NOT NULL OR seats.substitute IS NOT NULL)
               ))
           ) AS is_driven
    FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS floor) AS now
    LEFT JOIN changes ON changes.revision >= :floor AND changes.writer <> :reader
    """
)

_OF_GAME: Final = TextClause("SELECT writer, revision FROM changes WHERE game = :game AND writer <> :reader")

#: Rows of earlier transactions, and those of another cluster from which the database was restored.
_PRUNE: Final = TextClause(
    "DELETE FROM changes WHERE revision < :floor "
    "OR revision >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint"
)


@dataclass(frozen=True)
class Change:
    game: str
    writer: str
    revision: int
    is_driven: bool
    """Whether the game goes on without requests: a clock runs, or a bot has a seat."""


class Changes:
    """What other workers have changed; always empty with SQLite, which has no other workers."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def since(self, floor: int) -> tuple[int, list[Change]]:
        """All changes since a transaction id, and the id to ask with next time."""
        async with self._database.reading() as connection:
            found = (
                await connection.execute(_SINCE, {"floor": floor, "reader": self._database.worker})
            ).all()
        changes = [
            Change(row.game, row.writer, row.revision, row.is_driven) for row in found if row.game is not None
        ]
        return found[0].floor, changes

    async def of_game(self, game_id: str) -> Revisions:
        async with self._database.reading() as connection:
            return await revisions_of(connection, self._database, game_id)

    async def prune(self, floor: int) -> None:
        """Delete the changes before a transaction id, which every worker has seen."""
        async with self._database.writing() as connection:
            await connection.execute(_PRUNE, {"floor": floor})


async def revisions_of(connection: AsyncConnection, database: Database, game_id: str) -> Revisions:
    """The changes of a game by other workers; to be read before the game itself, so that none is missed."""
    if not database.is_shared:
        return {}
    found = await connection.execute(_OF_GAME, {"game": game_id, "reader": database.worker})
    return {row.writer: row.revision for row in found}
