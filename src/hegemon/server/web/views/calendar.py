"""The calendar of a person's deadlines and vacations as an iCalendar file (RFC 5545)."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Final

from hegemon.prose.translator import Translator
from hegemon.server.db.vacations import Vacation
from hegemon.server.tables.deadlines import Deadline
from hegemon.server.tables.seats import shown_names

#: The longest line in bytes, without its end.
_MAX_LINE: Final = 75

_ESCAPES: Final = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n", "\r": ""})


def calendar_file(
    deadlines: Sequence[Deadline], vacations: Sequence[Vacation], now: datetime, base_url: str, tr: Translator
) -> str:
    """The calendar of a person, which contains only the players and deadlines of games."""
    name = tr.text("My deadlines")
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Hegemon//Deadlines//EN",
        "CALSCALE:GREGORIAN",
        "METHOD:PUBLISH",
        f"X-WR-CALNAME:{_escape(name)} · Hegemon",
        "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
        "X-PUBLISHED-TTL:PT1H",
        *(line for deadline in deadlines for line in _deadline(deadline, now, base_url, tr)),
        *(line for vacation in vacations for line in _vacation(vacation, now, tr)),
        "END:VCALENDAR",
    ]
    return "".join(f"{_fold(line)}\r\n" for line in lines)


def _deadline(deadline: Deadline, now: datetime, base_url: str, tr: Translator) -> Iterator[str]:
    table, seat, names = deadline.table, deadline.seat, shown_names(deadline.table, tr)
    others = tr.listing([name for other, name in enumerate(names) if other != seat])
    summary = tr.text("Your move is due: game with {names}", names=others)
    link = f"{base_url}/games/{table.id}"
    yield "BEGIN:VEVENT"
    yield f"UID:{table.id}.{table.clock.turn_started[seat]}-{seat + 1}@hegemon"
    yield f"DTSTAMP:{_utc(now)}"
    yield f"DTSTART:{_utc(deadline.until)}"
    yield f"SUMMARY:{_escape(summary)}"
    yield f"DESCRIPTION:{_escape(link)}"
    yield f"URL:{link}"
    yield "TRANSP:TRANSPARENT"
    yield "BEGIN:VALARM"
    yield "ACTION:DISPLAY"
    yield f"DESCRIPTION:{_escape(summary)}"
    yield f"TRIGGER:-PT{table.clock.control.reminder_lead // timedelta(minutes=1)}M"
    yield "END:VALARM"
    yield "END:VEVENT"


def _vacation(vacation: Vacation, now: datetime, tr: Translator) -> Iterator[str]:
    summary = tr.text("Vacation: your clocks stand still")
    yield "BEGIN:VEVENT"
    yield f"UID:vacation-{vacation.id}@hegemon"
    yield f"DTSTAMP:{_utc(now)}"
    yield f"DTSTART;VALUE=DATE:{date.fromordinal(vacation.days[0]):%Y%m%d}"
    yield f"DTEND;VALUE=DATE:{date.fromordinal(vacation.days[-1]) + timedelta(days=1):%Y%m%d}"
    yield f"SUMMARY:{_escape(summary)}"
    yield "TRANSP:TRANSPARENT"
    yield "END:VEVENT"


def _utc(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _escape(text: str) -> str:
    return text.translate(_ESCAPES)


def _fold(line: str) -> str:
    """Fold a long line: it continues after a line break and a space, and no character is split."""
    parts, size = [""], 0
    for char in line:
        width = len(char.encode())
        if size + width > _MAX_LINE:
            parts.append(" ")
            size = 1
        parts[-1] += char
        size += width
    return "\r\n".join(parts)
