"""Vacations: days on which a person's clocks in correspondence games are paused.

Days are in UTC. A vacation begins no earlier than its announcement, so that no elapsed time is given back, and
the host of the server limits the number of days per year.
"""

import contextlib
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final

from hegemon.server.db.vacations import Vacation
from hegemon.server.tables.clock import read_time_control
from hegemon.server.tables.errors import BrokenGame, Rejected, TableNotFound
from hegemon.server.texts import translatable

if TYPE_CHECKING:
    from hegemon.server.tables.registry import TableRegistry
    from hegemon.server.tables.table import Table

#: How far ahead a vacation may end.
_MAX_AHEAD: Final = timedelta(days=366)

#: The maximum number of a person's vacations in a year: ending one and starting another on the same day costs no day.
_MAX_IN_YEAR: Final = 50

#: The maximum number of a person's games that are loaded to apply a vacation; others are updated when they are loaded.
_MAX_GAMES: Final = 50

VACATION_REJECTIONS: Final = {
    "off": translatable("There are no vacation days on this server."),
    "date": translatable("Enter the first and the last day as dates, such as 2030-08-01."),
    "past": translatable("A vacation begins today at the earliest."),
    "order": translatable("The last day cannot be before the first."),
    "far": translatable("A vacation can be announced a year ahead at most."),
    "overlap": translatable("You already have a vacation on one of these days."),
    "limit": translatable("That is too long: there are {most} vacation days a year."),
}


class VacationRejected(Rejected):
    """A vacation that cannot be announced."""


def read_date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise VacationRejected("date") from None


def days_used(vacations: Sequence[Vacation]) -> Counter[int]:
    """The vacation days by year, each counted once."""
    days = {day for vacation in vacations for day in vacation.days}
    return Counter(date.fromordinal(day).year for day in days)


async def announce(tables: "TableRegistry", owner: str, first: date, last: date) -> None:
    """Announce a vacation from the first to the last day, inclusive."""
    now, most = tables.now(), tables.config.vacation_days
    today = now.astimezone(UTC).date()
    if not most:
        raise VacationRejected("off")
    if first < today:
        raise VacationRejected("past")
    if last < first:
        raise VacationRejected("order")
    if last - today > _MAX_AHEAD:
        raise VacationRejected("far")

    def check(new: Vacation, others: Sequence[Vacation]) -> None:
        if any(new.starts_at < other.ends_at and other.starts_at < new.ends_at for other in others):
            raise VacationRejected("overlap")
        used, years = days_used([new, *others]), {first.year, last.year}
        touching = [other for other in others if other.starts_at.year in years]
        if any(used[year] > most for year in years) or len(touching) >= _MAX_IN_YEAR:
            raise VacationRejected("limit")

    starts_at = max(now, datetime.combine(first, time(), UTC))
    ends_at = datetime.combine(last, time(), UTC) + timedelta(days=1)
    await tables.store.vacations.announce(owner, starts_at, ends_at, check)
    await apply_vacations(tables, owner)


async def end(tables: "TableRegistry", owner: str, vacation_id: int) -> None:
    """Cancel a vacation that has not begun, or end one that has."""
    await tables.store.vacations.end(owner, vacation_id, tables.now())
    await apply_vacations(tables, owner)


async def apply_vacations(tables: "TableRegistry", owner: str) -> None:
    """Update the clocks in a person's games, and the deadlines in lists of games."""
    for game_id in await correspondence_games(tables, owner):
        with contextlib.suppress(BrokenGame, TableNotFound):
            await tables.load(game_id, requested=False)
    for table in tables.with_seat_of(owner):
        await refresh_vacations(tables, table)
        table.notify()
        tables.changed(table)


async def correspondence_games(tables: "TableRegistry", owner: str) -> list[str]:
    """A person's unfinished correspondence games, least recently changed first."""
    clocks = await tables.store.games.unfinished_of(owner)
    found = [game_id for game_id, clock in clocks.items() if read_time_control(clock).is_correspondence]
    return found[:_MAX_GAMES]


async def refresh_vacations(tables: "TableRegistry", table: "Table") -> None:
    """Load the vacations of the players of a table: another process may have saved one."""
    if table.clock.control.is_correspondence:
        owners = {row.owner for row in table.seats if row.owner is not None}
        table.set_vacations(await tables.store.vacations.of(*owners))
