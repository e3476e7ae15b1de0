"""Players with a rating."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hegemon.server.db.database import Database
from hegemon.server.db.schema import RatedPlayer, games, players


class Players:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, owners: Sequence[str]) -> dict[str, RatedPlayer]:
        """Those of the owners who have a rating."""
        async with self._database.reading() as connection:
            return await _players(connection, owners)

    async def save(self, player: RatedPlayer) -> None:
        """Add a player; one who has a rating already keeps it and takes the new name."""
        async with self._database.writing() as connection:
            known = await connection.execute(
                update(players).where(players.c.owner == player.owner).values(name=player.name)
            )
            if known.rowcount == 0:
                await connection.execute(insert(players).values(**dataclasses.asdict(player)))

    async def delete(self, owner: str) -> None:
        async with self._database.writing() as connection:
            await connection.execute(delete(players).where(players.c.owner == owner))

    async def rate_game(
        self,
        game_id: str,
        owners: Sequence[str],
        rate: Callable[[Mapping[str, RatedPlayer]], Sequence[RatedPlayer]],
    ) -> None:
        """Update the ratings by a game; of several calls for a game only the first has an effect."""
        async with self._database.writing() as connection:
            first = await connection.execute(
                update(games).where(games.c.id == game_id, ~games.c.rated).values(rated=True)
            )
            if first.rowcount == 0:
                return
            for player in rate(await _players(connection, owners)):
                await connection.execute(
                    update(players)
                    .where(players.c.owner == player.owner)
                    .values(mu=player.mu, sigma=player.sigma, games=player.games)
                )


async def _players(connection: AsyncConnection, owners: Sequence[str]) -> dict[str, RatedPlayer]:
    found = await connection.execute(select(players).where(players.c.owner.in_(owners)))
    return {row.owner: RatedPlayer(*row) for row in found}
