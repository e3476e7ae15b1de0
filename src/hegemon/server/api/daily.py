"""The results of the deal of the day, and of the series of the week."""

from datetime import date
from typing import Final

from litestar import get
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from hegemon.notation.record import read_record
from hegemon.play.commitment import commitment
from hegemon.server.api.auth import TOKEN_OPTIONAL
from hegemon.server.api.errors import errors
from hegemon.server.api.schemas import DayInfo, DayResult, WeekInfo, WeekResult
from hegemon.server.security import tokens
from hegemon.server.tables import daily
from hegemon.server.tables.registry import TableRegistry

_TAGS: Final = ["deal of the day"]


@get("/daily", responses=errors(401), security=TOKEN_OPTIONAL, tags=_TAGS)
async def get_today(tables: NamedDependency[TableRegistry], token: NamedDependency[str | None]) -> DayInfo:
    """The table and the results of today's deal; never its cards."""
    return await _day(tables, daily.day_of(tables.now()), token)


@get("/daily/{day:date}", responses=errors(401, 404), security=TOKEN_OPTIONAL, tags=_TAGS)
async def get_day(
    day: FromPath[date], tables: NamedDependency[TableRegistry], token: NamedDependency[str | None]
) -> DayInfo:
    """The table and the results of a day's deal; never its cards."""
    return await _day(tables, day, token)


async def _day(tables: TableRegistry, day: date, token: str | None) -> DayInfo:
    found = await daily.day_for(tables, day, tokens.owner_of(token))
    if found is None:
        raise NotFoundException
    record = read_record(found.deal.record)
    return DayInfo(
        day,
        daily.deadline_of(day),
        record.players,
        record.variant,
        record.teams,
        list(found.deal.bots),
        commitment(record.deck, record.salt),
        found.results.finished,
        [
            DayResult(
                line.rank,
                line.name,
                line.won,
                line.score,
                line.turns,
                line.accuracy,
                line.game if found.is_open else None,
            )
            for line in found.results.standings
        ],
    )


@get("/daily/week/{week:str}", responses=errors(401, 404), security=TOKEN_OPTIONAL, tags=_TAGS)
async def get_week(
    week: FromPath[str], tables: NamedDependency[TableRegistry], token: NamedDependency[str | None]
) -> WeekInfo:
    """The series of a week, such as `2030-W01`: the sums of everyone's best five days."""
    found = await daily.week_for(tables, week, tokens.owner_of(token))
    if found is None:
        raise NotFoundException
    return WeekInfo(
        week,
        found.days,
        [
            WeekResult(line.rank, line.name, line.score, line.wins, line.days, line.accuracy)
            for line in found.standings
        ],
    )


ROUTES: Final = (get_today, get_day, get_week)
