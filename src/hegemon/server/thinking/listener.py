"""Listening for notifications of PostgreSQL, which announce jobs and answers."""

import asyncio
import contextlib
from typing import Any, Final

from sqlalchemy import make_url

from hegemon.server.db.asyncpg_connections import CONNECTION_TIMEOUT, connect

#: Seconds before a lost connection is opened again.
RECONNECT_INTERVAL: Final = 0.5


class Listener:
    """A connection that listens on a channel. A missed announcement is harmless: every wait has a timeout."""

    def __init__(self, url: str, channel: str, payload: str | None = None) -> None:
        self._url = url
        self._channel = channel
        self._payload = payload
        """The payload of relevant announcements; None for all."""
        self._announced = asyncio.Event()

    def wake_up(self) -> None:
        """End the wait as if there had been an announcement."""
        self._announced.set()

    async def wait(self, seconds: float) -> None:
        """Wait for an announcement since the last wait, with a timeout."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._announced.wait()
        self._announced.clear()

    async def run(self) -> None:
        """Listen until cancelled; reconnect when the connection is lost."""
        import asyncpg  # only PostgreSQL needs it

        while True:
            with contextlib.suppress(OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError):
                await self._listen(await connect(make_url(self._url)))
            await asyncio.sleep(RECONNECT_INTERVAL)

    async def _listen(self, connection: Any) -> None:
        """Listen until the connection is lost."""
        closed = asyncio.Event()
        connection.add_termination_listener(lambda _: closed.set())
        try:
            await connection.add_listener(self._channel, self._receive)
            self.wake_up()  # announcements may have been missed
            while not closed.is_set():
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(CONNECTION_TIMEOUT):
                        await closed.wait()
                await connection.execute("SELECT 1")  # a network partition does not close the connection
        finally:
            connection.terminate()

    def _receive(self, connection: Any, process: int, channel: str, payload: str) -> None:
        if self._payload in (None, payload):
            self.wake_up()
