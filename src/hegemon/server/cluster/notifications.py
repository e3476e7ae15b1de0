"""Messages between workers, by PostgreSQL's LISTEN and NOTIFY.

They are sent over a separate connection, after the transactions that they are about: PostgreSQL serializes the commits
of transactions that notify, so every move would have to wait for those of other games.
"""

import asyncio
import contextlib
import itertools
import json
import logging
from collections.abc import Callable, Hashable, Iterator
from typing import Any, Final

import asyncpg
from sqlalchemy import URL

from hegemon.server.cluster.cluster import Handler
from hegemon.server.db.asyncpg_connections import CONNECTION_TIMEOUT, connect

CHANNEL: Final = "hegemon"

#: The maximum number of bytes in a notification; PostgreSQL accepts fewer than 8,000.
_MAX_BYTES: Final = 7_500

#: The maximum number of messages that wait for a connection; they are hints, so the oldest are dropped.
_MAX_WAITING: Final = 10_000

#: Seconds before a lost connection is opened again.
RECONNECT_INTERVAL: Final = 0.5

_LOG: Final = logging.getLogger("hegemon.server")


class Notifications:
    """A connection that publishes the messages of this worker, and receives those of the others."""

    def __init__(self, url: URL, worker: str, on_connect: Callable[[], None] = lambda: None) -> None:
        self._url = url
        self._worker = worker
        self._on_connect = on_connect
        """Called when a connection is opened: messages sent before that were missed."""
        self._handlers: dict[str, Handler] = {}
        self._waiting: dict[Hashable, tuple[str, Any]] = {}
        self._numbers = itertools.count()
        self._wake_up = asyncio.Event()

    def subscribe(self, kind: str, handler: Handler) -> None:
        self._handlers[kind] = handler

    def publish(self, kind: str, data: Any, key: Hashable = None) -> None:
        """Send a message soon; a later one of the same kind with the same key replaces one that still waits."""
        if len(self._waiting) >= _MAX_WAITING:
            del self._waiting[next(iter(self._waiting))]
        self._waiting[kind, next(self._numbers) if key is None else key] = kind, data
        self._wake_up.set()

    async def run(self) -> None:
        """Publish and receive until cancelled; reconnect when the connection is lost."""
        while True:
            with contextlib.suppress(OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError):
                await self._run_connection()
            await asyncio.sleep(RECONNECT_INTERVAL)

    async def _run_connection(self) -> None:
        connection = await connect(self._url)
        try:
            connection.add_termination_listener(lambda _: self._wake_up.set())
            await connection.add_listener(CHANNEL, self._receive)
            self._on_connect()
            while not connection.is_closed():
                self._wake_up.clear()
                for payload in self._payloads():
                    await connection.execute("SELECT pg_notify($1, $2)", CHANNEL, payload)
                # The statement below tests the connection, because a network partition does not close it.
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(CONNECTION_TIMEOUT):
                        await self._wake_up.wait()
                if not self._waiting:
                    await connection.execute("SELECT 1")
        finally:
            connection.terminate()

    def _payloads(self) -> Iterator[str]:
        """All messages that wait, in as few notifications as possible."""
        waiting, self._waiting = self._waiting, {}
        batch: list[str] = []
        size = 0
        for message in waiting.values():
            encoded = json.dumps(message, separators=(",", ":"))
            if len(encoded) > _MAX_BYTES:
                _LOG.error("a message to other workers is too long: %s", message[0])
                continue
            if size + len(encoded) > _MAX_BYTES:
                yield self._payload(batch)
                batch, size = [], 0
            batch.append(encoded)
            size += len(encoded) + 1
        if batch:
            yield self._payload(batch)

    def _payload(self, batch: list[str]) -> str:
        return f"{self._worker}[{','.join(batch)}]"

    def _receive(self, _connection: object, _process: int, _channel: str, payload: object) -> None:
        sender, bracket, messages = str(payload).partition("[")
        if sender == self._worker:
            return
        try:
            received = json.loads(bracket + messages)
            for kind, data in received:
                if (handler := self._handlers.get(kind)) is not None:
                    handler(sender, data)
        except Exception:  # sent by another version, or by another program
            _LOG.exception("a message of another worker cannot be understood")
