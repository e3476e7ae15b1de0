"""The page of a person's days: deadlines, vacations and the address of the calendar."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

from babel.dates import format_date, format_datetime

from hegemon.prose.translator import Translator, get_translator
from hegemon.server.config import ServerConfig
from hegemon.server.db.vacations import Vacation
from hegemon.server.tables.deadlines import Deadline
from hegemon.server.tables.seats import shown_names
from hegemon.server.tables.vacations import days_used
from hegemon.server.web.session import Visitor
from hegemon.server.web.views.durations import remaining_time_text
from hegemon.server.web.views.pages import Pages


def utc_moment(moment: datetime, tr: Translator) -> str:
    """A time in UTC; a script shows it in the time zone of the reader."""
    return f"{format_datetime(moment.astimezone(UTC), 'medium', locale=tr.code)} UTC"


def day_text(ordinal: int, tr: Translator) -> str:
    return format_date(date.fromordinal(ordinal), "medium", locale=tr.code)


class DaysPages(Pages):
    def __init__(self, config: ServerConfig) -> None:
        super().__init__(config)
        self._vacation_days = config.vacation_days

    def days(
        self,
        visitor: Visitor,
        deadlines: Sequence[Deadline],
        vacations: Sequence[Vacation],
        calendar: str,
        problem: str = "",
        entered: tuple[str, str] = ("", ""),
    ) -> str:
        tr, now = get_translator(visitor.language), self._now()
        today = now.astimezone(UTC).date()
        return self._render(
            "days.html",
            visitor,
            deadlines=[self._deadline(deadline, now, tr) for deadline in deadlines],
            vacations=[
                {
                    "id": vacation.id,
                    "first": day_text(vacation.days[0], tr),
                    "last": day_text(vacation.days[-1], tr),
                    "running": vacation.starts_at <= now,
                }
                for vacation in vacations
                if vacation.ends_at > now
            ],
            most=self._vacation_days,
            left=max(0, self._vacation_days - days_used(vacations)[today.year]),
            year=today.year,
            today=today.isoformat(),
            entered=entered,
            calendar=calendar,
            problem=problem,
        )

    def _deadline(self, deadline: Deadline, now: datetime, tr: Translator) -> dict[str, Any]:
        table, seat = deadline.table, deadline.seat
        names = shown_names(table, tr)
        pause = table.clock.pause_at(seat, now)
        left = table.clock.time_left(seat, now)
        return {
            "game": table.id,
            "own": deadline.own,
            "name": names[seat],
            "names": tr.listing(list(names)),
            "until": deadline.until.isoformat(),
            "shown": utc_moment(deadline.until, tr),
            "left": remaining_time_text(left, tr) if left is not None else "",
            "paused": pause is not None,
        }
