"""Clocks: how long each seat may think. Time is the server's alone, taken from when entries were made.

A *spell* is the time in which a seat is asked without a break: mostly a turn, in the draft a pick. A clock is wound by
what is kept about a game, so a server that starts again knows it to the second.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from hegemon.notation.errors import NotationError

_DAY: Final = 24 * 60 * 60

#: No spell may be longer than a month, nor shorter than some seconds: nobody could answer.
_SHORTEST: Final = 5
_LONGEST: Final = 31 * _DAY

#: Whoever comes back to a game with a bank of time has at least so much.
_WELCOME: Final = timedelta(seconds=30)

_TEXT: Final = re.compile(r"(?P<each>\d+)(?P<unit>[smhd]) a move|(?P<bank>\d+)m a game \+ (?P<more>\d+)s")
_SECONDS: Final = {"s": 1, "m": 60, "h": 60 * 60, "d": _DAY}


@dataclass(frozen=True)
class TimeControl:
    """How much time a seat has: so long for every spell, or a bank for the whole game and some more for every spell."""

    text: str = ""
    """`""` no clock, `90s a move`, `3d a move`, or `10m a game + 15s`."""
    bank: int = 0
    each: int = 0

    def __bool__(self) -> bool:
        return bool(self.text)

    @property
    def is_correspondence(self) -> bool:
        """Whether a spell is so long that nobody need be there: people look in once a day."""
        return not self.bank and self.each >= _DAY


NO_CLOCK: Final = TimeControl()

#: The paces that a form offers, by their texts.
OFFERED: Final = (
    "",
    "30s a move",
    "1m a move",
    "3m a move",
    "5m a game + 10s",
    "15m a game + 15s",
    "30m a game + 30s",
    "1d a move",
    "3d a move",
    "7d a move",
)


def read_time_control(text: str) -> TimeControl:
    """A pace by its text."""
    if not text:
        return NO_CLOCK
    found = _TEXT.fullmatch(text)
    if found is None:
        raise NotationError("clock", text, 0, "expected `90s a move`, `3d a move` or `10m a game + 15s`")
    if found["each"]:
        pace = TimeControl(text, each=int(found["each"]) * _SECONDS[found["unit"]])
    else:
        pace = TimeControl(text, bank=int(found["bank"]) * _SECONDS["m"], each=int(found["more"]))
    if not _SHORTEST <= pace.bank + pace.each <= _LONGEST:
        raise NotationError("clock", text, 0, "expected a time between five seconds and a month")
    return pace


class Clock:
    """The clock of one game."""

    def __init__(self, pace: TimeControl, players: int) -> None:
        self.pace = pace
        self._banks = [timedelta(seconds=pace.bank)] * players
        self._began: dict[int, datetime] = {}

    def ask(self, seats: tuple[int, ...], now: datetime) -> None:
        """These seats are asked now: the spells of all others end, and theirs go on or begin."""
        for seat in [seat for seat in self._began if seat not in seats]:
            spent = now - self._began.pop(seat) - timedelta(seconds=self.pace.each)
            if self.pace.bank:
                self._banks[seat] = max(timedelta(0), self._banks[seat] - spent)
        for seat in seats:
            self._began.setdefault(seat, now)

    def begin_again(self, seat: int, now: datetime) -> None:
        """Somebody came back to a seat: the spell begins anew, with time enough to look at the table."""
        if seat in self._began:
            self._began[seat] = now
        if self.pace.bank:
            self._banks[seat] = max(self._banks[seat], _WELCOME)

    def deadline(self, seat: int) -> datetime | None:
        """When the time of a seat is up; None without a clock, or while it is not asked."""
        if not self.pace or seat not in self._began:
            return None
        return self._began[seat] + self._banks[seat] + timedelta(seconds=self.pace.each)

    def left(self, seat: int, now: datetime) -> timedelta | None:
        """How much time a seat has from now on; None without a clock. Nobody has less than nothing."""
        if not self.pace:
            return None
        deadline = self.deadline(seat)
        if deadline is None:
            return self._banks[seat] + timedelta(seconds=self.pace.each)
        return max(timedelta(0), deadline - now)

    def next_deadline(self, seats: tuple[int, ...]) -> tuple[datetime, int] | None:
        """The first time that is up among these seats, and whose."""
        deadlines = ((self.deadline(seat), seat) for seat in seats)
        return min(((at, seat) for at, seat in deadlines if at is not None), default=None)
