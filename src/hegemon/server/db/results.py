"""The results of persons in finished games; they stay when a game expires."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from sqlalchemy import insert, select, update

from hegemon.server.db.database import Database
from hegemon.server.db.schema import ResultRow, games, results


class Results:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, game_id: str, rows: Sequence[ResultRow]) -> None:
        """Save the results of a game; of several calls for a game only the first has an effect."""
        async with self._database.writing() as connection:
            first = await connection.execute(
                update(games).where(games.c.id == game_id, ~games.c.counted).values(counted=True)
            )
            if first.rowcount and rows:
                await connection.execute(insert(results), [asdict(row) for row in rows])

    async def save_accuracy(self, game_id: str, accuracies: Mapping[int, float]) -> None:
        """Add what an analysis of the game has found, by seat."""
        async with self._database.writing() as connection:
            for seat, accuracy in accuracies.items():
                await connection.execute(
                    update(results)
                    .where(results.c.game == game_id, results.c.seat == seat)
                    .values(accuracy=accuracy)
                )

    async def uncounted(self, limit: int) -> list[str]:
        """Some finished games whose results have not been saved."""
        async with self._database.reading() as connection:
            found = select(games.c.id).where(games.c.finished, ~games.c.counted).limit(limit)
            return list(await connection.scalars(found))
