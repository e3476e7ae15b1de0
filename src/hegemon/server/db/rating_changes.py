"""The history of ratings: a player's rating after each rated game, which is part of the result."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import exists, select
from sqlalchemy.ext.asyncio import AsyncConnection

from hegemon.server.db.rows import in_utc
from hegemon.server.db.schema import players, results

#: The number of latest changes that are shown.
MAX_CHANGES: Final = 100


@dataclass(frozen=True)
class RatingChange:
    """The rating of a player after a game."""

    finished_at: datetime
    mu: float
    sigma: float


async def changes_of(connection: AsyncConnection, owner: str) -> list[RatingChange]:
    """The last changes of a player's rating, the earliest first."""
    at, mu, sigma = results.c.finished_at, results.c.mu, results.c.sigma
    is_rated = exists().where(players.c.owner == owner)  # saves reading the results of other people
    query = select(at, mu, sigma).where(is_rated, results.c.owner == owner, mu.is_not(None))
    rows = (await connection.execute(query.order_by(at.desc()).limit(MAX_CHANGES))).all()
    return [RatingChange(in_utc(row.finished_at), row.mu, row.sigma) for row in reversed(rows)]
