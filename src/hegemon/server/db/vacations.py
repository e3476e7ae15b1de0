"""Vacations: days on which a person's clocks in correspondence games are paused."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

from sqlalchemy import Column, Connection, Integer, Row, String, Table, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hegemon.server.db.database import Database
from hegemon.server.db.rows import in_utc
from hegemon.server.db.schema import metadata, time_column

vacations: Final = Table(
    "vacations",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("owner", String(64), nullable=False, index=True),
    time_column("starts_at"),
    time_column("ends_at"),
)


@dataclass(frozen=True)
class Vacation:
    id: int
    owner: str
    starts_at: datetime
    ends_at: datetime
    """The end of its last day, or the time at which the person ended it."""

    @property
    def pause(self) -> tuple[datetime, datetime]:
        return self.starts_at, self.ends_at

    @property
    def days(self) -> range:
        """The days in UTC that it touches, as ordinals."""
        last = self.ends_at - timedelta(microseconds=1)
        return range(self.starts_at.toordinal(), last.toordinal() + 1)


def read_vacations(connection: Connection, owners: Sequence[str]) -> dict[str, tuple[Vacation, ...]]:
    """The vacations of each owner who has any, in order."""
    found = connection.execute(
        select(vacations).where(vacations.c.owner.in_(owners)).order_by(vacations.c.starts_at)
    )
    rows: dict[str, tuple[Vacation, ...]] = {}
    for row in map(_vacation, found):
        rows[row.owner] = (*rows.get(row.owner, ()), row)
    return rows


class Vacations:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def of(self, *owners: str) -> dict[str, tuple[Vacation, ...]]:
        return await self._database.read(lambda connection: read_vacations(connection, owners))

    async def announce(
        self,
        owner: str,
        starts_at: datetime,
        ends_at: datetime,
        check: Callable[[Vacation, Sequence[Vacation]], None],
    ) -> None:
        """Insert a vacation, unless `check` raises an error for it and the existing ones."""
        async with self._database.writing() as connection:
            # The insert comes first: from then on no other process can write, and all rows are checked together.
            done = await connection.execute(
                insert(vacations).values(owner=owner, starts_at=starts_at, ends_at=ends_at)
            )
            key = done.inserted_primary_key
            assert key is not None
            rows = (await connection.run_sync(read_vacations, [owner]))[owner]
            new = next(row for row in rows if row.id == key[0])
            check(new, [row for row in rows if row is not new])

    async def end(self, owner: str, vacation_id: int, now: datetime) -> None:
        """Cancel a vacation that has not begun, or end one that has; one that is over stays."""
        own = vacations.c.owner == owner, vacations.c.id == vacation_id
        async with self._database.writing() as connection:
            await connection.execute(delete(vacations).where(*own, vacations.c.starts_at >= now))
            await connection.execute(
                update(vacations).where(*own, vacations.c.ends_at > now).values(ends_at=now)
            )

    async def limit(self, owner: str, limit: int) -> None:
        """Shorten the vacations of a person who has merged two keys to the first `limit` days of each year."""
        async with self._database.writing() as connection:
            counted: set[date] = set()
            for row in (await connection.run_sync(read_vacations, [owner])).get(owner, ()):
                for day in map(date.fromordinal, row.days):
                    if day not in counted and sum(other.year == day.year for other in counted) == limit:
                        await _cut(connection, row, day)
                        break
                    counted.add(day)


async def _cut(connection: AsyncConnection, vacation: Vacation, day: date) -> None:
    """End a vacation before a day, or delete it if that is its first day."""
    midnight, same = datetime.combine(day, time(), UTC), vacations.c.id == vacation.id
    if midnight <= vacation.starts_at:
        await connection.execute(delete(vacations).where(same))
    else:
        await connection.execute(update(vacations).where(same).values(ends_at=midnight))


def _vacation(row: Row[Any]) -> Vacation:
    return Vacation(row.id, row.owner, in_utc(row.starts_at), in_utc(row.ends_at))
