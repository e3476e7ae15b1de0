"""Notices to the devices of players: one for each turn, perhaps a reminder, withdrawn when the turn is over.

There are no separate notices for the rounds of a tournament: players are notified when each game begins.
"""

import contextlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final
from weakref import WeakKeyDictionary

from cryptography.hazmat.primitives.asymmetric import ec

from hegemon.prose.translator import get_translator, languages
from hegemon.server.db.rows import SeatRow
from hegemon.server.db.subscriptions import DesiredNotice, PushItem, Subscription
from hegemon.server.push.encryption import (
    authorization,
    encrypt,
    new_private_key,
    public_bytes,
    read_private_key,
    to_base64,
)
from hegemon.server.push.notices import (
    REMINDER,
    Notice,
    due_at,
    lifetime,
    next_reminder,
    notice_for,
    notices_of,
    payload,
)
from hegemon.server.security.tokens import derived_token
from hegemon.server.tables.errors import BrokenGame, TableNotFound
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.scheduler import Scheduler
from hegemon.server.tables.table import Table
from hegemon.server.tables.vacations import correspondence_games
from hegemon.server.webhooks.delivery import RETRY_INTERVALS, Delivery, retry_time
from hegemon.server.webhooks.sender import WebhookRejected, WebhookResponse, post

REMINDERS: Final = "reminders"

#: Games that have not changed for longer than this are not checked at startup.
_MAX_AGE: Final = timedelta(days=60)

#: The statuses with which a push service reports that a device is no longer subscribed.
_GONE: Final = (404, 410)

#: The client errors after which the same request may succeed later.
_RETRYABLE: Final = (408, 425, 429)

#: The maximum length of a topic (RFC 8030).
_MAX_TOPIC_LENGTH: Final = 32

#: Seconds for which moves are collected, so that devices are not notified of turns that end immediately.
_BATCH_SECONDS: Final = 0.5

#: The notices that apply at a table, each with its owner, and the time of the next reminder.
State = tuple[frozenset[tuple[str, Notice]], datetime | None]

#: The state of a table that determines its notices, apart from the time: version, seats, and whether it is closed.
Facts = tuple[int, tuple[SeatRow, ...], bool]


class PushDispatcher(Delivery[PushItem]):
    """Keeps the notices on the devices of players up to date with the tables."""

    def __init__(self, tables: TableRegistry, *, allow_private: bool = False) -> None:
        super().__init__(tables, "notices", batch_seconds=_BATCH_SECONDS)
        self._store = tables.store.subscriptions
        self._allow_private = allow_private
        self._reminders = Scheduler(lambda: tables.now())
        self._checked: WeakKeyDictionary[Table, State] = WeakKeyDictionary()
        """The last checked state of tables with devices that are notified."""
        self._without_devices: WeakKeyDictionary[Table, Facts] = WeakKeyDictionary()
        """The last checked state of tables without such devices."""
        self._may_be_signed_out = True
        self._secret = ""
        self._key: ec.EllipticCurvePrivateKey | None = None

    def start(self) -> None:
        super().start()
        self._tables.background.start(REMINDERS, self._run_reminders)

    async def close(self) -> None:
        await self._tables.background.stop(REMINDERS)
        await super().close()

    async def private_key(self) -> ec.EllipticCurvePrivateKey:
        """The private key of this server, created on first use and stored in the database."""
        if self._key is None:
            self._secret = await self._store.private_key(new_private_key())
            self._key = read_private_key(self._secret)
        return self._key

    async def public_key(self) -> str:
        """The public key of this server, with which browsers subscribe."""
        return to_base64(public_bytes(await self.private_key()))

    def check(self, table: Table) -> None:
        """Check a table if its notices have changed; most moves change none."""
        if self._without_devices.get(table) == _facts(table):
            return
        if table not in self._checked or self._checked[table] != self._state(table):
            super().check(table)

    def _state(self, table: Table) -> State:
        now = self._tables.now()
        notices = frozenset(
            (owner, notice) for owner in owners_of(table) for notice in notices_of(table, owner, now)
        )
        return notices, next_reminder(table, now)

    async def check_owner(self, owner: str) -> None:
        """Check the tables of a person whose notices or devices have changed."""
        for game_id in await correspondence_games(self._tables, owner):
            with contextlib.suppress(TableNotFound, BrokenGame):
                await self._tables.load(game_id, requested=False)
        for table in self._tables.with_seat_of(owner):
            self._forget(table)
            self.check(table)

    def _forget(self, table: Table) -> None:
        self._checked.pop(table, None)
        self._without_devices.pop(table, None)

    def check_devices(self) -> None:
        """Schedule the withdrawal of notices from devices that were signed out."""
        self._may_be_signed_out = True
        self._wake_up.set()

    async def remind(self) -> None:
        """Check the tables at which a reminder is due."""
        await self._reminders.run_due(self._remind)

    async def _run_reminders(self) -> None:
        self._tables.background.report_success(REMINDERS)
        await self._reminders.run(self._remind)

    async def _remind(self, game_id: str) -> None:
        if self._tables.cluster.owns(game_id):
            with contextlib.suppress(TableNotFound, BrokenGame):
                self.check(await self._tables.load(game_id, requested=False))

    # ---------------------------------------------------------------- delivery

    async def _games_to_check(self) -> Sequence[str]:
        await self.private_key()
        return await self._store.games_to_check(self._tables.now() - _MAX_AGE)

    async def _take(self, limit: int, is_free: Callable[[str, str], bool]) -> Sequence[PushItem]:
        if self._may_be_signed_out:
            self._may_be_signed_out = False
            await self._store.forget_signed_out(self._tables.now())
        return await self._store.take(self._tables.now(), limit, is_free)

    async def _next_due(self, after: datetime) -> datetime | None:
        return await self._store.next_due(after)

    async def _with_recipients(self, tables: Sequence[Table]) -> Sequence[Table]:
        """The tables about which some device is notified; usually there are none, which takes one query."""
        facts = {table: _facts(table) for table in tables}
        notified = await self._store.with_recipients({table.id: owners_of(table) for table in tables})
        for table in tables:
            if table.id not in notified:
                self._reminders.schedule(table.id, None)
                self._forget(table)
                self._without_devices[table] = facts[table]
        return [table for table in tables if table.id in notified]

    async def _fill_outbox(self, table: Table) -> None:
        state, owners, now = self._state(table), owners_of(table), self._tables.now()
        devices = await self._store.of(owners)
        desired = {device.id: self._desired_notice(table, device, now) for device in devices}
        await self._store.put(table.id, desired, now)
        wants_reminder = any(REMINDER in device.kinds for device in devices)
        self._reminders.schedule(table.id, next_reminder(table, now) if wants_reminder else None)
        self._checked[table] = state

    @staticmethod
    def _desired_notice(table: Table, device: Subscription, now: datetime) -> DesiredNotice:
        notice = notice_for(table, device.owner, device.kinds, now)
        if notice is None:
            return DesiredNotice()
        return DesiredNotice(notice.key, due_at(table, notice, device.chosen_at, now))

    async def _send(self, item: PushItem) -> None:
        """Send a notice, if it still applies, or withdraw one."""
        now, device, retry_at, is_accepted = self._tables.now(), item.subscription, None, False
        with contextlib.suppress(TableNotFound, BrokenGame):
            table = await self._tables.load(item.game, requested=False)
            notice = notice_for(table, device.owner, device.kinds, now) if item.signed_in else None
            if (notice.key if notice is not None else "") == item.key:
                response = await self._post(device, table, notice, now)
                is_accepted = 200 <= response.status < 300
                if response.status in _GONE:
                    await self._store.delete(device.owner, device.id)
                elif not is_accepted:
                    retry_at = next_attempt(response, item.attempts, now)
        await self._store.finish_attempt(item, retry_at, withdrawn=is_accepted and not item.key)
        if not item.signed_in:
            self.check_devices()

    async def _post(
        self, device: Subscription, table: Table, notice: Notice | None, now: datetime
    ) -> WebhookResponse:
        """Send a notice, and return the response of the push service, with status 0 if there was none."""
        tr = get_translator(device.language if device.language in languages() else "en")
        key = await self.private_key()
        secure = device.base_url.startswith("https:")
        headers = {
            "Content-Type": "application/octet-stream",
            "Content-Encoding": "aes128gcm",
            "TTL": str(lifetime(table, notice, now)),
            "Urgency": "high" if notice is not None else "normal",
            # One topic per game: the push service then replaces a notice that it has not delivered yet.
            "Topic": derived_token(self._secret, table.id)[:_MAX_TOPIC_LENGTH],
            # The real time of day: the push service compares it with its own clock, not with that of the tables.
            "Authorization": authorization(
                key,
                device.endpoint,
                device.base_url if secure else "mailto:hegemon@localhost",
                datetime.now(UTC),
            ),
        }
        body = encrypt(payload(table, notice, tr).encode(), device.public_key, device.secret)
        try:
            return await post(device.endpoint, body, headers, allow_private=self._allow_private)
        except WebhookRejected:
            return WebhookResponse(0)


def owners_of(table: Table) -> set[str]:
    return {row.owner for row in table.seats if row.owner is not None}


def _facts(table: Table) -> Facts:
    return table.version, table.seats, table.closed


def next_attempt(response: WebhookResponse, attempts: int, now: datetime) -> datetime | None:
    """When to retry a notice that a push service has not accepted; None if a retry would not help."""
    retry_at = retry_time(attempts, now)
    if retry_at is None or (400 <= response.status < 500 and response.status not in _RETRYABLE):
        return None
    retry_after = timedelta(seconds=min(response.retry_after, RETRY_INTERVALS[-1].total_seconds()))
    return max(retry_at, now + retry_after)
