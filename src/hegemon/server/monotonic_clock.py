"""The server's clock: the time of day at startup plus the time that has passed since then."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

#: If the system clock is further behind the last saved move than this, it was probably wrong when the move was saved.
MAX_SETBACK: Final = timedelta(days=1)

#: If the clock of the database differs by more than this, someone has set it, and it is not followed.
MAX_DRIFT: Final = timedelta(seconds=2)


def utc_now() -> datetime:
    return datetime.now(UTC)


_BOOT_TIME: Final[int | None] = getattr(time, "CLOCK_BOOTTIME", None)  # Linux

#: Seconds since an arbitrary point in time, unaffected by changes to the system clock; on Linux, they include sleep.
seconds_passed: Final[Callable[[], float]] = (
    time.monotonic if _BOOT_TIME is None else partial(time.clock_gettime, _BOOT_TIME)
)


class MonotonicClock:
    """A clock that cannot be set: turning the system clock back an hour does not give players another hour.

    Deadlines outlive the process, so times are saved as times of day. If the system clock is behind the last
    saved time after a restart, time continues from there.
    """

    def __init__(
        self,
        not_before: datetime | None = None,
        *,
        time_of_day: Callable[[], datetime] = utc_now,
        seconds: Callable[[], float] = seconds_passed,
    ) -> None:
        self._not_before, self._seconds, self._is_shared = not_before, seconds, False
        self._set(time_of_day())

    def _set(self, start: datetime) -> None:
        """Continue from a time of day, or from the last saved time if that is a little later."""
        if self._not_before is not None and start < self._not_before <= start + MAX_SETBACK:
            start = self._not_before
        self._start, self._first, self._last = start, self._seconds(), start

    def __call__(self) -> datetime:
        self._last = max(self._last, self._start + timedelta(seconds=self._seconds() - self._first))
        return self._last

    def follow(self, now: datetime) -> None:
        """Synchronize with the clock of the database, which several servers share.

        The first call sets the time. Later ones only correct small differences: a clock that differs by more than
        MAX_DRIFT has been set by someone, and is not followed. Time never goes back: if this clock is ahead, it stops
        briefly.
        """
        if not self._is_shared:
            self._is_shared = True
            self._set(now)
        elif abs(difference := now - self()) <= MAX_DRIFT:
            self._start += difference
