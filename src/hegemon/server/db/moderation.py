"""Moderation by the host of a server: reports, muted and removed people, closed tables, blocked names."""

import secrets
import time
import tomllib
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import (
    Column,
    ColumnElement,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
    delete,
    exists,
    func,
    insert,
    select,
    update,
)

from hegemon.server.db.database import Database
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.rows import in_utc
from hegemon.server.db.schema import game_key, games, metadata, outbox, seats, time_column, webhooks

#: Seconds for which blocked names are cached, as another process may change them.
CACHE_SECONDS: Final = 30

#: How long decided reports are kept, and the maximum number of open reports.
_MAX_AGE: Final = timedelta(days=90)
MAX_OPEN_REPORTS: Final = 1000

#: The maximum number of open reports about a person; beyond it, a new one replaces an earlier one about the same item.
MAX_REPORTS_ABOUT_ONE: Final = 20

#: The maximum number of muted people in a list, and of blocked names.
MAX_LISTED: Final = 500

#: The number of rows on a page of a list.
PAGE_SIZE: Final = 20

MAX_PATTERN_LENGTH: Final = 48


# Reports stay when their games expire.
reports: Final = Table(
    "reports",
    metadata,
    Column("id", String(22), primary_key=True),
    time_column("created_at"),
    Column("reporter", String(64), nullable=False, index=True),
    Column("game", String(22), nullable=False),
    Column("kind", String(8), nullable=False),
    Column("item", String(20), nullable=False),
    Column("seat", Integer, nullable=True),
    Column("subject", String(64), nullable=True, index=True),
    Column("name", String(24), nullable=False),
    Column("text", Text, nullable=False),
    Column("comment", Text, nullable=False),
    Column("outcome", String(8), nullable=False),
    UniqueConstraint("reporter", "game", "item"),
    Index("ix_reports_open", "outcome", "created_at"),
)

mutes: Final = Table(
    "mutes",
    metadata,
    Column("id", String(22), primary_key=True),
    Column("owner", String(64), nullable=False, unique=True),
    Column("name", String(24), nullable=False),
    time_column("created_at"),
)

removals: Final = Table(
    "removals",
    metadata,
    game_key(),
    Column("owner", String(64), primary_key=True, index=True),
)

closures: Final = Table(
    "closures",
    metadata,
    game_key(),
    time_column("created_at"),
)

blocked_names: Final = Table(
    "blocked_names",
    metadata,
    Column("pattern", String(MAX_PATTERN_LENGTH), primary_key=True),
    time_column("created_at"),
)

host_tokens: Final = Table(
    "host_tokens", metadata, Column("digest", String(64), primary_key=True), time_column("created_at")
)


#: The columns of these tables that contain owners.
OWNER_COLUMNS: Final = (reports.c.reporter, reports.c.subject, mutes.c.owner, removals.c.owner)


@dataclass(frozen=True)
class Report:
    """A report about a message, a name or a player at a table."""

    id: str
    created_at: datetime
    reporter: str
    game: str
    kind: str
    """`message`, `name` or `player`."""
    item: str
    """The kind with the number of the message, or of the seat."""
    seat: int | None
    """None for a spectator."""
    subject: str | None
    """The digest of the token of the person it is about."""
    name: str
    text: str
    """The message as it was."""
    comment: str = ""
    outcome: str = ""
    """The action of the host; empty while the report is open."""


@dataclass(frozen=True)
class Mute:
    id: str
    owner: str
    name: str
    """The name of the person when they were muted."""
    created_at: datetime


@dataclass(frozen=True)
class Person:
    """A person in a list, by the seat that they took last."""

    game: str
    seat: int
    name: str
    games: int
    seen_at: datetime
    muted: bool


class Moderation:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._patterns: tuple[float, list[str]] = (0.0, [])

    # ---------------------------------------------------------------- reports

    async def add_report(self, report: Report, limit: int) -> None:
        """Save a report, replacing an earlier one by its author about the same item.

        Raise ConflictError if the author has made `limit` reports within a day, or too many are open.
        """
        is_open, about_it = reports.c.outcome == "", reports.c.subject == report.subject
        same = reports.c.game == report.game, reports.c.item == report.item
        a_day_ago, too_old = report.created_at - timedelta(days=1), report.created_at - _MAX_AGE
        async with self._database.writing() as connection:

            async def count(*conditions: ColumnElement[bool]) -> int:
                return await connection.scalar(select(func.count()).where(*conditions)) or 0

            own = reports.c.reporter == report.reporter
            await connection.execute(delete(reports).where(own, *same))
            if await count(is_open, about_it) >= MAX_REPORTS_ABOUT_ONE:
                oldest = select(reports.c.id).where(is_open, about_it, *same)
                oldest = oldest.order_by(reports.c.created_at).limit(1)
                evicted = delete(reports).where(reports.c.id.in_(oldest.scalar_subquery()))
                if not (await connection.execute(evicted)).rowcount:
                    raise ConflictError
            if await count(own, reports.c.created_at > a_day_ago) >= limit:
                raise ConflictError
            if await count(is_open) >= MAX_OPEN_REPORTS:
                raise ConflictError
            await connection.execute(delete(reports).where(reports.c.created_at < too_old, ~is_open))
            await connection.execute(insert(reports).values(**asdict(report)))

    async def report(self, report_id: str) -> Report | None:
        async with self._database.reading() as connection:
            row = (await connection.execute(select(reports).where(reports.c.id == report_id))).one_or_none()
            return _report(row) if row is not None else None

    async def open_reports(self, page: int = 0) -> list[Report]:
        """A page of the reports that the host has not decided about, oldest first."""
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(reports)
                .where(reports.c.outcome == "")
                .order_by(reports.c.created_at)
                .limit(PAGE_SIZE)
                .offset(page * PAGE_SIZE)
            )
            return [_report(row) for row in found]

    async def decide(self, report_id: str, outcome: str) -> None:
        async with self._database.writing() as connection:
            await connection.execute(
                update(reports)
                .where(reports.c.id == report_id, reports.c.outcome == "")
                .values(outcome=outcome)
            )

    # ---------------------------------------------------------------- people

    async def mute(self, owner: str, name: str, now: datetime) -> None:
        """Mute a person in all chats; has no effect if they are already muted."""
        async with self._database.writing() as connection:
            known = await connection.scalar(select(exists().where(mutes.c.owner == owner)))
            if not known:
                values = Mute(secrets.token_urlsafe(12), owner, name, now)
                await connection.execute(insert(mutes).values(**asdict(values)))

    async def unmute(self, mute_id: str) -> None:
        async with self._database.writing() as connection:
            await connection.execute(delete(mutes).where(mutes.c.id == mute_id))

    async def unmute_owner(self, owner: str) -> None:
        async with self._database.writing() as connection:
            await connection.execute(delete(mutes).where(mutes.c.owner == owner))

    async def is_muted(self, owner: str) -> bool:
        async with self._database.reading() as connection:
            return bool(await connection.scalar(select(exists().where(mutes.c.owner == owner))))

    async def muted(self) -> list[Mute]:
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(mutes).order_by(mutes.c.created_at.desc()).limit(MAX_LISTED)
            )
            return [Mute(row.id, row.owner, row.name, in_utc(row.created_at)) for row in found]

    async def remove(self, game: str, owner: str) -> None:
        """Bar a person from taking a seat at a table and from hosting it."""
        async with self._database.writing() as connection:
            await connection.execute(
                delete(removals).where(removals.c.game == game, removals.c.owner == owner)
            )
            await connection.execute(insert(removals).values(game=game, owner=owner))
            hosted = update(games).where(games.c.id == game, games.c.host == owner).values(host=None)
            if (await connection.execute(hosted)).rowcount:
                for table in (webhooks, outbox):  # they belong to the former host
                    await connection.execute(delete(table).where(table.c.game == game))

    async def is_removed(self, game: str, owner: str) -> bool:
        async with self._database.reading() as connection:
            found = exists().where(removals.c.game == game, removals.c.owner == owner)
            return bool(await connection.scalar(select(found)))

    async def people(self, page: int = 0) -> list[Person]:
        """A page of the people who have a seat, most recent players first."""
        latest, held = func.max(games.c.updated_at), func.count()
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(seats.c.owner, latest, held)
                .join(games)
                .where(seats.c.owner.is_not(None))
                .group_by(seats.c.owner)
                .order_by(latest.desc())
                .limit(PAGE_SIZE)
                .offset(page * PAGE_SIZE)
            )
            by_owner = {owner: (number, in_utc(seen_at)) for owner, seen_at, number in found}
            order = games.c.updated_at.desc(), games.c.id, seats.c.seat
            place = func.row_number().over(partition_by=seats.c.owner, order_by=order).label("place")
            taken = select(seats, place).join(games).where(seats.c.owner.in_(by_owner)).subquery()
            last = await connection.execute(
                select(taken, games.c.record, mutes.c.id.is_not(None).label("muted"))
                .join(games, games.c.id == taken.c.game)
                .outerjoin(mutes, mutes.c.owner == taken.c.owner)
                .where(taken.c.place == 1)
            )
            people = {
                row.owner: Person(
                    row.game,
                    row.seat,
                    row.name or recorded_name(row.record, row.seat),
                    *by_owner[row.owner],
                    bool(row.muted),
                )
                for row in last
            }
        return [people[owner] for owner in by_owner if owner in people]

    # ---------------------------------------------------------------- tables

    async def close_table(self, game: str, now: datetime) -> None:
        """Close a table permanently; its game counts for no player, and expires like a finished one."""
        async with self._database.writing() as connection:
            if not await connection.scalar(select(exists().where(closures.c.game == game))):
                await connection.execute(insert(closures).values(game=game, created_at=now))
                await connection.execute(
                    update(games)
                    .where(games.c.id == game)
                    .values(finished=True, counted=True, updated_at=now)
                )

    # ---------------------------------------------------------------- names

    async def block_name(self, pattern: str, now: datetime) -> None:
        """Block a pattern of names; raise ConflictError beyond MAX_LISTED."""
        async with self._database.writing() as connection:
            await connection.execute(delete(blocked_names).where(blocked_names.c.pattern == pattern))
            if (await connection.scalar(select(func.count()).select_from(blocked_names)) or 0) >= MAX_LISTED:
                raise ConflictError
            await connection.execute(insert(blocked_names).values(pattern=pattern, created_at=now))
        self._patterns = (0.0, [])

    async def unblock_name(self, pattern: str) -> None:
        async with self._database.writing() as connection:
            await connection.execute(delete(blocked_names).where(blocked_names.c.pattern == pattern))
        self._patterns = (0.0, [])

    async def patterns(self) -> list[str]:
        until, found = self._patterns
        if until < time.monotonic():
            async with self._database.reading() as connection:
                patterns = await connection.scalars(
                    select(blocked_names.c.pattern).order_by(blocked_names.c.pattern)
                )
                found = list(patterns)
            self._patterns = time.monotonic() + CACHE_SECONDS, found
        return found

    # ---------------------------------------------------------------- the host

    async def set_host_token(self, digest: str, now: datetime) -> None:
        """Replace the token of the host."""
        async with self._database.writing() as connection:
            await connection.execute(delete(host_tokens))
            await connection.execute(insert(host_tokens).values(digest=digest, created_at=now))

    async def is_host_token(self, digest: str) -> bool:
        async with self._database.reading() as connection:
            return bool(await connection.scalar(select(exists().where(host_tokens.c.digest == digest))))

    async def has_host_token(self) -> bool:
        async with self._database.reading() as connection:
            return await connection.scalar(select(host_tokens.c.digest)) is not None


def recorded_name(record: str, seat: int) -> str:
    """The name of a player in a record; empty if that is damaged."""
    try:
        return str(tomllib.loads(record)["players"][seat])
    except (tomllib.TOMLDecodeError, LookupError, TypeError):
        return ""


def _report(row: Any) -> Report:
    return Report(**row._asdict() | {"created_at": in_utc(row.created_at)})
