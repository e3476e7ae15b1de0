"""The stream of a page: its regions, as they change."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from datetime import datetime
from typing import Final

from hegemon.server.sse import HEARTBEAT, HEARTBEAT_INTERVAL, event
from hegemon.server.tables.table import Table

#: A reader further behind than this gets the current page only.
MAX_QUEUED: Final = 200

Regions = dict[str, str]


class Elsewhere(Exception):
    """The reader's page is another one now: a seat is lost, the game starts, there is a rematch."""

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(path)


class Subscriber:
    """A reader of a table: every entry is rendered for it at once, so that none is missed."""

    def __init__(self, render: Callable[[], Regions], version: Callable[[], int]) -> None:
        self._render = render
        self._version = version
        self._queue: asyncio.Queue[tuple[int, Regions] | Elsewhere | None] = asyncio.Queue()

    def notify(self) -> None:
        try:
            rendered: tuple[int, Regions] | Elsewhere = self._version(), self._render()
        except Elsewhere as elsewhere:
            rendered = elsewhere
        if isinstance(rendered, Elsewhere) or self._queue.qsize() >= MAX_QUEUED:
            while not self._queue.empty():  # pages of a lost seat must not be sent
                self._queue.get_nowait()
        self._queue.put_nowait(rendered)

    def close(self) -> None:
        """End the stream: the server stops."""
        self._queue.put_nowait(None)

    async def next(self) -> tuple[int, Regions] | Elsewhere | None:
        return await self._queue.get()


async def region_changes(
    table: Table,
    render: Callable[[], Regions],
    heartbeat: float = HEARTBEAT_INTERVAL,
    version: Callable[[], int] | None = None,
    now: Callable[[], datetime] | None = None,
) -> AsyncGenerator[bytes, None]:
    """All regions of a page, then those that change; where clocks are shown, with the server's time.

    The id of an event is the version of the table, unless another count is given.
    """
    subscriber = Subscriber(render, version or (lambda: table.version))
    subscriber.notify()
    sent: Regions = {}
    table.subscribers.add(subscriber)
    try:
        while True:
            try:
                rendered = await asyncio.wait_for(subscriber.next(), heartbeat)
            except TimeoutError:
                yield HEARTBEAT
                continue
            if rendered is None:
                return
            if isinstance(rendered, Elsewhere):
                yield event("go", json.dumps(rendered.path))
                return
            number, regions = rendered
            changed = {name: html for name, html in regions.items() if sent.get(name) != html}
            sent = regions
            if changed:  # an event without changes would tell that something hidden has happened
                time = {"now": str(in_milliseconds(now()))} if now else {}
                yield event("regions", json.dumps(changed | time), number)
    finally:
        table.subscribers.discard(subscriber)


def in_milliseconds(moment: datetime) -> int:
    """A time as JavaScript counts it."""
    return round(moment.timestamp() * 1000)
