"""The secret addresses of calendars, one for each person who wants one."""

from dataclasses import asdict, dataclass
from typing import Final

from sqlalchemy import Column, ColumnElement, String, Table, delete, insert, select

from hegemon.server.db.database import Database
from hegemon.server.db.schema import metadata

calendars: Final = Table(
    "calendars",
    metadata,
    Column("owner", String(64), primary_key=True),
    Column("secret", String(43), nullable=False, unique=True),
    Column("language", String(8), nullable=False),
)


@dataclass(frozen=True)
class Calendar:
    owner: str
    secret: str
    language: str
    """The language of its texts, because calendar programs do not send one."""


class Calendars:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def of(self, owner: str) -> Calendar | None:
        return await self._find(calendars.c.owner == owner)

    async def with_secret(self, secret: str) -> Calendar | None:
        return await self._find(calendars.c.secret == secret)

    async def _find(self, condition: ColumnElement[bool]) -> Calendar | None:
        async with self._database.reading() as connection:
            row = (await connection.execute(select(calendars).where(condition))).one_or_none()
            return Calendar(*row) if row is not None else None

    async def replace(self, owner: str, calendar: Calendar | None) -> None:
        """Replace the address of an owner's calendar, or delete it."""
        async with self._database.writing() as connection:
            await connection.execute(delete(calendars).where(calendars.c.owner == owner))
            if calendar is not None:
                await connection.execute(insert(calendars).values(**asdict(calendar)))
