"""Streams: whoever watches a table is sent what changes, entry by entry, as server-sent events.

A page is sent its regions as they change, a program the facts.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from datetime import datetime
from typing import Final

import msgspec

from hegemon.prose.translator import Translator
from hegemon.server.tables.chat import spoken
from hegemon.server.tables.registry import Table

#: A comment is sent so often, so that a lost connection is noticed on both sides.
HEARTBEAT_SECONDS: Final = 15

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
    heartbeat: float = HEARTBEAT_SECONDS,
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
                yield b": still here\n\n"
                continue
            if drawn is None:
                return
            if isinstance(drawn, Elsewhere):
                yield f"event: go\ndata: {json.dumps(drawn.path)}\n\n".encode()
                return
            version, regions = drawn
            changed = {name: html for name, html in regions.items() if sent.get(name) != html}
            sent = regions
            if changed:  # what others were told, and not this reader, does not even make a sound
                yield message(version, changed | ({"now": str(in_milliseconds(now()))} if now else {}))
    finally:
        table.subscribers.discard(listener)


def message(version: int, regions: Regions) -> bytes:
    """One event of the stream: its number, by which a reader that was cut off can tell what it has, and the regions."""
    return f"id: {version}\nevent: regions\ndata: {json.dumps(regions)}\n\n".encode()


def in_milliseconds(moment: datetime) -> int:
    """A time as scripts count it."""
    return round(moment.timestamp() * 1000)


class Follower:
    """A program that follows a table; it asks for the facts itself when it is woken."""

    def __init__(self) -> None:
        self._woken = asyncio.Event()
        self.left = False

    def notify(self) -> None:
        """Something has been said."""
        self._woken.set()

    def close(self) -> None:
        """There will be no more to see: the server stops."""
        self.left = True
        self._woken.set()

    async def wait(self) -> None:
        """Until something has been said, or there will be no more."""
        await self._woken.wait()
        self._woken.clear()


async def news(
    table: Table,
    viewer: int,
    since: int,
    tr: Translator,
    heartbeat: float = HEARTBEAT_SECONDS,
    still_there: Callable[[], bool] = lambda: True,
) -> AsyncGenerator[bytes, None]:
    """What every entry after that number did, as a seat saw it, until the game is over or the reader goes away.

    Nothing is told before everybody has sat down, nor to somebody who has lost the seat. In between comes what is said
    besides the game, from now on; it has no number of its own to come back to.
    """
    follower = Follower()
    table.subscribers.add(follower)
    heard = table.chat.last
    try:
        while True:
            while since < table.version and not table.is_waiting and still_there():
                since += 1
                facts = {"version": since, "events": table.happened(viewer, since)}
                yield f"id: {since}\nevent: move\ndata: {json.dumps(facts)}\n\n".encode()
            for line in table.chat.visible_to(viewer, table.game.over) if still_there() else ():
                if line.number > heard:
                    told = msgspec.json.encode(spoken(line, table.game.names, tr)).decode()
                    yield f"event: chat\ndata: {told}\n\n".encode()
            heard = table.chat.last
            if table.game.over or follower.left or not still_there():
                return
            try:
                await asyncio.wait_for(follower.wait(), heartbeat)
            except TimeoutError:
                yield b": still here\n\n"
    finally:
        table.subscribers.discard(follower)
