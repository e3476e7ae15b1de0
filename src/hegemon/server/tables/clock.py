"""Time controls and clocks, based on the times that the server saves with the moves.

A *turn* here is an uninterrupted period in which a seat is to move; in the draft it is a pick. Clocks are computed
from saved moves and vacations, so they survive a restart of the server to the second.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from hegemon.notation.errors import NotationError

_DAY: Final = 24 * 60 * 60

#: Bounds of the time for a turn, in seconds.
_MIN_TIME: Final = 5
_MAX_TIME: Final = 31 * _DAY

#: A player is reminded when a quarter of the time for a move is left, but at most this long before the deadline.
_REMINDER_DIVISOR: Final = 4
_MAX_REMINDER_LEAD: Final = timedelta(hours=12)

#: The start and the end of a period during which a clock is paused.
Pause = tuple[datetime, datetime]

#: The minimum time of a player who returns to a game with a base time, granted once per game.
_RETURN_TIME: Final = timedelta(seconds=30)

_TEXT: Final = re.compile(
    r"(?P<per_move>\d{1,25})(?P<unit>[smhd]) a move|(?P<base>\d{1,25})m a game \+ (?P<increment>\d{1,25})s"
)
_SECONDS: Final = {"s": 1, "m": 60, "h": 60 * 60, "d": _DAY}


@dataclass(frozen=True)
class TimeControl:
    """Time per move, or a base time for the game with an increment for each turn."""

    text: str = ""
    """`""` no clock, `90s a move`, `3d a move`, or `10m a game + 15s`."""
    base: int = 0
    increment: int = 0
    """In seconds; without a base time, the time for each move."""

    def __bool__(self) -> bool:
        return bool(self.text)

    @property
    def is_correspondence(self) -> bool:
        """Whether a move may take days, so that players need not be present."""
        return (self.base or self.increment) >= _DAY

    @property
    def reminder_lead(self) -> timedelta:
        """How long before a deadline a player is reminded; zero except in correspondence games."""
        if not self.is_correspondence:
            return timedelta(0)
        return min(timedelta(seconds=self.base or self.increment) / _REMINDER_DIVISOR, _MAX_REMINDER_LEAD)


NO_CLOCK: Final = TimeControl()

#: The time controls that forms offer.
OFFERED_TIME_CONTROLS: Final = (
    "",
    "30s a move",
    "1m a move",
    "3m a move",
    "5m a game + 10s",
    "15m a game + 15s",
    "30m a game + 30s",
    "1d a move",
    "2d a move",
    "3d a move",
    "5d a move",
    "7d a move",
    "14d a move",
)


def read_time_control(text: str) -> TimeControl:
    if not text:
        return NO_CLOCK
    found = _TEXT.fullmatch(text)
    if found is None:
        raise NotationError("clock", text, 0, "expected `90s a move`, `3d a move` or `10m a game + 15s`")
    if found["per_move"]:
        control = TimeControl(text, increment=int(found["per_move"]) * _SECONDS[found["unit"]])
    else:
        control = TimeControl(
            text, base=int(found["base"]) * _SECONDS["m"], increment=int(found["increment"])
        )
    if not _MIN_TIME <= control.base + control.increment <= _MAX_TIME:
        raise NotationError("clock", text, 0, "expected a time between five seconds and a month")
    return control


def merged_pauses(pauses: Sequence[Pause]) -> tuple[Pause, ...]:
    """The pauses in order, with overlapping ones merged: a person who has merged two keys may have such vacations."""
    found: list[Pause] = []
    for since, until in sorted(pauses):
        if found and since <= found[-1][1]:
            found[-1] = found[-1][0], max(until, found[-1][1])
        else:
            found.append((since, until))
    return tuple(found)


def running_time(start: datetime, end: datetime, pauses: Sequence[Pause]) -> timedelta:
    """The time between two moments without the pauses, which do not overlap."""
    paused = (max(timedelta(0), min(end, until) - max(start, since)) for since, until in pauses)
    return end - start - sum(paused, timedelta(0))


class Clock:
    """The clock of one game."""

    def __init__(self, control: TimeControl, players: int) -> None:
        self.control = control
        self.is_limited = bool(control)
        """Whether there is a time control; not a property, because each move reads it many times."""
        self.turn_started: dict[int, int] = {}
        """The version at which the turn of each seat to move began."""
        self._base = [timedelta(seconds=control.base)] * players
        self._increment = timedelta(seconds=control.increment)
        self._began: dict[int, datetime] = {}
        self._ended: dict[int, tuple[timedelta, timedelta]] = {}
        """The duration of the last turn of each seat, and the base time before it."""
        self._returned: set[int] = set()
        self._used: dict[int, timedelta] = {}
        """The time already used by a turn that was reopened."""
        self._pauses: dict[int, tuple[Pause, ...]] = {}

    def set_pauses(self, seat: int, pauses: Sequence[Pause]) -> None:
        """Set when the clock of a seat is paused; has no effect except in correspondence games."""
        self._pauses[seat] = merged_pauses(pauses) if self.control.is_correspondence else ()

    def pause_at(self, seat: int, now: datetime) -> Pause | None:
        return next((pause for pause in self._pauses.get(seat, ()) if pause[0] <= now < pause[1]), None)

    def next_pause_change(self, seat: int, now: datetime) -> datetime | None:
        """When the clock of a seat next stops or resumes."""
        times = (time for pause in self._pauses.get(seat, ()) for time in pause if time > now)
        return min(times, default=None)

    def start_turns(self, seats: tuple[int, ...], now: datetime, version: int = 0) -> None:
        """Start the turns of these seats, unless they have already started, and end the turns of all others."""
        for seat in [seat for seat in self._began if seat not in seats]:
            spent = running_time(self._began.pop(seat), now, self._pauses.get(seat, ())) + self._used.pop(
                seat, timedelta(0)
            )
            self._ended[seat] = spent, self._base[seat]
            if self.control.base:
                self._base[seat] = max(timedelta(0), self._base[seat] - spent + self._increment)
        for seat in seats:
            self._began.setdefault(seat, now)
        self.turn_started = {seat: self.turn_started.get(seat, version) for seat in seats}

    def resume_turn(self, seat: int, now: datetime) -> None:
        """Resume a turn that an undo has reopened, with the time that was left; does not affect a turn in progress."""
        if seat not in self._began and seat in self._ended:
            spent, self._base[seat] = self._ended[seat]
            self._began[seat], self._used[seat] = now, spent

    def grant_return_time(self, seat: int) -> None:
        """Give a returning player time to look at the table, once per game; a turn in progress continues."""
        if self.control.base and seat not in self._returned:
            self._base[seat] = max(self._base[seat], _RETURN_TIME)
        self._returned.add(seat)

    def deadline(self, seat: int) -> datetime | None:
        """None without a time control, or if the seat is not to move."""
        if not self.is_limited or seat not in self._began:
            return None
        time, left = self._began[seat], self._base[seat] + self._increment
        left -= self._used.get(seat, timedelta(0))
        for since, until in self._pauses.get(seat, ()):
            if until > time and since - time < left:
                left -= max(timedelta(0), since - time)
                time = until
        return time + left

    def time_left(self, seat: int, now: datetime) -> timedelta | None:
        """The time that a seat has left, not counting pauses; None without a time control."""
        if not self.is_limited:
            return None
        deadline = self.deadline(seat)
        if deadline is None:
            return self._base[seat] + self._increment
        return max(timedelta(0), running_time(now, deadline, self._pauses.get(seat, ())))
