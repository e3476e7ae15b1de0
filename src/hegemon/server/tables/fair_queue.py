"""A fair queue: callers take turns, regardless of the number of their requests."""

import asyncio
import time
from collections import Counter, OrderedDict, deque

from hegemon.server.metrics import QUEUE_SECONDS, SEARCH_SECONDS, SEARCHES


class FairQueue:
    """A limited number of places. Waiting callers get them round-robin, and no caller gets more than its share."""

    def __init__(self, places: int, places_of_caller: int, name: str = "") -> None:
        self._places = self._free = places
        self._places_of_caller = places_of_caller
        self._busy: Counter[str] = Counter()
        self._name = name
        """The name under which its metrics are recorded; empty for none."""
        self._taken, self._changed_at = 0, time.perf_counter()
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @property
    def waiting(self) -> int:
        """The number of requests that wait for a place."""
        return sum(map(len, self._waiting.values()))

    def _measure(self) -> None:
        """Add the time for which places were taken to the metrics; called before the number of taken places changes."""
        now = time.perf_counter()
        if self._name:
            SEARCH_SECONDS.add(self._name, amount=self._taken * (now - self._changed_at))
        self._changed_at = now

    def resize(self, places: int, places_of_caller: int) -> None:
        """Change the number of places; taken places stay taken until they are given back."""
        self._free += places - self._places
        self._places, self._places_of_caller = places, places_of_caller
        self._admit()

    async def enter(self, caller: str) -> None:
        """Wait for a place."""
        began = time.perf_counter()
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(caller, deque()).append(turn)
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave(caller)
            raise
        if self._name:
            SEARCHES.add(self._name)
            QUEUE_SECONDS.observe(time.perf_counter() - began, self._name)

    def leave(self, caller: str) -> None:
        """Give a place back."""
        self._measure()
        self._taken -= 1
        self._free += 1
        self._busy[caller] -= 1
        if not self._busy[caller]:
            del self._busy[caller]
        self._admit()

    def _admit(self) -> None:
        while self._free > 0 and (caller := self._next_caller()) is not None:
            turn = self._waiting[caller].popleft()
            self._waiting.move_to_end(caller)
            if not self._waiting[caller]:
                del self._waiting[caller]
            if not turn.done():  # a cancelled task no longer waits
                self._measure()
                self._taken += 1
                self._free -= 1
                self._busy[caller] += 1
                turn.set_result(None)

    def _next_caller(self) -> str | None:
        """The first caller in the queue who does not have its full share yet."""
        return next((caller for caller in self._waiting if self._busy[caller] < self._places_of_caller), None)
