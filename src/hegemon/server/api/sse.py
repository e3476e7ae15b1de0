"""The stream of a table for programs: the events of every move, and chat messages."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable

import msgspec

from hegemon.prose.translator import Translator
from hegemon.server.api.chat import describe_message
from hegemon.server.sse import HEARTBEAT, HEARTBEAT_INTERVAL, TableSubscriber, event
from hegemon.server.tables.table import Table


class StreamSubscriber(TableSubscriber):
    """A subscriber whose stream ends when the server stops."""

    closed = False

    def close(self) -> None:
        """End the stream, because the server is stopping."""
        self.closed = True
        self.notify()


def move_event(table: Table, viewer: int, version: int) -> bytes:
    """The event of a version as a seat or a spectator sees it; viewers who see the same share it."""
    return table.cached(
        ("move", version, table.events_seen_by(viewer, version)),
        lambda: event(
            "move", json.dumps({"version": version, "events": table.event_dicts(viewer, version)}), version
        ),
    )


async def table_events(
    table: Table,
    viewer: int,
    since: int,
    tr: Translator,
    heartbeat: float = HEARTBEAT_INTERVAL,
    may_follow: Callable[[], bool] = lambda: True,
) -> AsyncGenerator[bytes, None]:
    """The events of every move after that version, as a seat sees them, until the game is over.

    Nothing is sent before every seat is taken, nor to a player who has lost the seat. New chat messages are
    interleaved without an id, so a stream that is resumed does not repeat them.
    """
    subscriber = StreamSubscriber(table)
    table.subscribers.add(subscriber)
    last_message = table.chat.last_number
    try:
        while True:
            while since < table.version and not table.is_waiting and may_follow():
                since += 1
                yield move_event(table, viewer, since)
            latest = table.chat.last_number
            is_new = latest > last_message and may_follow()
            for message in table.chat.visible_to(viewer, table.game.over) if is_new else ():
                if last_message < message.number <= latest:
                    described = describe_message(message, table.game.names, tr)
                    yield event("chat", msgspec.json.encode(described).decode())
            last_message = latest
            if table.game.over or subscriber.closed or not may_follow():
                return
            try:
                async with asyncio.timeout(heartbeat):
                    await subscriber.sleep()
            except TimeoutError:
                yield HEARTBEAT
    finally:
        table.subscribers.discard(subscriber)
