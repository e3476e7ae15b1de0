"""Server-sent events, for pages and programs: the format of an event, and the response that streams them."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from litestar.response import Stream

from hegemon.server.tables.presence import stream_with_presence
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.table import Table

#: Seconds between the comments by which both sides notice a lost connection.
HEARTBEAT_INTERVAL: Final = 15

HEARTBEAT: Final = b": still here\n\n"


class TableSubscriber:
    """The subscriber of a table that lets a stream wait until the table changes."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._is_notified = False
        self._sleep: asyncio.Future[None] | None = None

    def notify(self) -> None:
        """Wake the stream soon: the table wakes a few streams at a time."""
        if self._sleep is not None and not self._is_notified:
            self._table.queue_wakeup(self._wake)
        self._is_notified = True

    def _wake(self) -> None:
        if self._sleep is not None and not self._sleep.done():
            self._sleep.set_result(None)

    async def sleep(self) -> None:
        """Sleep until the next notification; return at once if there has been one since the last sleep."""
        if not self._is_notified:
            self._sleep = asyncio.get_running_loop().create_future()
            try:
                await self._sleep
            finally:
                self._sleep = None
        self._is_notified = False


def event(name: str, data: str, event_id: int | None = None) -> bytes:
    id_line = f"id: {event_id}\n" if event_id is not None else ""
    return f"{id_line}event: {name}\ndata: {data}\n\n".encode()


def event_stream(
    tables: TableRegistry,
    table: Table,
    seats: Sequence[int],
    events: AsyncGenerator[bytes, None],
    *,
    program: bool = False,
    headers: Mapping[str, str] = MappingProxyType({}),
) -> Stream:
    """The response that streams the events of a table; the seats count as present while it is open."""
    return sse_response(stream_with_presence(tables, table, seats, events, program=program), headers)


def sse_response(events: AsyncIterator[bytes], headers: Mapping[str, str] = MappingProxyType({})) -> Stream:
    """A response with server-sent events, which proxies must not buffer."""
    return Stream(events, media_type="text/event-stream", headers={"X-Accel-Buffering": "no", **headers})
