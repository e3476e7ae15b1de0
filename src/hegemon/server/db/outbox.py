"""Webhooks and the outbox of notifications that wait to be sent.

The key of a notification identifies the event that it is about, so it exists only once, even if several workers
detect the event. It stays in the outbox after it has been sent, without a due time.
"""

import dataclasses
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from itertools import islice
from typing import Final

from sqlalchemy import RowMapping, Update, delete, func, insert, select, tuple_, update

from hegemon.server.db.database import Database
from hegemon.server.db.rows import OutboxItem, Webhook, in_utc_or_none
from hegemon.server.db.schema import outbox, webhooks

#: The prefix of the keys of notifications about a turn.
TURN: Final = "turn-"

#: The key of the notification that the game is over.
END: Final = "end"

#: How long a worker has to send a notification that it has taken, before others may take it.
_LEASE_TIME: Final = timedelta(minutes=2)

#: The maximum number of due notifications that are searched for free URLs.
_MAX_CANDIDATES: Final = 1_000


class Outbox:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def webhook(self, game_id: str) -> Webhook | None:
        async with self._database.reading() as connection:
            row = (await connection.execute(select(webhooks).where(webhooks.c.game == game_id))).one_or_none()
            return _webhook(row._mapping) if row is not None else None

    async def set_webhook(self, game_id: str, webhook: Webhook | None) -> None:
        """Replace the webhook of a table, and empty its outbox."""
        async with self._database.writing() as connection:
            await connection.execute(delete(webhooks).where(webhooks.c.game == game_id))
            await connection.execute(delete(outbox).where(outbox.c.game == game_id))
            if webhook is not None:
                await connection.execute(insert(webhooks).values(game=game_id, **dataclasses.asdict(webhook)))

    async def copy_webhook(self, game_id: str, next_game: str) -> None:
        webhook = await self.webhook(game_id)
        if webhook is not None:
            await self.set_webhook(next_game, Webhook(webhook.url, webhook.secret, webhook.base_url))

    async def put(self, game_id: str, bodies: Mapping[str, str], now: datetime) -> None:
        """Add the notifications whose keys are new, and drop unsent ones about turns that are over."""
        async with self._database.writing() as connection:
            known = set(await connection.scalars(select(outbox.c.key).where(outbox.c.game == game_id)))
            await connection.execute(
                delete(outbox).where(
                    outbox.c.game == game_id,
                    outbox.c.due_at.is_not(None),
                    outbox.c.key.startswith(TURN),
                    outbox.c.key.not_in(bodies),
                )
            )
            fresh = [
                {"game": game_id, "key": key, "body": body, "attempts": 0, "due_at": now}
                for key, body in bodies.items()
                if key not in known
            ]
            if fresh:
                await connection.execute(insert(outbox), fresh)

    async def take(
        self, now: datetime, limit: int, is_free: Callable[[str, str], bool] = lambda item, url: True
    ) -> list[OutboxItem]:
        """Lease the due notifications whose URLs are free.

        Those with the fewest attempts come first, then the oldest. Several workers never take the same one: each is
        locked before it is taken, and skipped if another worker has locked or taken it.
        """
        async with self._database.writing() as connection:
            found = await connection.execute(
                select(outbox, *(column for column in webhooks.c if column.name != "game"))
                .join(webhooks, webhooks.c.game == outbox.c.game)
                .where(outbox.c.due_at <= now)
                .order_by(outbox.c.attempts, outbox.c.due_at)
                .limit(_MAX_CANDIDATES)
            )
            free = (row for row in found if is_free(f"{row.game}.{row.key}", row.url))
            items = [
                OutboxItem(row.game, row.key, row.body, row.attempts + 1, _webhook(row._mapping))
                for row in islice(free, limit)
            ]
            if not items:
                return []
            identity = tuple_(outbox.c.game, outbox.c.key)
            locked = await connection.execute(
                select(outbox.c.game, outbox.c.key)
                .where(identity.in_([(item.game, item.key) for item in items]), outbox.c.due_at <= now)
                .with_for_update(skip_locked=True)
            )
            own = {tuple(row) for row in locked}
            taken = [item for item in items if (item.game, item.key) in own]
            for item in taken:
                await connection.execute(
                    _update(item).values(attempts=item.attempts, due_at=now + _LEASE_TIME)
                )
            return taken

    async def finish_attempt(self, item: OutboxItem, webhook: Webhook) -> None:
        """Save how an attempt went; the notification is due again at `webhook.retry_at`, if at all."""
        async with self._database.writing() as connection:
            await connection.execute(_update(item).values(due_at=webhook.retry_at))
            await connection.execute(
                update(webhooks)
                .where(webhooks.c.game == item.game, webhooks.c.secret == webhook.secret)
                .values(**dataclasses.asdict(webhook))
            )

    async def next_due(self, after: datetime) -> datetime | None:
        """When the next notification is due after that time."""
        async with self._database.reading() as connection:
            return in_utc_or_none(
                await connection.scalar(
                    select(func.min(outbox.c.due_at))
                    .join(webhooks, webhooks.c.game == outbox.c.game)
                    .where(outbox.c.due_at > after)
                )
            )

    async def games_to_check(self) -> list[str]:
        """The games with a webhook that have no notification of their end in the outbox yet."""
        ended = select(outbox.c.game).where(outbox.c.key == END)
        async with self._database.reading() as connection:
            return list(
                await connection.scalars(select(webhooks.c.game).where(webhooks.c.game.not_in(ended)))
            )


def _webhook(row: RowMapping) -> Webhook:
    return Webhook(
        row["url"],
        row["secret"],
        row["base_url"],
        in_utc_or_none(row["attempted_at"]),
        row["status"],
        row["failure"],
        in_utc_or_none(row["retry_at"]),
    )


def _update(item: OutboxItem) -> Update:
    return update(outbox).where(outbox.c.game == item.game, outbox.c.key == item.key)
