"""Time controls and remaining times as text, in the reader's language."""

import math
from datetime import timedelta
from typing import Final

from babel.units import format_unit

from hegemon.prose.translator import Translator
from hegemon.server.tables.clock import OFFERED, TimeControl, read_time_control

_UNITS: Final = (("day", 24 * 60 * 60), ("hour", 60 * 60), ("minute", 60), ("second", 1))
_HOUR: Final = 60 * 60
_DAY: Final = 24 * _HOUR


def in_words(time: timedelta, tr: Translator) -> str:
    """A time in its two largest units: `2 days 3 hours`."""
    rest, told = int(time.total_seconds()), []
    for unit, seconds in _UNITS:
        number, rest = divmod(rest, seconds)
        if number:
            told.append(format_unit(number, f"duration-{unit}", length="long", locale=tr.code))
    return " ".join(told[:2]) or format_unit(0, "duration-second", length="long", locale=tr.code)


def as_on_a_clock(time: timedelta, tr: Translator) -> str:
    """A remaining time: days and hours in words, less than a day as on a clock; `clocks.js` does the same."""
    seconds = math.ceil(time.total_seconds())
    if seconds >= _DAY:
        return in_words(timedelta(hours=seconds // _HOUR), tr)
    hours, minutes = divmod(seconds // 60, 60)
    return f"{hours}:{minutes:02}:{seconds % 60:02}" if hours else f"{minutes}:{seconds % 60:02}"


def time_control_text(time_control: TimeControl, tr: Translator) -> str:
    if not time_control:
        return tr.text("No clock")
    each = in_words(timedelta(seconds=time_control.increment), tr)
    if not time_control.base:
        return tr.text("{time} per move", time=each)
    bank = in_words(timedelta(seconds=time_control.base), tr)
    return tr.text("{time} per player plus {more} per move", time=bank, more=each)


def time_controls_offered(tr: Translator) -> list[tuple[str, list[tuple[str, str]]]]:
    """The options of the form, in groups, as pairs of value and text."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for time_control in map(read_time_control, OFFERED):
        each = in_words(timedelta(seconds=time_control.increment), tr)
        if not time_control:
            group, name = "", time_control_text(time_control, tr)
        elif time_control.base:
            group = tr.text("Per player, plus time per move")
            name = f"{in_words(timedelta(seconds=time_control.base), tr)} + {each}"
        elif time_control.is_correspondence:
            group, name = tr.text("Days per move"), each
        else:
            group, name = tr.text("Per move"), each
        groups.setdefault(group, []).append((time_control.text, name))
    return list(groups.items())
