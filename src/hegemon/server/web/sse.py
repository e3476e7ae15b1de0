"""The stream of a page: its regions, as they change."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from datetime import datetime
from typing import Final

from hegemon.server.sse import HEARTBEAT, HEARTBEAT_INTERVAL, event
from hegemon.server.tables.registry import Table

#: A reader who is so many entries behind is shown the table as it is.
_MOST_WAITING: Final = 200

Regions = dict[str, str]


class Elsewhere(Exception):
    """The reader's place is elsewhere now: a seat is lost, a game begins, the next one has been laid."""

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(path)


class Subscriber:
    """Somebody who watches a table: the page is drawn for this reader at every entry, so that none is missed."""

    def __init__(self, render: Callable[[], Regions], count: Callable[[], int]) -> None:
        self._render = render
        self._count = count
        self._drawn: asyncio.Queue[tuple[int, Regions] | Elsewhere | None] = asyncio.Queue()

    def notify(self) -> None:
        """Draw the page as it is now, for the reader to take when there is time."""
        try:
            drawn: tuple[int, Regions] | Elsewhere = self._count(), self._render()
        except Elsewhere as elsewhere:
            drawn = elsewhere
        if isinstance(drawn, Elsewhere) or self._drawn.qsize() >= _MOST_WAITING:
            while not self._drawn.empty():  # what was drawn for a seat is not for whoever has lost it
                self._drawn.get_nowait()
        self._drawn.put_nowait(drawn)

    def close(self) -> None:
        """There will be no more to see: the server stops."""
        self._drawn.put_nowait(None)

    async def next(self) -> tuple[int, Regions] | Elsewhere | None:
        """The next page that was drawn, or where to go instead; None if there will be no more."""
        return await self._drawn.get()


async def changes(
    table: Table,
    render: Callable[[], Regions],
    heartbeat: float = HEARTBEAT_INTERVAL,
    count: Callable[[], int] | None = None,
    now: Callable[[], datetime] | None = None,
) -> AsyncGenerator[bytes, None]:
    """The regions of the page, first all of them, then those that change, until the reader goes away.

    Every event is numbered: by the entries that were made, unless something else is counted. Where clocks are shown,
    it says what time it is here: nobody's own clock need be right.
    """
    listener = Subscriber(render, count or (lambda: table.version))
    listener.notify()
    sent: Regions = {}
    table.subscribers.add(listener)
    try:
        while True:
            try:
                drawn = await asyncio.wait_for(listener.next(), heartbeat)
            except TimeoutError:
                yield HEARTBEAT
                continue
            if drawn is None:
                return
            if isinstance(drawn, Elsewhere):
                yield event("go", json.dumps(drawn.path))
                return
            version, regions = drawn
            changed = {name: html for name, html in regions.items() if sent.get(name) != html}
            sent = regions
            if changed:  # what others were told, and not this reader, does not even make a sound
                clock = {"now": str(in_milliseconds(now()))} if now else {}
                yield event("regions", json.dumps(changed | clock), version)
    finally:
        table.subscribers.discard(listener)


def in_milliseconds(moment: datetime) -> int:
    """A time as scripts count it."""
    return round(moment.timestamp() * 1000)
