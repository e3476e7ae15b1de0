"""Notifications for the webhook of a correspondence game: whose turn it is, and that the game is over.

They are derived from the state of the table, so none is lost when the server crashes: the next check derives them
again, and the outbox drops those that it has already.
"""

import asyncio
import contextlib
import json
import logging
import secrets
from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final
from weakref import WeakKeyDictionary

from babel.dates import format_datetime

from hegemon.play.events import GameEnded
from hegemon.play.serialization import result_to_dict
from hegemon.prose.narration import Narrator
from hegemon.prose.translator import Translator, get_translator, languages
from hegemon.server.db.database import ConflictError
from hegemon.server.db.outbox import END, TURN
from hegemon.server.db.schema import OutboxItem, Webhook
from hegemon.server.tables.errors import BrokenGame, TableNotFound
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.seats import shown_names
from hegemon.server.tables.table import Table
from hegemon.server.webhooks.sender import WebhookRejected, host_of, post, signed

_LOG: Final = logging.getLogger("hegemon.server")

#: The intervals between attempts to send a notification; after the last one it is given up.
RETRY_INTERVALS: Final = tuple(
    timedelta(**pause)
    for pause in (
        {"seconds": 10}, {"minutes": 1}, {"minutes": 5}, {"minutes": 30}, {"hours": 2}, {"hours": 6}, {"hours": 12},
    )
)  # fmt: skip

#: The number of notifications that are sent concurrently, in all and to one host: a slow one keeps no other waiting.
_MAX_CONCURRENT: Final = 32
_MAX_CONCURRENT_TO_HOST: Final = 4


def new_secret() -> str:
    return secrets.token_urlsafe(32)


class WebhookDispatcher:
    """Puts notifications into the outbox, and sends them until they are received or given up."""

    def __init__(self, tables: TableRegistry, *, private: bool = False) -> None:
        self._tables = tables
        self._outbox = tables.store.outbox
        self._private = private
        self._to_check: dict[str, Table] = {}
        self._put_keys: WeakKeyDictionary[Table, set[str]] = WeakKeyDictionary()
        self._lock = asyncio.Lock()
        self._wake_up = asyncio.Event()
        self._sending: dict[asyncio.Task[None], OutboxItem] = {}

    def start(self) -> None:
        self._tables.background.start("webhooks", self._run)

    async def close(self) -> None:
        """Stop; what is being sent will be sent again."""
        await self._tables.background.stop("webhooks")
        for task in self._sending:
            task.cancel()
        await asyncio.gather(*self._sending, return_exceptions=True)

    def check(self, table: Table) -> None:
        """Check a table soon: it may be another player's turn, or the game may be over."""
        if table.clock.control.is_correspondence:
            self._to_check[table.id] = table
            self._wake_up.set()

    async def load_webhook(self, table: Table) -> None:
        """Load the webhook of a table now, before a page shows it."""
        if table.clock.control.is_correspondence and table not in self._put_keys:
            async with self._lock:
                await self._fill_outbox(table)
            self._wake_up.set()

    async def set_webhook(self, table: Table, url: str, base: str) -> str:
        """Set the webhook of a table, and send it a ping; return the secret of its signatures."""
        webhook, key = Webhook(url, new_secret(), base), f"ping-{secrets.token_urlsafe(6)}"
        async with self._lock:
            await self._outbox.set_webhook(table.id, webhook)
            await self._outbox.put(table.id, {key: notification(table, webhook, key)}, self._tables.now())
            table.webhook = webhook
            self._put_keys.pop(table, None)
        self.check(table)
        table.notify()
        return webhook.secret

    async def forget_webhook(self, table: Table) -> None:
        async with self._lock:
            await self._outbox.set_webhook(table.id, None)
            table.webhook = None
        table.notify()

    # ---------------------------------------------------------------- working

    async def _run(self) -> None:
        await self._check_all()
        while True:
            now = self._tables.now()
            await self.start_sending()
            self._tables.background.works("webhooks")
            due = await self._outbox.next_due(now)
            wait = (due - self._tables.now()).total_seconds() if due is not None else None
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._wake_up.wait()

    async def _check_all(self) -> None:
        for game_id in await self._outbox.games_to_check():
            with contextlib.suppress(TableNotFound, BrokenGame):
                self.check(await self._tables.load(game_id, requested=False))

    async def work(self) -> None:
        """Fill the outbox, send everything that is due, and wait until it is sent."""
        await self.start_sending()
        while self._sending:
            await asyncio.wait(set(self._sending))
            await self.start_sending()

    async def start_sending(self) -> None:
        """Fill the outbox, and start to send what is due, as far as the receivers are not busy."""
        self._wake_up.clear()
        while self._to_check:
            _, table = self._to_check.popitem()
            try:
                async with self._lock:
                    await self._fill_outbox(table)
            except Exception:
                _LOG.exception("a notification could not be made", extra={"facts": {"game": table.id}})
        counts = Counter(host_of(item.webhook.url) for item in self._sending.values())
        ids = {item.id for item in self._sending.values()}

        def is_free(item: str, url: str) -> bool:
            if item in ids:  # its lease is over, but it is still being sent
                return False
            counts[host_of(url)] += 1
            return counts[host_of(url)] <= _MAX_CONCURRENT_TO_HOST

        free = _MAX_CONCURRENT - len(self._sending)
        for item in await self._outbox.take(self._tables.now(), free, is_free):
            task = asyncio.create_task(self._send(item))
            self._sending[task] = item
            task.add_done_callback(self._sent)

    def _sent(self, task: asyncio.Task[None]) -> None:
        del self._sending[task]
        self._wake_up.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            _LOG.error("a notification could not be sent", exc_info=error)

    async def _fill_outbox(self, table: Table) -> None:
        keys = keys_of(table)
        if self._put_keys.get(table) == set(keys):
            return
        before, table.webhook = table.webhook, await self._outbox.webhook(table.id)
        if table.webhook is not None:
            bodies = {key: notification(table, table.webhook, key, seat) for key, seat in keys.items()}
            with contextlib.suppress(ConflictError):  # another worker was first
                await self._outbox.put(table.id, bodies, self._tables.now())
        self._put_keys[table] = set(keys)
        if before != table.webhook:
            table.notify()

    async def _send(self, item: OutboxItem) -> None:
        body, now = item.body.encode(), self._tables.now()
        headers = {"Hegemon-Delivery": item.id, "Hegemon-Signature": signed(item.webhook.secret, body)}
        status, failure = None, ""
        try:
            status = await post(item.webhook.url, body, headers, private=self._private)
            failure = "" if 200 <= status < 300 else "status"
        except WebhookRejected as error:
            failure = error.key
        pause = (
            RETRY_INTERVALS[item.attempts - 1] if failure and item.attempts <= len(RETRY_INTERVALS) else None
        )
        again = now + pause if pause is not None else None
        webhook = replace(item.webhook, attempted_at=now, status=status, failure=failure, retry_at=again)
        await self._outbox.finish_attempt(item, webhook)
        self._show(item.game, webhook)

    def _show(self, game_id: str, webhook: Webhook) -> None:
        """Show the result on the page of the seats."""
        table = self._tables.get(game_id)
        if table is not None and table.webhook is not None and table.webhook.secret == webhook.secret:
            table.webhook = webhook
            table.notify()


def keys_of(table: Table) -> dict[str, int | None]:
    """The keys of a table's current notifications, each with the seat that it is about."""
    if table.game.over:
        return {END: None}
    return {
        f"{TURN}{number}-{seat + 1}": seat
        for seat, number in sorted(table.clock.turn_started.items())
        if table.seats[seat].owner is not None and table.seats[seat].player is None
    }


def notification(table: Table, webhook: Webhook, key: str, seat: int | None = None) -> str:
    """The JSON of a notification: public facts, and a sentence for people."""
    code = table.options.language
    tr = get_translator(code if code in languages() else "en")
    names = shown_names(table, tr)
    facts: dict[str, Any] = {
        "id": f"{table.id}.{key}",
        "event": key.partition("-")[0],
        "game": table.id,
        "link": f"{webhook.base_url}/games/{table.id}",
        "players": list(names),
    }
    if seat is not None:
        until = table.clock.deadline(seat)
        facts |= {"seat": seat + 1, "name": names[seat], "until": until.isoformat() if until else None}
        sentence = tr.text(
            "{name}, it’s your turn; you have until {time}.",
            name=names[seat],
            time=utc_text(until, tr),
        )
    elif key != END or (result := table.game.result) is None:
        sentence = tr.text(
            "You will be notified here when it is someone’s turn at this table: {names}.",
            names=tr.listing(list(names)),
        )
    else:
        facts["result"] = result_to_dict(result)
        sentence = Narrator(names, teams=table.game.record().teams, tr=tr).ending(GameEnded(result))
    # Chat services show `text` or `content`; a player's name must not mention a whole channel.
    sentence = f"{sentence} {facts['link']}".replace("<", "‹").replace(">", "›")
    facts |= {"text": sentence, "content": sentence, "allowed_mentions": {"parse": []}}
    return json.dumps(facts, ensure_ascii=False)


def utc_text(at: datetime | None, tr: Translator) -> str:
    return f"{format_datetime(at, 'medium', locale=tr.code)} UTC" if at is not None else "…"
