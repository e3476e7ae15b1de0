"""Server-sent events, for pages and programs: the format of an event, and the response that streams them."""

from collections.abc import AsyncGenerator, Sequence
from typing import Final

from litestar.response import Stream

from hegemon.server.tables.presence import present
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.table import Table

#: Seconds between the comments that let both sides notice a lost connection.
HEARTBEAT_INTERVAL: Final = 15

HEARTBEAT: Final = b": still here\n\n"


def event(name: str, data: str, event_id: int | None = None) -> bytes:
    number = f"id: {event_id}\n" if event_id is not None else ""
    return f"{number}event: {name}\ndata: {data}\n\n".encode()


def event_stream(
    tables: TableRegistry,
    table: Table,
    seats: Sequence[int],
    events: AsyncGenerator[bytes, None],
    *,
    program: bool = False,
) -> Stream:
    """The response that streams the events of a table; those seats are present meanwhile."""
    return Stream(
        present(tables, table, seats, events, program=program),
        media_type="text/event-stream",
        headers={"X-Accel-Buffering": "no"},
    )
