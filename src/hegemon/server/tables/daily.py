"""The deal of the day: everyone plays the same cards against the same bots, once.

A deal is shuffled with the system's random source when the first visitor of the day requests it, and then saved, so
there is no secret from which future deals could be computed. Until its last game is over, a deal is closed to people
who have not finished it.
"""

import contextlib
import secrets
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final

from hegemon.notation.record import read_record, write_record
from hegemon.play.game import Game
from hegemon.prose.english import BOT_NAMES, PERSON_NAMES
from hegemon.server.db.daily import DayResults, WeekStanding
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import DailyDeal, DailyEntry, SeatRow
from hegemon.server.security import tokens
from hegemon.server.tables.errors import DealClosed
from hegemon.server.tables.table import Table

if TYPE_CHECKING:
    from hegemon.server.tables.registry import TableRegistry

#: The time for finishing a game, from the beginning of its day.
TIME_TO_FINISH: Final = timedelta(hours=36)

#: The caller of analyses that no person has requested.
_ANALYSIS_CALLER: Final = "deal of the day"


@dataclass(frozen=True)
class WeekdaySetup:
    """The table of a weekday: the bots clockwise from the person's left; in a team game, the second is the partner."""

    bots: tuple[str, ...]
    variant: str = "basic"
    teams: bool = False


#: From Monday to Sunday.
WEEKDAY_SETUPS: Final = (
    WeekdaySetup(("normal",)),
    WeekdaySetup(("normal", "hard")),
    WeekdaySetup(("easy", "normal", "hard")),
    WeekdaySetup(("hard",), "draft"),
    WeekdaySetup(("hard", "hard"), "draft"),
    WeekdaySetup(("hard", "hard", "hard"), teams=True),
    WeekdaySetup(("expert", "champion")),
)


def day_of(now: datetime) -> date:
    """The day of the deal, in UTC."""
    return now.astimezone(UTC).date()


def deadline_of(day: date) -> datetime:
    """When games of a day must be over to count, and its deal becomes open to everyone."""
    return datetime.combine(day, time(), UTC) + TIME_TO_FINISH


async def deal_of(tables: "TableRegistry", day: date) -> DailyDeal:
    """The deal of a day, which the first call creates."""
    deal = await tables.store.daily.deal(day)
    if deal is None:
        deal = new_deal(day, tables.config.new_seed())
        try:
            await tables.store.daily.save_deal(deal)
        except ConflictError:  # another worker was first
            return await deal_of(tables, day)
    return deal


def new_deal(day: date, seed: int | None) -> DailyDeal:
    setup = WEEKDAY_SETUPS[day.weekday()]
    players = len(setup.bots) + 1
    own = day.toordinal() // len(WEEKDAY_SETUPS) % players  # a different seat every week
    bots: list[str | None] = [None] * players
    for distance, bot in enumerate(setup.bots, 1):
        bots[(own + distance) % players] = bot
    names = [(BOT_NAMES if bot else PERSON_NAMES)[seat] for seat, bot in enumerate(bots)]
    game = Game(players, setup.variant, teams=setup.teams, seed=seed, names=names)
    bot_seed = seed or 1 + secrets.randbits(62)
    return DailyDeal(day, write_record(game.record()), tuple(bots), bot_seed)


async def enter(tables: "TableRegistry", owner: str, name: str, language: str) -> DailyEntry:
    """Start today's deal, or return the entry of a person who has already started it."""
    day = day_of(tables.now())
    entry = await tables.store.daily.entry(day, owner)
    if entry is not None:
        return entry
    deal = await deal_of(tables, day)
    record = read_record(deal.record)
    own = deal.bots.index(None)
    names = (*record.names[:own], name or record.names[own], *record.names[own + 1 :])
    # A form that is sent twice leads to the same game, even if the server was restarted in between.
    game_id = tokens.derived_token(record.salt, owner)[:16]
    seats = [SeatRow(bot, owner if bot is None else None) for bot in deal.bots]
    options = TableOptions(language=language, daily=day.isoformat(), bot_seed=deal.seed)
    game = Game.from_record(replace(record, names=names))
    with contextlib.suppress(ConflictError):
        await tables.create(game, seats, host=owner, options=options, game_id=game_id)
    return await tables.store.daily.enter(DailyEntry(day, owner, game_id, name, deadline_of(day)))


async def is_open(tables: "TableRegistry", day: date, owner: str | None) -> bool:
    """Whether a person may see the cards of a deal: its deadline has passed, or they have finished it."""
    return tables.now() >= deadline_of(day) or await tables.store.daily.has_finished(day, owner)


async def analyze(tables: "TableRegistry", table: Table) -> None:
    """Analyze a finished deal of the day for its accuracy.

    All of these analyses share one caller, so that those requested by people do not have to wait for them.
    """
    if table.options.daily and await tables.analyst.find(table) is None:
        tables.analyst.start(table, _ANALYSIS_CALLER)


def day_shown(table: Table) -> date | None:
    """The day whose deal a table shows: its own, or that of the game it was continued from."""
    day = table.options.daily or table.options.origin_daily
    return date.fromisoformat(day) if day else None


async def check_access(tables: "TableRegistry", table: Table, owner: str | None) -> None:
    """Raise DealClosed for people who could learn something about a deal that they may still play."""
    day = day_shown(table)
    if day is None or table.seats_of(owner or ""):
        return
    if not await is_open(tables, day, owner):
        raise DealClosed


@dataclass(frozen=True)
class Day:
    """A day as a person sees it."""

    deal: DailyDeal
    is_today: bool
    entry: DailyEntry | None
    """The person's own game."""
    results: DayResults
    is_open: bool
    """Whether the person may view the games of others."""
    name: str
    """The person's name in the results, or their usual name."""
    previous: date | None
    """The nearest earlier day with a deal."""
    next: date | None


async def day_for(tables: "TableRegistry", day: date, owner: str | None) -> Day | None:
    """Today or an earlier day with its deal; None if the day has none."""
    today = day_of(tables.now())
    deal = await (deal_of(tables, day) if day == today else tables.store.daily.deal(day))
    if deal is None:
        return None
    entry = await tables.store.daily.entry(day, owner)
    return Day(
        deal,
        day == today,
        entry,
        await tables.store.daily.results(day, owner),
        await is_open(tables, day, owner),
        entry.name if entry is not None else await usual_name(tables, owner),
        *await tables.store.daily.neighbors(day),
    )


async def usual_name(tables: "TableRegistry", owner: str | None) -> str:
    """The name in a person's profile; empty if there is none, or if they last played without a name."""
    if await tables.store.daily.last_name(owner) == "":
        return ""
    profile = await tables.store.profiles.load(owner)
    return profile.name if profile is not None else ""


async def unfinished_yesterday(tables: "TableRegistry", owner: str | None) -> DailyEntry | None:
    """The person's game of yesterday, if it is not over and still counts."""
    now = tables.now()
    yesterday = day_of(now) - timedelta(days=1)
    entry = await tables.store.daily.entry(yesterday, owner)
    if entry is None or now > entry.deadline or await tables.store.daily.has_finished(yesterday, owner):
        return None
    return entry


@dataclass(frozen=True)
class Week:
    """A week as a person sees it, from Monday to Sunday."""

    first: date
    days: list[date]
    """The days with a deal."""
    standings: list[WeekStanding]
    previous: date | None
    """A day of the nearest earlier week with a deal."""
    next: date | None

    @property
    def last(self) -> date:
        return self.first + timedelta(days=len(WEEKDAY_SETUPS) - 1)


def week_of(day: date) -> str:
    """The week of a day by ISO 8601, such as `2030-W01`."""
    return day.strftime("%G-W%V")


def first_day_of(week: str) -> date | None:
    """The Monday of a week; None if there is no such week."""
    try:
        first = datetime.strptime(f"{week}-1", "%G-W%V-%u").date()
    except ValueError:
        return None
    return first if week_of(first) == week else None


async def week_for(tables: "TableRegistry", week: str, owner: str | None) -> Week | None:
    """A week; None if it has no deal."""
    first = first_day_of(week)
    if first is None:
        return None
    last, store = first + timedelta(days=len(WEEKDAY_SETUPS) - 1), tables.store.daily
    if first <= day_of(tables.now()) <= last:
        await deal_of(tables, day_of(tables.now()))
    if not (days := await store.days(first, last)):
        return None
    before, after = (await store.neighbors(first))[0], (await store.neighbors(last))[1]
    return Week(first, days, await store.week(first, last, owner), before, after)
