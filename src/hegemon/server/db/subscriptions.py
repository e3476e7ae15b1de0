"""Subscriptions to notices, the key with which this server signs them, and the outbox of notices.

The outbox has one row for each device and game, with the key of the notice that the device should show. The key
identifies the event, so a notice is sent once, even if several workers detect the event; an empty key means that
nothing should be shown. The row also has the last key that was sent, and whether the device may still show that
notice. A key includes every key that it begins with: a player who was reminded of a turn is not notified of that
turn.
"""

import dataclasses
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import islice
from typing import Any, Final

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    ForeignKey,
    Integer,
    Row,
    String,
    Table,
    Text,
    Update,
    delete,
    exists,
    func,
    insert,
    select,
    tuple_,
    union,
    update,
)

from hegemon.server.db.database import Database
from hegemon.server.db.devices import sessions
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.rows import in_utc, in_utc_or_none
from hegemon.server.db.schema import games, metadata, seats, time_column

#: The maximum number of devices per person; a further one replaces the oldest.
MAX_SUBSCRIPTIONS: Final = 10

#: How long a worker has to send a notice that it has taken, before others may take it.
_LEASE_TIME: Final = timedelta(minutes=2)

#: The maximum number of due notices that are searched for free URLs.
_MAX_CANDIDATES: Final = 1_000

#: The maximum number of games whose owners are in one query.
_MAX_GAMES_IN_QUERY: Final = 1_000

push_keys: Final = Table(
    "push_keys",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("private_key", String(64), nullable=False),
)

subscriptions: Final = Table(
    "subscriptions",
    metadata,
    Column("id", String(22), primary_key=True),
    Column("owner", String(64), nullable=False, index=True),
    Column("session", String(64), nullable=False, index=True),
    Column("endpoint", Text, nullable=False),
    Column("public_key", String(100), nullable=False),
    Column("secret", String(32), nullable=False),
    Column("kinds", String(60), nullable=False),
    Column("language", String(8), nullable=False),
    Column("device", String(200), nullable=False),
    Column("base_url", Text, nullable=False),
    time_column("created_at"),
    time_column("chosen_at"),
)

push_outbox: Final = Table(
    "push_outbox",
    metadata,
    Column("subscription", ForeignKey("subscriptions.id", ondelete="CASCADE"), primary_key=True),
    Column("game", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True, index=True),
    Column("key", String(40), nullable=False),
    Column("notified", String(40), nullable=False),
    Column("shown", Boolean, nullable=False),
    Column("attempts", Integer, nullable=False),
    time_column("due_at", nullable=True, index=True),
)

#: A device that has been signed out since it subscribed receives only withdrawals.
_IS_SIGNED_IN: Final = (subscriptions.c.session == subscriptions.c.owner) | subscriptions.c.session.in_(
    select(sessions.c.token)
)


@dataclass(frozen=True)
class Subscription:
    """A device that shows notices to its owner."""

    owner: str
    session: str
    """The digest of the token that the device has."""
    endpoint: str
    """The URL at the push service, with which only this server can send to this device."""
    public_key: str
    secret: str
    """The keys of the device, in base64url."""
    kinds: tuple[str, ...]
    language: str
    device: str
    """The browser's description of itself."""
    base_url: str
    created_at: datetime
    chosen_at: datetime
    """When its owner chose the kinds."""

    @property
    def id(self) -> str:
        return sha256(self.endpoint.encode()).hexdigest()[:22]


@dataclass(frozen=True)
class PushItem:
    """A notice to send, or the withdrawal of one."""

    game: str
    key: str
    attempts: int
    subscription: Subscription
    signed_in: bool
    """Whether the device still belongs to its owner."""

    @property
    def id(self) -> str:
        return f"{self.subscription.id}.{self.game}"

    @property
    def url(self) -> str:
        return self.subscription.endpoint


@dataclass(frozen=True)
class DesiredNotice:
    """The notice that a device should show about a game; without a time, its owner has already seen it."""

    key: str = ""
    due_at: datetime | None = None


class Subscriptions:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def private_key(self, new: str) -> str:
        """The private key of this server; `new` is stored if there is none yet."""
        try:
            async with self._database.writing() as connection:
                await connection.execute(insert(push_keys).values(id=1, private_key=new))
        except ConflictError:
            pass
        async with self._database.reading() as connection:
            found: str = (await connection.execute(select(push_keys.c.private_key))).scalar_one()
            return found

    # ---------------------------------------------------------------- devices

    async def of(self, owners: Collection[str]) -> list[Subscription]:
        """The subscriptions of these owners, the oldest first."""
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(subscriptions)
                .where(subscriptions.c.owner.in_(owners), _IS_SIGNED_IN)
                .order_by(subscriptions.c.created_at, subscriptions.c.id)
            )
            return [_subscription(row) for row in found]

    async def save(
        self, subscription: Subscription, *, keeps_kinds: bool = False, replaces: str = ""
    ) -> None:
        """Add or renew a subscription, which may keep its kinds or those of the one that it replaces."""
        async with self._database.writing() as connection:
            own = subscriptions.c.owner == subscription.owner
            before = (
                await connection.execute(
                    select(subscriptions)
                    .where(own, subscriptions.c.endpoint.in_([subscription.endpoint, replaces]))
                    .order_by(subscriptions.c.endpoint == replaces)
                )
            ).first()
            values = dataclasses.asdict(subscription) | {"id": subscription.id}
            values["kinds"] = " ".join(subscription.kinds)
            if before is not None:
                values["created_at"] = before.created_at
                if keeps_kinds:
                    values |= {"kinds": before.kinds, "chosen_at": before.chosen_at}
            changed = await connection.execute(
                update(subscriptions).where(subscriptions.c.id == subscription.id).values(**values)
            )
            if changed.rowcount == 0:
                await connection.execute(insert(subscriptions).values(**values))
                if before is not None:  # the device has a new address, and still shows the same notices
                    await connection.execute(
                        update(push_outbox)
                        .where(push_outbox.c.subscription == before.id)
                        .values(subscription=subscription.id)
                    )
            excess = (
                select(subscriptions.c.id)
                .where(own)
                .order_by(subscriptions.c.created_at.desc(), subscriptions.c.id)
                .offset(MAX_SUBSCRIPTIONS)
            )
            await connection.execute(
                delete(subscriptions).where(
                    subscriptions.c.id.in_(excess) | (own & (subscriptions.c.endpoint == replaces))
                )
            )

    async def set_kinds(
        self, owner: str | None, subscription: str, kinds: tuple[str, ...], now: datetime
    ) -> bool:
        """Set the kinds of notices that a device shows; return whether it belongs to the owner."""
        async with self._database.writing() as connection:
            changed = await connection.execute(
                update(subscriptions)
                .where(subscriptions.c.id == subscription, subscriptions.c.owner == owner)
                .values(kinds=" ".join(kinds), chosen_at=now)
            )
            return changed.rowcount > 0

    async def delete(self, owner: str | None, subscription: str) -> bool:
        """Delete a subscription; return whether it belonged to the owner."""
        async with self._database.writing() as connection:
            deleted = await connection.execute(
                delete(subscriptions).where(
                    subscriptions.c.id == subscription, subscriptions.c.owner == owner
                )
            )
            return deleted.rowcount > 0

    async def sign_out(self, owner: str) -> None:
        """Sign out the devices that have the key of an owner itself: they no longer show notices."""
        async with self._database.writing() as connection:
            with_key = subscriptions.c.owner == owner, subscriptions.c.session == owner
            await connection.execute(update(subscriptions).where(*with_key).values(session=""))

    async def forget_signed_out(self, now: datetime) -> None:
        """Withdraw notices from signed-out devices, and delete those with nothing left to withdraw."""
        signed_out = select(subscriptions.c.id).where(~_IS_SIGNED_IN)
        withdrawn = select(push_outbox.c.subscription).where(
            push_outbox.c.shown, push_outbox.c.due_at.is_not(None)
        )
        async with self._database.writing() as connection:
            await connection.execute(
                update(push_outbox)
                .where(
                    push_outbox.c.subscription.in_(signed_out), push_outbox.c.shown, push_outbox.c.key != ""
                )
                .values(key="", attempts=0, due_at=now)
            )
            await connection.execute(
                delete(subscriptions).where(~_IS_SIGNED_IN, subscriptions.c.id.not_in(withdrawn))
            )

    # ---------------------------------------------------------------- outbox

    async def with_recipients(self, owners: Mapping[str, Collection[str]]) -> set[str]:
        """Those of the given games, with their owners, that a device was notified of or an owner has a device for."""

        def read(connection: Connection) -> set[str]:
            found: set[str] = set()
            for start in range(0, len(owners), _MAX_GAMES_IN_QUERY):
                games_at_once = list(islice(owners, start, start + _MAX_GAMES_IN_QUERY))
                noted = select(push_outbox.c.game).where(push_outbox.c.game.in_(games_at_once))
                people = {owner for game_id in games_at_once for owner in owners[game_id]}
                with_device = set(
                    connection.scalars(select(subscriptions.c.owner).where(subscriptions.c.owner.in_(people)))
                )
                found.update(connection.scalars(noted))
                found.update(
                    game_id for game_id in games_at_once if not with_device.isdisjoint(owners[game_id])
                )
            return found

        return await self._database.read(read) if owners else set()

    async def put(self, game_id: str, wanted: Mapping[str, DesiredNotice], now: datetime) -> None:
        """Set what devices should show about a game; devices not in `wanted` should show nothing.

        A device is notified of a turn only once, and outdated notices that it may still show are withdrawn.
        """
        try:
            await self._put(game_id, wanted, now)
        except ConflictError:  # a device has just been removed, or another worker was first
            await self._put(game_id, wanted, now)

    async def _put(self, game_id: str, wanted: Mapping[str, DesiredNotice], now: datetime) -> None:
        existing = select(subscriptions.c.id).where(
            subscriptions.c.id.in_(wanted), exists().where(games.c.id == game_id)
        )
        async with self._database.reading() as connection:
            devices = set(await connection.scalars(existing))
            found = await connection.execute(select(push_outbox).where(push_outbox.c.game == game_id))
            rows = {row.subscription: row for row in found}
        fresh = [
            {"subscription": device, "game": game_id, "key": new.key, "attempts": 0, "due_at": new.due_at}
            | {"notified": "" if new.due_at else new.key, "shown": False}
            for device, new in wanted.items()
            if new.key and device in devices - rows.keys()
        ]
        changed = {device: wanted.get(device, DesiredNotice()) for device in rows}
        changed = {device: new for device, new in changed.items() if _differs(rows[device], new)}
        if not fresh and not changed:
            return
        async with self._database.writing() as connection:
            for device, new in changed.items():
                row = rows[device]
                due_at, notified = new.due_at, row.notified
                if not new.key:
                    due_at = now if row.shown else None
                elif row.notified == new.key or row.notified.startswith(f"{new.key}-"):
                    due_at = None
                elif new.due_at is None:
                    notified = new.key
                await connection.execute(
                    _update(device, game_id, row.key).values(
                        key=new.key, attempts=0, due_at=due_at, notified=notified
                    )
                )
            if fresh:
                await connection.execute(insert(push_outbox), fresh)

    async def take(
        self, now: datetime, limit: int, is_free: Callable[[str, str], bool] = lambda item, url: True
    ) -> list[PushItem]:
        """Lease the due notices whose URLs are free; those with the fewest attempts come first.

        For a device that was signed out, only withdrawals are leased. Several workers never take the same notice: each
        is locked before it is taken, and skipped if another worker has locked or taken it.
        """
        async with self._database.writing() as connection:
            found = await connection.execute(
                select(push_outbox, subscriptions, _IS_SIGNED_IN.label("signed_in"))
                .join(subscriptions, subscriptions.c.id == push_outbox.c.subscription)
                .where(push_outbox.c.due_at <= now, _IS_SIGNED_IN | (push_outbox.c.key == ""))
                .order_by(push_outbox.c.attempts, push_outbox.c.due_at)
                .limit(_MAX_CANDIDATES)
            )
            items = (
                PushItem(row.game, row.key, row.attempts + 1, _subscription(row), row.signed_in)
                for row in found.all()
            )
            free = list(islice((item for item in items if is_free(item.id, item.url)), limit))
            if not free:
                return []
            identity = push_outbox.c.subscription, push_outbox.c.game, push_outbox.c.key
            locked = await connection.execute(
                select(*identity)
                .where(tuple_(*identity).in_([_identity(item) for item in free]), push_outbox.c.due_at <= now)
                .with_for_update(skip_locked=True)
            )
            own = {tuple(row) for row in locked}
            taken = [item for item in free if _identity(item) in own]
            for item in taken:
                values: dict[str, Any] = {"attempts": item.attempts, "due_at": now + _LEASE_TIME}
                values |= {"shown": True, "notified": item.key} if item.key else {}
                await connection.execute(_update_item(item).values(**values))
            return taken

    async def finish_attempt(self, item: PushItem, retry_at: datetime | None, *, withdrawn: bool) -> None:
        """Save the result of an attempt, unless the device should show something else by now."""
        values: dict[str, Any] = {"due_at": retry_at} | ({"shown": False} if withdrawn else {})
        async with self._database.writing() as connection:
            await connection.execute(
                _update_item(item).where(push_outbox.c.attempts == item.attempts).values(**values)
            )

    async def next_due(self, after: datetime) -> datetime | None:
        async with self._database.reading() as connection:
            return in_utc_or_none(
                await connection.scalar(
                    select(func.min(push_outbox.c.due_at)).where(push_outbox.c.due_at > after)
                )
            )

    async def games_to_check(self, since: datetime) -> list[str]:
        """The games with notices, and the unfinished ones changed since then in which a subscriber plays."""
        shown = select(push_outbox.c.game).where(push_outbox.c.key != "")
        played = (
            select(seats.c.game)
            .join(games)
            .where(
                ~games.c.finished,
                games.c.updated_at >= since,
                seats.c.owner.in_(select(subscriptions.c.owner)),
            )
        )
        async with self._database.reading() as connection:
            return list(await connection.scalars(union(shown, played)))


def _differs(row: Row[Any], new: DesiredNotice) -> bool:
    """Whether the row must change: to show something else, or because a withdrawal was never sent.

    A withdrawal is skipped if the next turn has already begun, and may be needed again when that turn ends.
    """
    return new.key != row.key or (not new.key and row.shown and row.due_at is None)


def _update(device: str, game_id: str, key: str) -> Update:
    """An update of a row that applies only if its key has not changed."""
    return update(push_outbox).where(
        push_outbox.c.subscription == device, push_outbox.c.game == game_id, push_outbox.c.key == key
    )


def _identity(item: PushItem) -> tuple[str, str, str]:
    """The primary key of a row, and the key of its notice."""
    return item.subscription.id, item.game, item.key


def _update_item(item: PushItem) -> Update:
    return _update(item.subscription.id, item.game, item.key)


def _subscription(row: Row[Any]) -> Subscription:
    facts = {field.name: getattr(row, field.name) for field in dataclasses.fields(Subscription)}
    times = {name: in_utc(facts[name]) for name in ("created_at", "chosen_at")}
    return Subscription(**facts | times | {"kinds": tuple(facts["kinds"].split())})
