"""Delivery of the items of an outbox: at least once, several at a time, and few at a time to one host."""

import asyncio
import contextlib
import logging
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final, Generic, Protocol, TypeVar

from hegemon.server.tables.errors import BrokenGame, TableNotFound
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.table import Table
from hegemon.server.webhooks.sender import host_of

_LOG: Final = logging.getLogger("hegemon.server")

#: The intervals between attempts to send an item, which is given up after the last attempt.
RETRY_INTERVALS: Final = tuple(
    timedelta(**interval)
    for interval in (
        {"seconds": 10}, {"minutes": 1}, {"minutes": 5}, {"minutes": 30}, {"hours": 2}, {"hours": 6}, {"hours": 12},
    )
)  # fmt: skip

#: The number of items sent concurrently, in total and per host, so that a slow host does not delay others.
_MAX_CONCURRENT: Final = 32
MAX_CONCURRENT_TO_HOST: Final = 4


class Item(Protocol):
    @property
    def id(self) -> str: ...

    @property
    def url(self) -> str: ...


ItemT = TypeVar("ItemT", bound=Item)


def retry_time(attempts: int, now: datetime) -> datetime | None:
    """When an item is sent again after that many attempts; None if it is given up."""
    return now + RETRY_INTERVALS[attempts - 1] if attempts <= len(RETRY_INTERVALS) else None


class Delivery(ABC, Generic[ItemT]):
    """Puts items about tables into an outbox, and sends them until they are received or given up.

    Items are derived from the state of a table, so none is lost when the server crashes: the next check derives them
    again, and the outbox ignores items that it already has. Every worker fills the outbox; one of them sends.
    """

    def __init__(self, tables: TableRegistry, name: str, *, batch_seconds: float = 0) -> None:
        self._tables = tables
        self._batch_seconds = batch_seconds
        """Seconds for which changes are collected, so that tables are checked in batches."""
        self._name = name
        self._to_check: dict[str, Table] = {}
        self._lock = asyncio.Lock()
        self._checking = asyncio.Lock()
        self._sending_lock = asyncio.Lock()
        self._has_tables = asyncio.Event()
        self._wake_up = asyncio.Event()
        self._sending: dict[asyncio.Task[None], ItemT] = {}

    @abstractmethod
    async def _games_to_check(self) -> Sequence[str]:
        """The games that may have new items when the server starts."""

    async def _with_recipients(self, tables: Sequence[Table]) -> Sequence[Table]:
        """The subset of the tables that may have items."""
        return tables

    @abstractmethod
    async def _fill_outbox(self, table: Table) -> None: ...

    @abstractmethod
    async def _take(self, limit: int, is_free: Callable[[str, str], bool]) -> Sequence[ItemT]:
        """Lease due items whose URLs are free."""

    @abstractmethod
    async def _next_due(self, after: datetime) -> datetime | None: ...

    @abstractmethod
    async def _send(self, item: ItemT) -> None: ...

    def start(self) -> None:
        self._tables.cluster.subscribe(self._name, lambda *_: self._wake_up.set())
        self._tables.background.start(self._filling_task, self._run_filling)
        self._tables.start_owned_task(self._name, self._run_sending)

    @property
    def _filling_task(self) -> str:
        """The name of the background task that fills the outbox."""
        return f"{self._name} to send"

    async def close(self) -> None:
        """Stop; items that are being sent will be sent again."""
        await self._tables.background.stop(self._filling_task)
        await self._tables.background.stop(self._name)
        for task in self._sending:
            task.cancel()
        await asyncio.gather(*self._sending, return_exceptions=True)

    def check(self, table: Table) -> None:
        """Check a table soon: it may be another player's turn, or the game may be over."""
        self._to_check[table.id] = table
        self._has_tables.set()

    async def _run_filling(self) -> None:
        while True:
            await self._has_tables.wait()
            await asyncio.sleep(self._batch_seconds)
            await self._check_tables()
            self._tables.background.report_success(self._filling_task)

    async def _check_tables(self) -> None:
        """Put the items of all tables that may have changed into the outbox, and wake the worker that sends them."""
        self._has_tables.clear()
        async with self._checking:  # a caller with nothing to check waits for a check in progress
            pending, self._to_check = self._to_check, {}
            try:
                affected = await self._with_recipients(list(pending.values()))
            except BaseException:
                self._to_check = pending | self._to_check
                raise
            for table in affected:
                try:
                    async with self._lock:
                        await self._fill_outbox(table)
                except Exception:
                    _LOG.exception("a notification could not be made", extra={"facts": {"game": table.id}})
        self._wake_up.set()
        self._tables.cluster.publish(self._name, None, self._name)

    async def _run_sending(self) -> None:
        for game_id in await self._games_to_check():
            with contextlib.suppress(TableNotFound, BrokenGame):
                self.check(await self._tables.load(game_id, requested=False))
        while True:
            now = self._tables.now()
            await self._send_due()
            self._tables.background.report_success(self._name)
            due = await self._next_due(now)
            wait = (due - self._tables.now()).total_seconds() if due is not None else None
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._wake_up.wait()

    async def work(self) -> None:
        """Fill the outbox, send everything that is due, and wait until it is sent."""
        await self.start_sending()
        while self._sending:
            await asyncio.wait(set(self._sending))
            await self.start_sending()

    async def start_sending(self) -> None:
        """Fill the outbox, and start sending due items whose receivers are not busy."""
        await self._check_tables()
        await self._send_due()

    async def _send_due(self) -> None:
        """Start sending due items whose receivers are not busy."""
        async with self._sending_lock:
            self._wake_up.clear()
            counts = Counter(host_of(item.url) for item in self._sending.values())
            ids = {item.id for item in self._sending.values()}

            def is_free(item: str, url: str) -> bool:
                if item in ids:  # still being sent, although its lease has expired
                    return False
                counts[host_of(url)] += 1
                return counts[host_of(url)] <= MAX_CONCURRENT_TO_HOST

            for item in await self._take(_MAX_CONCURRENT - len(self._sending), is_free):
                task = asyncio.create_task(self._send(item))
                self._sending[task] = item
                task.add_done_callback(self._on_sent)

    def _on_sent(self, task: asyncio.Task[None]) -> None:
        del self._sending[task]
        self._wake_up.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            _LOG.error("a notification could not be sent", exc_info=error)
