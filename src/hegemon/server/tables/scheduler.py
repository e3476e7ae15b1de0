"""One timer for all tables: at what time which of them is to be looked at, whether it is in memory or not."""

import asyncio
import contextlib
import heapq
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Final

_LOG: Final = logging.getLogger("hegemon.server")


class Scheduler:
    """Knows the next time for every table; a table has only one at a time."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._times: dict[str, datetime] = {}
        self._queue: list[tuple[datetime, str]] = []
        self._earlier = asyncio.Event()

    def look_at(self, game_id: str, at: datetime | None) -> None:
        """Look at a table at that time, or not at all."""
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

    async def look(self, check_deadlines: Callable[[str], Awaitable[None]]) -> None:
        """Look at every table whose time has come; what goes wrong at one of them does not keep the others waiting."""
        now = self._now()
        while (first := self._first()) is not None and first[0] <= now:
            del self._times[first[1]]
            try:
                await check_deadlines(first[1])
            except Exception:
                _LOG.exception("a table could not be looked at")

    async def run(self, check_deadlines: Callable[[str], Awaitable[None]]) -> None:
        """Look at tables as their times come, until this is stopped."""
        while True:
            await self.look(check_deadlines)
            self._earlier.clear()
            first = self._first()
            wait = (first[0] - self._now()).total_seconds() if first is not None else None
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._earlier.wait(), wait)
