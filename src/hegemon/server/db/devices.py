"""The devices of a person: sessions, passkeys and their challenges, the recovery code, and arrivals."""

import contextlib
from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    Date,
    Integer,
    LargeBinary,
    String,
    Table,
    delete,
    exists,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from hegemon.server.db.database import Database
from hegemon.server.db.errors import ConflictError, StorageError
from hegemon.server.db.rows import in_utc
from hegemon.server.db.schema import metadata, time_column

#: Beyond this number of devices, the one that was seen least recently is signed out.
MAX_SESSIONS: Final = 20

MAX_PASSKEYS: Final = 20

#: A session that has not been seen for longer than this is over; browsers keep its cookie for a year.
_MAX_UNSEEN: Final = timedelta(days=400)

#: Challenges beyond this number are deleted, the oldest first.
_MAX_CHALLENGES: Final = 10_000

sessions: Final = Table(
    "sessions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("token", String(64), nullable=False, unique=True),
    Column("owner", String(64), nullable=False, index=True),
    Column("browser", String(20), nullable=False),
    Column("system", String(20), nullable=False),
    Column("created_on", Date, nullable=False),
    Column("seen_on", Date, nullable=False, index=True),
)

passkeys: Final = Table(
    "passkeys",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("credential", String(1400), nullable=False, unique=True),
    Column("owner", String(64), nullable=False, index=True),
    Column("public_key", LargeBinary, nullable=False),
    Column("sign_count", BigInteger, nullable=False),
    Column("name", String(24), nullable=False),
    Column("created_on", Date, nullable=False),
    Column("used_on", Date, nullable=True),
)

recovery_codes: Final = Table(
    "recovery_codes",
    metadata,
    Column("owner", String(64), primary_key=True),
    Column("code", String(64), nullable=False, unique=True),
    Column("created_on", Date, nullable=False),
)

challenges: Final = Table(
    "challenges",
    metadata,
    Column("challenge", String(64), primary_key=True),
    time_column("expires_at", index=True),
)

arrivals: Final = Table(
    "arrivals",
    metadata,
    Column("secret", String(64), primary_key=True),
    Column("owner", String(64), nullable=False, index=True),
    Column("code", String(64), nullable=True),
    time_column("expires_at", index=True),
)

#: An arrival whose recovery code has since been used or replaced is no longer valid.
_IS_VALID: Final = arrivals.c.code.is_(None) | exists().where(
    recovery_codes.c.owner == arrivals.c.owner, recovery_codes.c.code == arrivals.c.code
)


class CodeUsed(Exception):
    """Another device has used the recovery code, or a new one has replaced it."""


@dataclass(frozen=True)
class Session:
    """A device that is signed in."""

    id: int
    owner: str
    browser: str
    """The name of the browser; empty if unknown."""
    system: str
    created_on: date
    seen_on: date


@dataclass(frozen=True)
class NewPasskey:
    """A passkey: its credential id in base64url, its public key in COSE format, and its sign count."""

    credential: str
    owner: str
    public_key: bytes
    sign_count: int
    name: str
    created_on: date


@dataclass(frozen=True)
class Passkey(NewPasskey):
    id: int
    used_on: date | None = None


@dataclass(frozen=True)
class Arrival:
    """A browser that already has games, and may sign in once its user has decided what happens to them."""

    secret: str
    """The digest of a secret that only this browser knows."""
    owner: str
    code: str | None
    """The digest of the recovery code that will be used up; None if a passkey was used."""
    expires_at: datetime


_SESSION: Final = [column for column in sessions.c if column.name != "token"]
_PASSKEY: Final = [
    *(passkeys.c[name] for name in NewPasskey.__dataclass_fields__),
    passkeys.c.id,
    passkeys.c.used_on,
]


class Devices:
    def __init__(self, database: Database) -> None:
        self._database = database

    # ---------------------------------------------------------------- sessions

    async def start_session(
        self, token: str, owner: str, browser: str, system: str, today: date, code: str | None = None
    ) -> list[int]:
        """Sign in a device by the digest of its token; return the sessions that end in its place.

        This uses up a recovery code; raises CodeUsed if it is no longer valid.
        """
        async with self._database.writing() as connection:
            if code is not None:
                known = recovery_codes.c.owner == owner, recovery_codes.c.code == code
                used = await connection.execute(delete(recovery_codes).where(*known))
                if used.rowcount == 0:
                    raise CodeUsed
            await connection.execute(delete(sessions).where(sessions.c.seen_on < today - _MAX_UNSEEN))
            others = select(sessions.c.id).where(sessions.c.owner == owner)
            most_recent = others.order_by(sessions.c.seen_on.desc(), sessions.c.id.desc())
            ended = list(await connection.scalars(most_recent.offset(MAX_SESSIONS - 1)))
            await connection.execute(delete(sessions).where(sessions.c.id.in_(ended)))
            facts = {"owner": owner, "browser": browser, "system": system}
            await connection.execute(
                insert(sessions).values(token=token, created_on=today, seen_on=today, **facts)
            )
            return ended

    async def find_session(self, token: str, today: date) -> Session | None:
        """The session with that token digest; updates the date on which it was last seen."""
        known = sessions.c.token == token, sessions.c.seen_on >= today - _MAX_UNSEEN
        async with self._database.reading() as connection:
            row = (await connection.execute(select(*_SESSION).where(*known))).one_or_none()
        if row is None:
            return None
        if row.seen_on != today:
            with contextlib.suppress(StorageError):  # reading must work even if nothing can be written
                async with self._database.writing() as connection:
                    await connection.execute(
                        update(sessions).where(sessions.c.id == row.id).values(seen_on=today)
                    )
        return Session(*row)

    async def sessions_of(self, owner: str) -> list[Session]:
        """The sessions of a person, most recently seen first."""
        async with self._database.reading() as connection:
            found = select(*_SESSION).where(sessions.c.owner == owner)
            rows = await connection.execute(found.order_by(sessions.c.seen_on.desc(), sessions.c.id.desc()))
            return [Session(*row) for row in rows]

    async def ended(self, session_ids: Collection[int]) -> set[int]:
        """The sessions that have ended."""
        async with self._database.reading() as connection:
            found = await connection.scalars(select(sessions.c.id).where(sessions.c.id.in_(session_ids)))
            return set(session_ids) - set(found)

    async def end_session(self, owner: str, session_id: int) -> bool:
        """Sign out a device of that person; return whether there was such a session."""
        async with self._database.writing() as connection:
            ended = await connection.execute(
                delete(sessions).where(sessions.c.owner == owner, sessions.c.id == session_id)
            )
            return ended.rowcount > 0

    # ---------------------------------------------------------------- passkeys

    async def add_passkey(self, passkey: NewPasskey) -> None:
        """Add a passkey; raise ConflictError for a known credential, or for more than MAX_PASSKEYS."""
        async with self._database.writing() as connection:
            owned = select(func.count()).select_from(passkeys).where(passkeys.c.owner == passkey.owner)
            if (await connection.scalar(owned) or 0) >= MAX_PASSKEYS:
                raise ConflictError
            await connection.execute(insert(passkeys).values(**asdict(passkey)))

    async def find_passkey(self, credential: str) -> Passkey | None:
        async with self._database.reading() as connection:
            found = await connection.execute(select(*_PASSKEY).where(passkeys.c.credential == credential))
            return Passkey(*row) if (row := found.one_or_none()) is not None else None

    async def passkeys_of(self, owner: str) -> list[Passkey]:
        """The passkeys of a person, oldest first."""
        async with self._database.reading() as connection:
            found = select(*_PASSKEY).where(passkeys.c.owner == owner).order_by(passkeys.c.id)
            return [Passkey(*row) for row in await connection.execute(found)]

    async def use_passkey(self, passkey: Passkey, sign_count: int, today: date) -> bool:
        """Record a use of a passkey; return False if it was used or removed at the same time."""
        async with self._database.writing() as connection:
            used = await connection.execute(
                update(passkeys)
                .where(passkeys.c.id == passkey.id, passkeys.c.sign_count == passkey.sign_count)
                .values(sign_count=sign_count, used_on=today)
            )
            return used.rowcount > 0

    async def rename_passkey(self, owner: str, passkey_id: int, name: str) -> None:
        own = passkeys.c.owner == owner, passkeys.c.id == passkey_id
        async with self._database.writing() as connection:
            await connection.execute(update(passkeys).where(*own).values(name=name))

    async def remove_passkey(self, owner: str, passkey_id: int) -> None:
        own = passkeys.c.owner == owner, passkeys.c.id == passkey_id
        async with self._database.writing() as connection:
            await connection.execute(delete(passkeys).where(*own))

    async def add_challenge(self, challenge: str, now: datetime, expires_at: datetime) -> None:
        """Remember the digest of a challenge until it is used or expires."""
        newest = select(challenges.c.challenge).order_by(challenges.c.expires_at.desc())
        async with self._database.writing() as connection:
            excess = list(await connection.scalars(newest.offset(_MAX_CHALLENGES - 1)))
            expired = (challenges.c.expires_at <= now) | challenges.c.challenge.in_(excess)
            await connection.execute(delete(challenges).where(expired))
            await connection.execute(insert(challenges).values(challenge=challenge, expires_at=expires_at))

    async def use_challenge(self, challenge: str, now: datetime) -> bool:
        """Use up a challenge; return whether it was known and has not expired."""
        known = challenges.c.challenge == challenge, challenges.c.expires_at > now
        async with self._database.writing() as connection:
            used = await connection.execute(delete(challenges).where(*known))
            return used.rowcount > 0

    # ---------------------------------------------------------------- the recovery code

    async def set_recovery_code(self, owner: str, code: str, today: date) -> None:
        """Store the digest of a new recovery code, which replaces the previous one."""
        async with self._database.writing() as connection:
            await connection.execute(delete(recovery_codes).where(recovery_codes.c.owner == owner))
            await connection.execute(insert(recovery_codes).values(owner=owner, code=code, created_on=today))

    async def recovery_code_date(self, owner: str) -> date | None:
        """When the recovery code of a person was created; None if there is none."""
        async with self._database.reading() as connection:
            created_on: date | None = await connection.scalar(
                select(recovery_codes.c.created_on).where(recovery_codes.c.owner == owner)
            )
            return created_on

    async def owner_of_code(self, code: str) -> str | None:
        """The owner of the recovery code with that digest; the code is not used up until a session starts."""
        async with self._database.reading() as connection:
            owner: str | None = await connection.scalar(
                select(recovery_codes.c.owner).where(recovery_codes.c.code == code)
            )
            return owner

    # ---------------------------------------------------------------- arrivals

    async def add_arrival(self, arrival: Arrival, now: datetime) -> None:
        async with self._database.writing() as connection:
            await connection.execute(delete(arrivals).where(arrivals.c.expires_at <= now))
            await connection.execute(insert(arrivals).values(**asdict(arrival)))

    async def find_arrival(self, secret: str, now: datetime) -> Arrival | None:
        """The arrival with that digest, if it is still valid."""
        async with self._database.reading() as connection:
            return await _arrival(connection, secret, now)

    async def withdraw_arrival(self, secret: str, now: datetime) -> Arrival | None:
        """Withdraw the arrival with that digest; return it if it was still valid."""
        async with self._database.writing() as connection:
            arrival = await _arrival(connection, secret, now)
            await connection.execute(delete(arrivals).where(arrivals.c.secret == secret))
            return arrival


async def _arrival(connection: AsyncConnection, secret: str, now: datetime) -> Arrival | None:
    valid = arrivals.c.secret == secret, arrivals.c.expires_at > now, _IS_VALID
    row = (await connection.execute(select(arrivals).where(*valid))).one_or_none()
    return Arrival(row.secret, row.owner, row.code, in_utc(row.expires_at)) if row is not None else None
