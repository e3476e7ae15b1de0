"""Notifications for the webhook of a correspondence game: whose turn it is, and that the game is over."""

import contextlib
import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from weakref import WeakKeyDictionary

from babel.dates import format_datetime

from hegemon.play.events import GameEnded
from hegemon.play.serialization import result_to_dict
from hegemon.prose.narration import Narrator
from hegemon.prose.translator import Translator, get_translator, languages
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.outbox import END, TURN
from hegemon.server.db.rows import OutboxItem, Webhook
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.seats import shown_names
from hegemon.server.tables.table import Table
from hegemon.server.webhooks.delivery import Delivery, retry_time
from hegemon.server.webhooks.sender import WebhookRejected, post, signature_header


def new_secret() -> str:
    return secrets.token_urlsafe(32)


class WebhookDispatcher(Delivery[OutboxItem]):
    def __init__(self, tables: TableRegistry, *, allow_private: bool = False) -> None:
        super().__init__(tables, "webhooks")
        self._outbox = tables.store.outbox
        self._allow_private = allow_private
        self._queued_keys: WeakKeyDictionary[Table, set[str]] = WeakKeyDictionary()

    def check(self, table: Table) -> None:
        if table.clock.control.is_correspondence:
            super().check(table)

    async def load_webhook(self, table: Table) -> None:
        """Load the webhook of a table now, before a page shows it."""
        if table.clock.control.is_correspondence and table not in self._queued_keys:
            async with self._lock:
                await self._fill_outbox(table)
            self._wake_up.set()

    def forget(self, table: Table) -> None:
        """Load the webhook of a table again when it is next needed: another worker may have changed it."""
        self._queued_keys.pop(table, None)

    async def set_webhook(self, table: Table, url: str, base_url: str) -> str:
        """Set the webhook of a table, and send it a ping; return the secret of its signatures."""
        webhook, key = Webhook(url, new_secret(), base_url), f"ping-{secrets.token_urlsafe(6)}"
        async with self._lock:
            await self._outbox.set_webhook(table.id, webhook)
            await self._outbox.put(table.id, {key: notification(table, webhook, key)}, self._tables.now())
            table.webhook = webhook
            self._queued_keys.pop(table, None)
        self.check(table)
        table.notify()
        self._tables.announce(table)
        return webhook.secret

    async def delete_webhook(self, table: Table) -> None:
        async with self._lock:
            await self._outbox.set_webhook(table.id, None)
            table.webhook = None
        table.notify()
        self._tables.announce(table)

    # ---------------------------------------------------------------- delivery

    async def _games_to_check(self) -> Sequence[str]:
        return await self._outbox.games_to_check()

    async def _take(self, limit: int, is_free: Callable[[str, str], bool]) -> Sequence[OutboxItem]:
        return await self._outbox.take(self._tables.now(), limit, is_free)

    async def _next_due(self, after: datetime) -> datetime | None:
        return await self._outbox.next_due(after)

    async def _fill_outbox(self, table: Table) -> None:
        keys = keys_of(table)
        if self._queued_keys.get(table) == set(keys):
            return
        previous, table.webhook = table.webhook, await self._outbox.webhook(table.id)
        if table.webhook is not None:
            bodies = {key: notification(table, table.webhook, key, seat) for key, seat in keys.items()}
            with contextlib.suppress(ConflictError):  # another worker has queued it first
                await self._outbox.put(table.id, bodies, self._tables.now())
        self._queued_keys[table] = set(keys)
        if previous != table.webhook:
            table.notify()

    async def _send(self, item: OutboxItem) -> None:
        body, now = item.body.encode(), self._tables.now()
        headers = {
            "Hegemon-Delivery": item.id,
            "Hegemon-Signature": signature_header(item.webhook.secret, body),
        }
        status, failure = None, ""
        try:
            status = (await post(item.webhook.url, body, headers, allow_private=self._allow_private)).status
            failure = "" if 200 <= status < 300 else "status"
        except WebhookRejected as error:
            failure = error.key
        retry_at = retry_time(item.attempts, now) if failure else None
        webhook = replace(item.webhook, attempted_at=now, status=status, failure=failure, retry_at=retry_at)
        await self._outbox.finish_attempt(item, webhook)
        self._show(item.game, webhook)

    def _show(self, game_id: str, webhook: Webhook) -> None:
        """Show the result of an attempt on the seats page."""
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
        if table.seats[seat].owner is not None and table.seats[seat].acting_bot is None
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
