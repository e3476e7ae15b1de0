"""Who is at a table: a seat is here while a page of its player follows the table, and a little longer.

Somebody who thinks for a long time is here all the while; somebody whose connection is lost is away after the grace.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from hegemon.rules.view import SPECTATOR

#: Whoever was cut off, or opens the page anew, is not away at once.
GRACE: Final = timedelta(seconds=10)

#: A page without a script shows nothing by itself: whoever asked for one is here for so long.
READING: Final = timedelta(minutes=2)


class Presence:
    """Who follows one table."""

    def __init__(self) -> None:
        self._following: Counter[int] = Counter()
        self._programs: Counter[int] = Counter()
        self._until: dict[int, datetime] = {}

    def connect(self, seats: Iterable[int]) -> None:
        """A page that follows the table has been opened for those seats; for none, by an onlooker."""
        self._following.update(tuple(seats) or (SPECTATOR,))

    def disconnect(self, seats: Iterable[int], now: datetime) -> None:
        """That page follows the table no longer."""
        for seat in tuple(seats) or (SPECTATOR,):
            self._following[seat] -= 1
            self._until[seat] = now + GRACE

    def count_programs(self, seats: Iterable[int], more: int) -> None:
        """So many more, or fewer, of those who follow the table for those seats are programs."""
        for seat in seats:
            self._programs[seat] += more

    def touch(self, seats: Iterable[int], now: datetime) -> None:
        """Those seats have asked for something, but follow nothing yet."""
        for seat in seats:
            self._until[seat] = max(now + READING, self._until.get(seat, now))

    def is_here(self, seat: int, now: datetime) -> bool:
        """Whether somebody is on that seat now."""
        return self._following[seat] > 0 or now < self._until.get(seat, now)

    def has_person(self, seat: int, now: datetime) -> bool:
        """Whether somebody is there who can be asked besides the game; programs follow only that."""
        return self._following[seat] > self._programs[seat] or now < self._until.get(seat, now)

    @property
    def spectators(self) -> int:
        """How many look on."""
        return self._following[SPECTATOR]

    def next_change(self, now: datetime) -> datetime | None:
        """When somebody will have been gone for too long, if nobody comes."""
        times = (
            at for seat, at in self._until.items() if at > now and seat >= 0 and not self._following[seat] > 0
        )
        return min(times, default=None)
