"""Players with a rating."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hegemon.server.db.database import Database
from hegemon.server.db.rating_changes import RatingChange, changes_of
from hegemon.server.db.rows import RatedPlayer
from hegemon.server.db.schema import games, players, results


class Players:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, owners: Sequence[str]) -> dict[str, RatedPlayer]:
        """The owners who have a rating."""
        async with self._database.reading() as connection:
            return await rated_players(connection, owners)

    async def save(self, player: RatedPlayer) -> None:
        """Add a player; one who already has a rating keeps it and takes the new name."""
        async with self._database.writing() as connection:
            known = await connection.execute(
                update(players).where(players.c.owner == player.owner).values(name=player.name)
            )
            if known.rowcount == 0:
                await connection.execute(insert(players).values(**dataclasses.asdict(player)))

    async def delete(self, owner: str) -> None:
        """Delete a rating with its history."""
        async with self._database.writing() as connection:
            await connection.execute(delete(players).where(players.c.owner == owner))
            await delete_rating_history(connection, owner)

    async def history(self, owner: str) -> list[RatingChange]:
        """How the rating of a player has changed, the earliest change first."""
        async with self._database.reading() as connection:
            return await changes_of(connection, owner)

    async def rate_game(
        self,
        game_id: str,
        owners: Sequence[str],
        rate: Callable[[Mapping[str, RatedPlayer]], Sequence[RatedPlayer]],
    ) -> None:
        """Update the ratings after a game whose results have been saved; only the first call for it has an effect."""
        async with self._database.writing() as connection:
            first = await connection.execute(
                update(games).where(games.c.id == game_id, ~games.c.rated).values(rated=True)
            )
            if first.rowcount == 0:
                return
            for player in rate(await rated_players(connection, owners)):
                await connection.execute(
                    update(players)
                    .where(players.c.owner == player.owner)
                    .values(mu=player.mu, sigma=player.sigma, games=player.games)
                )
                await connection.execute(
                    update(results)
                    .where(results.c.game == game_id, results.c.owner == player.owner)
                    .values(mu=player.mu, sigma=player.sigma)
                )


async def rated_players(connection: AsyncConnection, owners: Sequence[str]) -> dict[str, RatedPlayer]:
    found = await connection.execute(select(players).where(players.c.owner.in_(owners)))
    return {row.owner: RatedPlayer(*row) for row in found}


async def delete_rating_history(connection: AsyncConnection, owner: str) -> None:
    """Remove the ratings from the results of a player."""
    await connection.execute(update(results).where(results.c.owner == owner).values(mu=None, sigma=None))
