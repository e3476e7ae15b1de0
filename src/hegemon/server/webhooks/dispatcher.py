"""The postman: tells the webhook of a table when somebody is asked in a game of days, and when the game is over.

What is to be told is found out from the table itself, so nothing is lost when the server falls: whoever looks at the
table next finds it out again, and a notice that is kept already is not told anew.
"""

import asyncio
import contextlib
import json
import logging
import secrets
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
from hegemon.server.tables.errors import TableNotFound
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.table import Table
from hegemon.server.webhooks.sender import WebhookRejected, post, signed

_LOG: Final = logging.getLogger("hegemon.server")

#: A notice that could not be told is told again after so long, each time later; then it is given up.
PAUSES: Final = tuple(
    timedelta(**pause)
    for pause in (
        {"seconds": 10}, {"minutes": 1}, {"minutes": 5}, {"minutes": 30}, {"hours": 2}, {"hours": 6}, {"hours": 12},
    )
)  # fmt: skip

#: So many notices are on their way at a time.
_AT_ONCE: Final = 8

#: After a mistake of ours the postman rests for so long.
_REST_SECONDS: Final = 30


def new_secret() -> str:
    """A secret to sign notices with."""
    return secrets.token_urlsafe(32)


class WebhookDispatcher:
    """Finds out what is to be told, and tells it until somebody has heard it."""

    def __init__(self, tables: TableRegistry, *, private: bool = False) -> None:
        self._tables = tables
        self._outbox = tables.store.outbox
        self._private = private
        self._to_look_at: dict[str, Table] = {}
        self._found_out: WeakKeyDictionary[Table, set[str]] = WeakKeyDictionary()
        self._changing = asyncio.Lock()
        self._woken = asyncio.Event()
        self._working: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Look at every table where something may have happened while nobody looked, and work from then on."""
        self._working = asyncio.create_task(self._work_on())

    async def close(self) -> None:
        """Stop; what is on its way will be told again."""
        if self._working is not None:
            self._working.cancel()
            await asyncio.gather(self._working, return_exceptions=True)

    def look_at(self, table: Table) -> None:
        """Somebody may be asked anew at a table, or its game may be over."""
        if table.clock.control.is_correspondence:
            self._to_look_at[table.id] = table
            self._woken.set()

    async def know(self, table: Table) -> None:
        """Find out at once where a table's notices go, before somebody is told."""
        if table.clock.control.is_correspondence and table not in self._found_out:
            async with self._changing:
                await self._find_out(table)
            self._woken.set()

    async def set_webhook(self, table: Table, url: str, base: str) -> str:
        """Tell that address from now on, and at once that it will be told; says by which secret."""
        webhook, key = Webhook(url, new_secret(), base), f"ping-{secrets.token_urlsafe(6)}"
        async with self._changing:
            await self._outbox.set_webhook(table.id, webhook)
            await self._outbox.put(table.id, {key: told(table, webhook, key)}, self._tables.now())
            table.webhook = webhook
            self._found_out.pop(table, None)
        self.look_at(table)
        table.notify()
        return webhook.secret

    async def forget_webhook(self, table: Table) -> None:
        """Tell nobody any longer."""
        async with self._changing:
            await self._outbox.set_webhook(table.id, None)
            table.webhook = None
        table.notify()

    # ---------------------------------------------------------------- working

    async def _work_on(self) -> None:
        first = True
        while True:
            wait: float | None = _REST_SECONDS
            try:
                if first:
                    await self._find_tables()
                    first = False
                await self.work()
                due = await self._outbox.next_due()
                wait = (due - self._tables.now()).total_seconds() if due is not None else None
            except Exception:
                _LOG.exception("notices could not be told")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), wait)

    async def _find_tables(self) -> None:
        for game_id in await self._outbox.games_to_check():
            with contextlib.suppress(TableNotFound):
                self.look_at(await self._tables.load(game_id))

    async def work(self) -> None:
        """Find out what is to be told, and tell everything whose time has come."""
        self._woken.clear()
        while self._to_look_at:
            _, table = self._to_look_at.popitem()
            async with self._changing:
                await self._find_out(table)
        while taken := await self._outbox.take(self._tables.now(), _AT_ONCE):
            await asyncio.gather(*(self._tell(notice) for notice in taken))

    async def _find_out(self, table: Table) -> None:
        keys = keys_of(table)
        if self._found_out.get(table) == set(keys):
            return
        before, table.webhook = table.webhook, await self._outbox.webhook(table.id)
        if table.webhook is not None:
            bodies = {key: told(table, table.webhook, key, seat) for key, seat in keys.items()}
            with contextlib.suppress(ConflictError):  # another worker has found it out too
                await self._outbox.put(table.id, bodies, self._tables.now())
        self._found_out[table] = set(keys)
        if before != table.webhook:
            table.notify()

    async def _tell(self, notice: OutboxItem) -> None:
        body, now = notice.body.encode(), self._tables.now()
        headers = {"Hegemon-Delivery": notice.id, "Hegemon-Signature": signed(notice.webhook.secret, body)}
        status, failure = None, ""
        try:
            status = await post(notice.webhook.url, body, headers, private=self._private)
            failure = "" if 200 <= status < 300 else "status"
        except WebhookRejected as error:
            failure = error.key
        pause = PAUSES[notice.attempts - 1] if failure and notice.attempts <= len(PAUSES) else None
        again = now + pause if pause is not None else None
        webhook = replace(notice.webhook, attempted_at=now, status=status, failure=failure, retry_at=again)
        await self._outbox.finish_attempt(notice, webhook)
        self._show(notice.game, webhook)

    def _show(self, game_id: str, webhook: Webhook) -> None:
        """Let whoever looks at the seats see how it went."""
        table = self._tables.get(game_id)
        if table is not None and table.webhook is not None and table.webhook.secret == webhook.secret:
            table.webhook = webhook
            table.notify()


# ------------------------------------------------------------------ what is told


def keys_of(table: Table) -> dict[str, int | None]:
    """What is to be told of a table now, by the keys of the notices, each with the seat that it is about."""
    if table.game.over:
        return {END: None}
    return {
        f"{TURN}{number}-{seat + 1}": seat
        for seat, number in sorted(table.clock.turn_started.items())
        if table.seats[seat].owner is not None and table.seats[seat].player is None
    }


def told(table: Table, webhook: Webhook, key: str, seat: int | None = None) -> str:
    """A notice as it is posted: what everybody at the table knows, and a sentence for people."""
    code = table.options.language
    tr = get_translator(code if code in languages() else "en")
    names = table.game.names
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
            "{name}, it is your turn; there is time until {time}.",
            name=names[seat],
            time=moment(until, tr),
        )
    elif key != END or (result := table.game.result) is None:
        sentence = tr.text(
            "Here you will be told when somebody at this table has to move: {names}.",
            names=tr.listing(list(names)),
        )
    else:
        facts["result"] = result_to_dict(result)
        sentence = Narrator(names, teams=table.game.record().teams, tr=tr).ending(GameEnded(result))
    # Chats show `text` or `content`; a name must not call everybody there.
    sentence = f"{sentence} {facts['link']}".replace("<", "‹").replace(">", "›")
    facts |= {"text": sentence, "content": sentence, "allowed_mentions": {"parse": []}}
    return json.dumps(facts, ensure_ascii=False)


def moment(at: datetime | None, tr: Translator) -> str:
    """A time of the server, which is in UTC."""
    return f"{format_datetime(at, 'medium', locale=tr.code)} UTC" if at is not None else "…"
