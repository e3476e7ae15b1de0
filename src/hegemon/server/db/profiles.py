"""Profiles: the name that a person has chosen, the language and the settings."""

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
from sqlalchemy import (
    Boolean,
    Column,
    Integer,
    Row,
    String,
    Table,
    Text,
    false,
    insert,
    select,
    update,
)

from hegemon.server.db.database import Database
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.rows import in_utc
from hegemon.server.db.schema import metadata, players, time_column

#: Seconds for which a profile is cached, as another process may change it, and the size of the cache.
CACHE_SECONDS: Final = 30
_MAX_CACHED: Final = 10_000

profiles: Final = Table(
    "profiles",
    metadata,
    Column("owner", String(64), primary_key=True),
    Column("public_id", String(22), nullable=False, unique=True),
    Column("name", String(24), nullable=False),
    Column("color", Integer, nullable=True),
    Column("language", String(8), nullable=False),
    Column("settings", Text, nullable=False),
    Column("public", Boolean, nullable=False, server_default=false()),
    time_column("created_at"),
)


@dataclass(frozen=True)
class Profile:
    """A person who has chosen a name, a language or settings."""

    owner: str
    public_id: str
    """The id in addresses, which says nothing about the owner."""
    name: str
    """Empty if the person has not chosen one."""
    color: int | None = None
    language: str = ""
    settings: dict[str, str] = field(default_factory=dict)
    public: bool = False
    """Whether others see the page of the profile."""
    created_at: datetime | None = None


class Profiles:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._cache: dict[str, tuple[float, Profile | None]] = {}
        self.on_change: Callable[[Sequence[str]], None] = lambda owners: None
        """Called with the owners of profiles that were changed here."""

    async def load(self, owner: str | None) -> Profile | None:
        if owner is None:
            return None
        until, profile = self._cache.get(owner, (0.0, None))
        if until < time.monotonic():
            profile = await self._find(profiles.c.owner == owner)
            if len(self._cache) >= _MAX_CACHED:
                self._cache.clear()
            self._cache[owner] = time.monotonic() + CACHE_SECONDS, profile
        return profile

    def cached(self, owner: str | None) -> Profile | None:
        """The profile as it was last loaded, for code that cannot wait for the database."""
        return self._cache.get(owner or "", (0.0, None))[1]

    def invalidate(self, *owners: str) -> None:
        """Drop profiles that were changed here from the cache, and call `on_change`."""
        self.drop_cached(owners)
        self.on_change(owners)

    def drop_cached(self, owners: Sequence[str]) -> None:
        for owner in owners:
            self._cache.pop(owner, None)

    async def find(self, public_id: str) -> Profile | None:
        """The public profile with that id."""
        return await self._find((profiles.c.public_id == public_id) & profiles.c.public)

    async def _find(self, condition: Any) -> Profile | None:
        async with self._database.reading() as connection:
            row = (await connection.execute(select(profiles).where(condition))).one_or_none()
            return _profile(row) if row is not None else None

    async def save(self, owner: str, **changes: Any) -> None:
        """Change a profile; create it if it does not exist and gets a name or settings."""
        if "settings" in changes:
            changes["settings"] = msgspec.json.encode(changes["settings"]).decode()
        if not await self._update(owner, changes) and (changes.get("name") or "settings" in changes):
            defaults = {"name": "", "color": None, "language": "", "settings": "{}"}
            new = defaults | {"created_at": datetime.now(UTC)} | changes
            try:
                async with self._database.writing() as connection:
                    await connection.execute(
                        insert(profiles).values(owner=owner, public_id=secrets.token_urlsafe(12), **new)
                    )
            except ConflictError:  # another request was first
                await self._update(owner, changes)
        self.invalidate(owner)

    async def _update(self, owner: str, changes: dict[str, Any]) -> bool:
        async with self._database.writing() as connection:
            done = await connection.execute(
                update(profiles).where(profiles.c.owner == owner).values(**changes)
            )
            if "name" in changes:  # the rating has the same name
                renamed = update(players).where(players.c.owner == owner)
                await connection.execute(renamed.values(name=changes["name"]))
            return bool(done.rowcount)


def _profile(row: Row[Any]) -> Profile:
    facts = row._asdict()
    settings = msgspec.json.decode(row.settings, type=dict[str, str])
    return Profile(**facts | {"settings": settings, "created_at": in_utc(row.created_at)})
