"""One timer for the deadlines of all tables, whether they are in memory or not."""

import asyncio
import contextlib
import heapq
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Final

#: The delay before a table whose deadlines could not be checked is checked again.
RETRY_INTERVAL: Final = timedelta(minutes=1)

_LOG: Final = logging.getLogger("hegemon.server")


class Scheduler:
    """The next deadline of each table."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._times: dict[str, datetime] = {}
        self._queue: list[tuple[datetime, str]] = []
        self._earlier = asyncio.Event()

    def schedule(self, game_id: str, at: datetime | None) -> None:
        """Replace the deadline of a table; None removes it."""
        if at is None:
            self._times.pop(game_id, None)
        elif self._times.get(game_id) != at:
            self._times[game_id] = at
            heapq.heappush(self._queue, (at, game_id))
            if self._queue[0] == (at, game_id):
                self._earlier.set()

    def _first(self) -> tuple[datetime, str] | None:
        while self._queue and self._times.get(self._queue[0][1]) != self._queue[0][0]:
            heapq.heappop(self._queue)
        return self._queue[0] if self._queue else None

    async def run_due(self, check_deadlines: Callable[[str], Awaitable[None]]) -> None:
        """Check each table that is due; a failed check is retried later, and does not affect other tables."""
        now = self._now()
        while (first := self._first()) is not None and first[0] <= now:
            del self._times[first[1]]
            try:
                await check_deadlines(first[1])
            except Exception:
                _LOG.exception("the deadlines of a table could not be checked")
                self.schedule(first[1], now + RETRY_INTERVAL)

    async def run(self, check_deadlines: Callable[[str], Awaitable[None]]) -> None:
        while True:
            await self.run_due(check_deadlines)
            self._earlier.clear()
            first = self._first()
            wait = (first[0] - self._now()).total_seconds() if first is not None else None
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._earlier.wait()
