"""Analyses of finished games, as JSON."""

from sqlalchemy import delete, exists, insert, literal, select

from hegemon.server.db.database import Database
from hegemon.server.db.schema import analyses, games


class Analyses:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, game_id: str) -> str | None:
        async with self._database.reading() as connection:
            found: str | None = await connection.scalar(
                select(analyses.c.analysis).where(analyses.c.game == game_id)
            )
            return found

    async def save(self, game_id: str, analysis: str) -> None:
        """Save an analysis, replacing any earlier one; does nothing if the game has been deleted."""
        row = select(literal(game_id), literal(analysis)).where(exists().where(games.c.id == game_id))
        async with self._database.writing() as connection:
            await connection.execute(delete(analyses).where(analyses.c.game == game_id))
            await connection.execute(insert(analyses).from_select(["game", "analysis"], row))
