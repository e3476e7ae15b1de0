"""The stream of a page: its regions, as they change."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from datetime import datetime
from typing import Any, Final

from litestar import Request
from litestar.response import Stream

from hegemon.server.identity.requests import session_in
from hegemon.server.sse import HEARTBEAT, HEARTBEAT_INTERVAL, TableSubscriber, event, event_stream
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.table import Table
from hegemon.server.web.encoding import PlainStream, encoding_for

#: A reader who is further behind than this gets only the current page.
MAX_QUEUED: Final = 200

Regions = dict[str, str]


class StreamRedirect(Exception):
    """The reader has to go to another page: a seat is lost, the game starts, there is a rematch."""

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(path)


class RegionSubscriber(TableSubscriber):
    """A reader of a table, for whom every version is rendered immediately, so that none is missed."""

    def __init__(self, table: Table, render: Callable[[], Regions], version: Callable[[], int]) -> None:
        super().__init__(table)
        self._render = render
        self._version = version
        self.queue: deque[tuple[int, Regions] | StreamRedirect | None] = deque()

    def redirect(self, path: str) -> None:
        """End the stream, and send the reader to another page."""
        self.queue.clear()  # pages of a lost seat must not be sent
        self.queue.append(StreamRedirect(path))
        super().notify()

    def notify(self) -> None:
        if self.queue and isinstance(self.queue[-1], StreamRedirect):
            return
        try:
            if self._table.closed:
                raise StreamRedirect(f"/games/{self._table.id}")
            rendered = self._version(), self._render()
        except StreamRedirect as redirect:
            self.redirect(redirect.path)
            return
        if len(self.queue) >= MAX_QUEUED:
            self.queue.clear()
        self.queue.append(rendered)
        super().notify()

    def close(self) -> None:
        """End the stream, because the server is stopping."""
        self.queue.append(None)
        super().notify()

    async def next(self) -> tuple[int, Regions] | StreamRedirect | None:
        while not self.queue:
            await self.sleep()
        return self.queue.popleft()


def region_stream(
    request: Request[Any, Any, Any],
    tables: TableRegistry,
    table: Table,
    seats: Sequence[int],
    render: Callable[[], Regions],
    version: Callable[[], int] | None = None,
    now: Callable[[], datetime] | None = None,
) -> Stream:
    """The response that streams the regions of a page, compressed if the browser accepts that."""
    encoding = encoding_for(request.headers.get("accept-encoding", ""))
    session = session_in(request)

    def opened(stream: RegionSubscriber) -> None:
        if session is not None:
            tables.people.session_streams.add(stream, session.id)

    changes = region_changes(table, render, version=version, now=now, encoding=encoding, opened=opened)
    return event_stream(tables, table, seats, changes, headers=encoding.headers)


async def region_changes(
    table: Table,
    render: Callable[[], Regions],
    heartbeat: float = HEARTBEAT_INTERVAL,
    version: Callable[[], int] | None = None,
    now: Callable[[], datetime] | None = None,
    encoding: PlainStream | None = None,
    opened: Callable[[RegionSubscriber], None] | None = None,
) -> AsyncGenerator[bytes, None]:
    """All regions of a page, then those that change; where clocks are shown, with the server's time.

    The id of an event is the version of the table, unless another count is given. Readers who are given the same
    regions, one after the other, share the event that is made of them.
    """
    encoding = encoding or PlainStream()
    subscriber = RegionSubscriber(table, render, version or (lambda: table.version))
    subscriber.notify()
    sent: Regions = {}
    table.subscribers.add(subscriber)
    try:
        if opened is not None:
            opened(subscriber)
        while True:
            try:
                async with asyncio.timeout(heartbeat):
                    rendered = await subscriber.next()
            except TimeoutError:
                yield encoding.encode(HEARTBEAT)
                continue
            if rendered is None:
                break
            if isinstance(rendered, StreamRedirect):
                yield encoding.encode(event("go", json.dumps(rendered.path)))
                break
            number, regions = rendered
            body = _changes(table, sent, regions, number) if sent is not regions else b""
            sent = regions
            if body:  # an event without changes would reveal that something hidden has happened
                yield encoding.encode(body, _time(now) + b"}\n\n")
        if end := encoding.end():
            yield end
    finally:
        table.subscribers.discard(subscriber)


def _changes(table: Table, before: Regions, after: Regions, number: int) -> bytes:
    """The event with the changed regions, up to its closing brace; empty if nothing has changed."""

    def encoded() -> tuple[Regions, Regions, bytes]:
        changed = {name: html for name, html in after.items() if before.get(name) != html}
        body = event("regions", json.dumps(changed), number)[: -len(b"}\n\n")] if changed else b""
        return before, after, body  # kept alive, because their identities are the key

    if not before:
        return encoded()[2]
    return table.cached((id(before), id(after), number), encoded)[2]


def _time(now: Callable[[], datetime] | None) -> bytes:
    return b', "now": "%d"' % in_milliseconds(now()) if now is not None else b""


def in_milliseconds(moment: datetime) -> int:
    """A time in milliseconds since the epoch, as in JavaScript."""
    return round(moment.timestamp() * 1000)
