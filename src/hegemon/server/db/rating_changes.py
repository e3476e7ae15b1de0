"""The history of ratings: a player's rating after each rated game."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Column, DateTime, Float, String, Table, select
from sqlalchemy.ext.asyncio import AsyncConnection

from hegemon.server.db.schema import in_utc, metadata

#: The number of latest changes that are shown.
MAX_CHANGES: Final = 100

rating_changes: Final = Table(
    "rating_changes",
    metadata,
    Column("owner", String(64), primary_key=True),
    Column("game", String(22), primary_key=True),
    Column("finished_at", DateTime(timezone=True), nullable=False),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
)


@dataclass(frozen=True)
class RatingChange:
    """The rating of a player after a game."""

    finished_at: datetime
    mu: float
    sigma: float


async def changes_of(connection: AsyncConnection, owner: str) -> list[RatingChange]:
    """The last changes of a player's rating, the earliest first."""
    at = rating_changes.c.finished_at
    query = select(at, rating_changes.c.mu, rating_changes.c.sigma).where(rating_changes.c.owner == owner)
    rows = (await connection.execute(query.order_by(at.desc()).limit(MAX_CHANGES))).all()
    return [RatingChange(in_utc(row.finished_at), row.mu, row.sigma) for row in reversed(rows)]
