"""Time controls and remaining times as text, in the reader's language."""

import math
from datetime import timedelta
from typing import Final

from babel.units import format_unit

from hegemon.prose.translator import Translator
from hegemon.server.tables.clock import OFFERED_TIME_CONTROLS, TimeControl, read_time_control

_UNITS: Final = (("day", 24 * 60 * 60), ("hour", 60 * 60), ("minute", 60), ("second", 1))
_HOUR: Final = 60 * 60
_DAY: Final = 24 * _HOUR


def duration_text(time: timedelta, tr: Translator) -> str:
    """A time in its two largest units: `2 days 3 hours`."""
    rest, texts = int(time.total_seconds()), []
    for unit, seconds in _UNITS:
        number, rest = divmod(rest, seconds)
        if number:
            texts.append(format_unit(number, f"duration-{unit}", length="long", locale=tr.code))
    return " ".join(texts[:2]) or format_unit(0, "duration-second", length="long", locale=tr.code)


def remaining_time_text(time: timedelta, tr: Translator) -> str:
    """A remaining time: from a day on in days and hours, otherwise as on a digital clock; `clocks.js` does the same."""
    seconds = math.ceil(time.total_seconds())
    if seconds >= _DAY:
        return duration_text(timedelta(hours=seconds // _HOUR), tr)
    hours, minutes = divmod(seconds // 60, 60)
    return f"{hours}:{minutes:02}:{seconds % 60:02}" if hours else f"{minutes}:{seconds % 60:02}"


def time_control_text(time_control: TimeControl, tr: Translator) -> str:
    if not time_control:
        return tr.text("No clock")
    increment = duration_text(timedelta(seconds=time_control.increment), tr)
    if not time_control.base:
        return tr.text("{time} per move", time=increment)
    base = duration_text(timedelta(seconds=time_control.base), tr)
    return tr.text("{time} per player plus {more} per move", time=base, more=increment)


def time_control_options(tr: Translator) -> list[tuple[str, list[tuple[str, str]]]]:
    """The options of a form, in groups, as pairs of value and text."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for time_control in map(read_time_control, OFFERED_TIME_CONTROLS):
        increment = duration_text(timedelta(seconds=time_control.increment), tr)
        if not time_control:
            group, name = "", time_control_text(time_control, tr)
        elif time_control.base:
            group = tr.text("Per player, plus time per move")
            name = f"{duration_text(timedelta(seconds=time_control.base), tr)} + {increment}"
        elif time_control.is_correspondence:
            group, name = tr.text("Days per move"), increment
        else:
            group, name = tr.text("Per move"), increment
        groups.setdefault(group, []).append((time_control.text, name))
    return list(groups.items())
