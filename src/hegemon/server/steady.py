"""The time of a server: the time of day when it starts, and from then on the time that has passed."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

#: A system clock that is further behind the last saved move than this is right, and was wrong before.
MAX_SETBACK: Final = timedelta(days=1)


def utc_now() -> datetime:
    return datetime.now(UTC)


def seconds_passed() -> float:
    """Seconds since some moment; setting the clock does not change them, and a machine asleep counts where it can."""
    boot_time: int | None = getattr(time, "CLOCK_BOOTTIME", None)  # Linux
    return time.monotonic() if boot_time is None else time.clock_gettime(boot_time)


class SteadyClock:
    """A clock that cannot be set: an hour back gives no player an hour more.

    Deadlines outlive the process, so times are saved as times of day. After a restart the time goes on from the last
    saved one, should the system's clock be behind it.
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
