"""The time of a server: the time of day when it starts, and from then on the time that has passed."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

#: If the system clock is further behind the last saved move than this, it is taken to have been wrong before.
MAX_SETBACK: Final = timedelta(days=1)


def utc_now() -> datetime:
    return datetime.now(UTC)


def seconds_passed() -> float:
    """Seconds since some point in time, unaffected by setting the clock, and where possible including sleep."""
    boot_time: int | None = getattr(time, "CLOCK_BOOTTIME", None)  # Linux
    return time.monotonic() if boot_time is None else time.clock_gettime(boot_time)


class SteadyClock:
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
        start = time_of_day()
        if not_before is not None and start < not_before <= start + MAX_SETBACK:
            start = not_before
        self._start, self._first, self._seconds = start, seconds(), seconds

    def __call__(self) -> datetime:
        return self._start + timedelta(seconds=self._seconds() - self._first)
