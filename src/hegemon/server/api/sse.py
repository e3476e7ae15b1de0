"""The stream of a table for programs: the events of every move, and chat messages."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable

import msgspec

from hegemon.prose.translator import Translator
from hegemon.server.api.chat import describe_message
from hegemon.server.sse import HEARTBEAT, HEARTBEAT_INTERVAL, event
from hegemon.server.tables.table import Table


class StreamSubscriber:
    """A subscriber of a table that wakes its stream."""

    def __init__(self) -> None:
        self._woken = asyncio.Event()
        self.closed = False

    def notify(self) -> None:
        self._woken.set()

    def close(self) -> None:
        """End the stream: the server stops."""
        self.closed = True
        self._woken.set()

    async def wait(self) -> None:
        await self._woken.wait()
        self._woken.clear()


async def table_events(
    table: Table,
    viewer: int,
    since: int,
    tr: Translator,
    heartbeat: float = HEARTBEAT_INTERVAL,
    may_follow: Callable[[], bool] = lambda: True,
) -> AsyncGenerator[bytes, None]:
    """The events of every move after that version, as a seat sees them, until the game is over.

    Nothing is sent before every seat is taken, nor to a player who has lost the seat. New chat messages come in
    between, without an id: a stream that is resumed does not repeat them.
    """
    subscriber = StreamSubscriber()
    table.subscribers.add(subscriber)
    last_message = table.chat.last
    try:
        while True:
            while since < table.version and not table.is_waiting and may_follow():
                since += 1
                facts = {"version": since, "events": table.events_of(viewer, since)}
                yield event("move", json.dumps(facts), since)
            for message in table.chat.visible_to(viewer, table.game.over) if may_follow() else ():
                if message.number > last_message:
                    described = describe_message(message, table.game.names, tr)
                    yield event("chat", msgspec.json.encode(described).decode())
            last_message = table.chat.last
            if table.game.over or subscriber.closed or not may_follow():
                return
            try:
                await asyncio.wait_for(subscriber.wait(), heartbeat)
            except TimeoutError:
                yield HEARTBEAT
    finally:
        table.subscribers.discard(subscriber)
