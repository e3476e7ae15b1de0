"""What is kept of webhooks: for every table where to post to and how that went, and the notices that wait.

A notice is kept under a key that says what it is about, so that there is only one, whoever finds it out and however
often. It stays when it has been sent; only then its time is gone.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import (
    Column,
    DateTime,
    ForeignKey,
    Integer,
    RowMapping,
    String,
    Table,
    Text,
    Update,
    delete,
    func,
    insert,
    select,
    update,
)

from hegemon.server.db.store import Store, in_utc, metadata

#: How the keys of notices begin that say whose turn it is.
TURN: Final = "turn-"

#: The key of the notice that the game is over.
END: Final = "end"

#: Whoever takes a notice to send it has so long; then it is there for others again.
_LEASE: Final = timedelta(minutes=2)

webhooks: Final = Table(
    "webhooks",
    metadata,
    Column("game", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("url", Text, nullable=False),
    Column("secret", String(64), nullable=False),
    Column("base", Text, nullable=False),
    Column("tried", DateTime(timezone=True), nullable=True),
    Column("status", Integer, nullable=True),
    Column("failure", String(16), nullable=False),
    Column("again", DateTime(timezone=True), nullable=True),
)

notices: Final = Table(
    "notices",
    metadata,
    Column("game", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("key", String(40), primary_key=True),
    Column("body", Text, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("due", DateTime(timezone=True), nullable=True, index=True),
)


@dataclass(frozen=True)
class Webhook:
    """Where a table's notices are posted to."""

    url: str
    secret: str
    """What notices are signed with."""
    base: str
    """How this server is reached, for links."""
    tried: datetime | None = None
    """When a notice was last sent."""
    status: int | None = None
    """What was answered; None if nothing was."""
    failure: str = ""
    """Why it failed, by the key of a sentence; nothing if it did not."""
    again: datetime | None = None
    """When it is tried again; None if it went well, or was given up."""


@dataclass(frozen=True)
class OutboxItem:
    """Something that is to be told, and where."""

    game: str
    key: str
    body: str
    tries: int
    webhook: Webhook

    @property
    def id(self) -> str:
        """By what a receiver knows that it has had it before."""
        return f"{self.game}.{self.key}"


class Outbox:
    """The webhooks and notices of a server."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def webhook(self, game_id: str) -> Webhook | None:
        """Where a table's notices go, if somewhere."""
        async with self._store.reading() as connection:
            row = (await connection.execute(select(webhooks).where(webhooks.c.game == game_id))).one_or_none()
            return _webhook(row._mapping) if row is not None else None

    async def set_webhook(self, game_id: str, webhook: Webhook | None) -> None:
        """Post a table's notices there from now on, or nowhere; what was sent elsewhere, or waits, is forgotten."""
        async with self._store.writing() as connection:
            await connection.execute(delete(webhooks).where(webhooks.c.game == game_id))
            await connection.execute(delete(notices).where(notices.c.game == game_id))
            if webhook is not None:
                await connection.execute(insert(webhooks).values(game=game_id, **dataclasses.asdict(webhook)))

    async def hand_on(self, game_id: str, following: str) -> None:
        """Post the notices of the game that follows to the same place."""
        webhook = await self.webhook(game_id)
        if webhook is not None:
            await self.set_webhook(following, Webhook(webhook.url, webhook.secret, webhook.base))

    async def put(self, game_id: str, bodies: Mapping[str, str], now: datetime) -> None:
        """Keep notices by their keys, each once; of turns that are over nothing waits any longer."""
        async with self._store.writing() as connection:
            known = set(await connection.scalars(select(notices.c.key).where(notices.c.game == game_id)))
            await connection.execute(
                delete(notices).where(
                    notices.c.game == game_id,
                    notices.c.due.is_not(None),
                    notices.c.key.startswith(TURN),
                    notices.c.key.not_in(bodies),
                )
            )
            fresh = [
                {"game": game_id, "key": key, "body": body, "tries": 0, "due": now}
                for key, body in bodies.items()
                if key not in known
            ]
            if fresh:
                await connection.execute(insert(notices), fresh)

    async def take(self, now: datetime, most: int) -> list[OutboxItem]:
        """The notices whose time has come, the oldest first; nobody else has them for a while."""
        async with self._store.writing() as connection:
            found = await connection.execute(
                select(notices, *(column for column in webhooks.c if column.name != "game"))
                .join(webhooks, webhooks.c.game == notices.c.game)
                .where(notices.c.due <= now)
                .order_by(notices.c.due)
                .limit(most)
            )
            taken = [
                OutboxItem(row.game, row.key, row.body, row.tries + 1, _webhook(row._mapping))
                for row in found
            ]
            for notice in taken:
                await connection.execute(_this(notice).values(tries=notice.tries, due=now + _LEASE))
            return taken

    async def settle(self, notice: OutboxItem, webhook: Webhook) -> None:
        """How a notice went: it is tried again when the webhook says, or it is done with."""
        async with self._store.writing() as connection:
            await connection.execute(_this(notice).values(due=webhook.again))
            await connection.execute(
                update(webhooks)
                .where(webhooks.c.game == notice.game, webhooks.c.secret == webhook.secret)
                .values(**dataclasses.asdict(webhook))
            )

    async def next_due(self) -> datetime | None:
        """When the next notice is to be sent."""
        async with self._store.reading() as connection:
            due = await connection.scalar(
                select(func.min(notices.c.due)).join(webhooks, webhooks.c.game == notices.c.game)
            )
            return in_utc(due) if due is not None else None

    async def games_to_look_at(self) -> list[str]:
        """The games with a webhook of which it is not known that their end was told."""
        told = select(notices.c.game).where(notices.c.key == END)
        async with self._store.reading() as connection:
            return list(await connection.scalars(select(webhooks.c.game).where(webhooks.c.game.not_in(told))))


def _webhook(row: RowMapping) -> Webhook:
    times = {name: in_utc(row[name]) if row[name] is not None else None for name in ("tried", "again")}
    return Webhook(
        row["url"], row["secret"], row["base"], status=row["status"], failure=row["failure"], **times
    )


def _this(notice: OutboxItem) -> Update:
    return update(notices).where(notices.c.game == notice.game, notices.c.key == notice.key)
