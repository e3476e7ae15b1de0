"""The deals of the day, their entries, and the tables of results."""

from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Final

from sqlalchemy import ColumnElement, case, func, insert, select, update

from hegemon.server.db.database import Database
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.rows import DailyDeal, DailyEntry, in_utc
from hegemon.server.db.schema import daily_deals, daily_entries, games, results

#: The maximum length of a table of results; the reader's own place is shown in addition.
MAX_STANDINGS: Final = 100

#: The number of a person's days, the best ones, that count in the table of a week.
BEST_DAYS: Final = 5

#: Separates the bots of a deal.
_SEPARATOR: Final = ","

_OF_ENTRY: Final = results.c.game == daily_entries.c.game
_IN_TIME: Final = results.c.finished_at <= daily_entries.c.deadline

#: Best result first: by score, then quick wins and late defeats, then accuracy.
_BEST_FIRST: Final[tuple[ColumnElement[Any], ...]] = (
    results.c.score.desc(),
    case((results.c.won, results.c.turns), else_=-results.c.turns),
    results.c.accuracy.desc().nulls_last(),
)


@dataclass(frozen=True)
class DayStanding:
    """A line of the table of results of a day."""

    rank: int
    name: str
    game: str | None
    """None if the game has expired."""
    won: bool
    score: int
    turns: int
    accuracy: float | None
    own: bool
    """Whether it is the reader's."""


@dataclass(frozen=True)
class WeekStanding:
    """A line of the table of a week: the sums of a person's best days."""

    rank: int
    name: str
    score: int
    wins: int
    days: int
    accuracy: float | None
    own: bool
    """Whether it is the reader's."""


@dataclass(frozen=True)
class DayResults:
    """The table of results of a day, the reader's own result, and the number of all results."""

    standings: tuple[DayStanding, ...]
    own: DayStanding | None
    """Included even if it has no name or was too late."""
    finished: int


class Daily:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def deal(self, day: date) -> DailyDeal | None:
        async with self._database.reading() as connection:
            found = await connection.execute(select(daily_deals).where(daily_deals.c.date == day))
            row = found.one_or_none()
        if row is None:
            return None
        bots = tuple(bot or None for bot in row.bots.split(_SEPARATOR))
        return DailyDeal(row.date, row.record, bots, row.seed)

    async def save_deal(self, deal: DailyDeal) -> None:
        """Save the deal of a day; raise ConflictError if there already is one."""
        bots = _SEPARATOR.join(bot or "" for bot in deal.bots)
        async with self._database.writing() as connection:
            await connection.execute(
                insert(daily_deals).values(date=deal.date, record=deal.record, bots=bots, seed=deal.seed)
            )

    async def neighbors(self, day: date) -> tuple[date | None, date | None]:
        """The nearest days with a deal before and after that day."""
        dates = daily_deals.c.date
        async with self._database.reading() as connection:
            return (
                await connection.scalar(select(func.max(dates)).where(dates < day)),
                await connection.scalar(select(func.min(dates)).where(dates > day)),
            )

    async def entry(self, day: date, owner: str | None) -> DailyEntry | None:
        async with self._database.reading() as connection:
            found = select(daily_entries).where(daily_entries.c.date == day, daily_entries.c.owner == owner)
            row = (await connection.execute(found)).one_or_none()
        if row is None:
            return None
        return DailyEntry(row.date, row.owner, row.game, row.name, in_utc(row.deadline))

    async def enter(self, entry: DailyEntry) -> DailyEntry:
        """Enter a person; has no effect if they are already entered."""
        try:
            async with self._database.writing() as connection:
                await connection.execute(insert(daily_entries).values(**asdict(entry)))
        except ConflictError:
            return await self.entry(entry.date, entry.owner) or entry
        return entry

    async def rename(self, day: date, owner: str | None, name: str) -> None:
        """Change the name of a person in the table of a day; an empty name removes the result."""
        async with self._database.writing() as connection:
            await connection.execute(
                update(daily_entries)
                .where(daily_entries.c.date == day, daily_entries.c.owner == owner)
                .values(name=name)
            )

    async def last_name(self, owner: str | None) -> str | None:
        """The name that a person last used, which may be empty; None if they have never played."""
        async with self._database.reading() as connection:
            found = select(daily_entries.c.name).where(daily_entries.c.owner == owner)
            name: str | None = await connection.scalar(found.order_by(daily_entries.c.date.desc()).limit(1))
            return name

    async def has_finished(self, day: date, owner: str | None) -> bool:
        async with self._database.reading() as connection:
            found = select(results.c.game).join(daily_entries, _OF_ENTRY)
            found = found.where(daily_entries.c.date == day, daily_entries.c.owner == owner)
            return await connection.scalar(found) is not None

    async def results(self, day: date, owner: str | None) -> DayResults:
        """The results of a day, best first: those with a name, and the reader's own."""
        own, named = daily_entries.c.owner == owner, daily_entries.c.name != ""
        of_day = (
            select(
                daily_entries,
                results,
                games.c.id.label("existing_game"),
                func.rank().over(order_by=_BEST_FIRST).label("rank"),
            )
            .select_from(daily_entries)
            .join(results, _OF_ENTRY)
            .join(games, games.c.id == daily_entries.c.game, isouter=True)
            .where(daily_entries.c.date == day)
        )
        ranked = of_day.where(_IN_TIME, named).subquery()
        shown = select(ranked).where((ranked.c.rank <= MAX_STANDINGS) | (ranked.c.owner == owner))
        counted = select(func.count()).select_from(of_day.where(_IN_TIME).subquery())
        async with self._database.reading() as connection:
            rows = (await connection.execute(shown.order_by(ranked.c.rank, ranked.c.name))).all()
            mine = (await connection.execute(of_day.where(own))).one_or_none()
            finished = await connection.scalar(counted)
        return DayResults(
            tuple(_standing(row, owner) for row in rows),
            _standing(mine, owner) if mine is not None else None,
            finished or 0,
        )

    async def days(self, first: date, last: date) -> list[date]:
        """The days with a deal, in order."""
        async with self._database.reading() as connection:
            found = select(daily_deals.c.date).where(daily_deals.c.date.between(first, last))
            return list(await connection.scalars(found.order_by(daily_deals.c.date)))

    async def week(self, first: date, last: date, owner: str | None) -> list[WeekStanding]:
        """The results of a week, summed up, best first, with the reader's own place."""
        person, named = daily_entries.c.owner, daily_entries.c.name
        days = (
            select(
                person,
                results.c.score,
                case((results.c.won, 1), else_=0).label("won"),
                results.c.accuracy,
                func.row_number().over(partition_by=person, order_by=_BEST_FIRST).label("place"),
                func.first_value(named)
                .over(partition_by=person, order_by=daily_entries.c.date.desc())
                .label("name"),
            )
            .select_from(daily_entries)
            .join(results, _OF_ENTRY)
            .where(daily_entries.c.date.between(first, last), named != "", _IN_TIME)
            .subquery()
        )
        sums = (
            select(
                days.c.owner,
                days.c.name,
                func.sum(days.c.score).label("score"),
                func.sum(days.c.won).label("wins"),
                func.count().label("days"),
                func.avg(days.c.accuracy).label("accuracy"),
            )
            .where(days.c.place <= BEST_DAYS)
            .group_by(days.c.owner, days.c.name)
            .subquery()
        )
        order = (sums.c.score.desc(), sums.c.wins.desc(), sums.c.accuracy.desc().nulls_last())
        ranked = select(sums, func.rank().over(order_by=order).label("rank")).subquery()
        shown = select(ranked).where((ranked.c.rank <= MAX_STANDINGS) | (ranked.c.owner == owner))
        async with self._database.reading() as connection:
            rows = (await connection.execute(shown.order_by(ranked.c.rank, ranked.c.name))).all()
        return [
            WeekStanding(row.rank, row.name, row.score, row.wins, row.days, row.accuracy, row.owner == owner)
            for row in rows
        ]


def _standing(row: Any, owner: str | None) -> DayStanding:
    own = owner is not None and row.owner == owner
    return DayStanding(
        row.rank, row.name, row.existing_game, row.won, row.score, row.turns, row.accuracy, own
    )
