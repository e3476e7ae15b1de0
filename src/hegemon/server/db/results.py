"""The results of people in finished games, which remain when a game expires."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Final

from sqlalchemy import case, extract, func, insert, select, update

from hegemon.server.db.database import Database
from hegemon.server.db.profiles import profiles
from hegemon.server.db.rows import ResultRow
from hegemon.server.db.schema import games, results

#: The number of opponents that are listed.
MAX_OPPONENTS: Final = 20

#: The number of months for which the accuracy is shown.
MAX_MONTHS: Final = 24


@dataclass(frozen=True)
class ResultGroup:
    """The number of a person's results that share all of these properties."""

    players: int
    teams: bool
    level: str
    ending: str
    won: bool
    domain: int | None
    opening: int | None
    number: int


@dataclass(frozen=True)
class Opponent:
    """Another person, and a person's results against them."""

    name: str
    """Their name in the last game."""
    public_id: str
    """The id of their profile; empty if it is not public."""
    number: int
    won: int


@dataclass(frozen=True)
class Month:
    """The games of a month that have been analyzed, and their average accuracy."""

    first: date
    number: int
    accuracy: float


class Results:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, game_id: str, rows: Sequence[ResultRow]) -> None:
        """Save the results of a game; only the first call for a game has an effect."""
        async with self._database.writing() as connection:
            first = await connection.execute(
                update(games).where(games.c.id == game_id, ~games.c.counted).values(counted=True)
            )
            if first.rowcount and rows:
                await connection.execute(insert(results), [asdict(row) for row in rows])

    async def save_accuracy(self, game_id: str, accuracies: Mapping[int, float]) -> None:
        """Add the accuracies that an analysis of the game has found, by seat."""
        async with self._database.writing() as connection:
            for seat, accuracy in accuracies.items():
                await connection.execute(
                    update(results)
                    .where(results.c.game == game_id, results.c.seat == seat)
                    .values(accuracy=accuracy)
                )

    async def uncounted(self, limit: int) -> list[str]:
        """Some finished games whose results have not been saved."""
        async with self._database.reading() as connection:
            found = select(games.c.id).where(games.c.finished, ~games.c.counted).limit(limit)
            return list(await connection.scalars(found))

    async def groups(self, owner: str | None) -> list[ResultGroup]:
        """The results of a person, counted by group: even many games fall into few groups."""
        columns = [results.c[name] for name in ResultGroup.__annotations__ if name != "number"]
        async with self._database.reading() as connection:
            found = select(*columns, func.count().label("number")).where(results.c.owner == owner)
            return [ResultGroup(**row._mapping) for row in await connection.execute(found.group_by(*columns))]

    async def counts(self, owner: str) -> tuple[int, int]:
        """The number of a person's results, and the number of wins among them."""
        async with self._database.reading() as connection:
            won = func.coalesce(func.sum(case((results.c.won, 1), else_=0)), 0)
            found = await connection.execute(select(func.count(), won).where(results.c.owner == owner))
            number, wins = found.one()
            return number, wins

    async def opponents(self, owner: str | None, *, public_only: bool = False) -> list[Opponent]:
        """A person's most frequent opponents; with `public_only`, only those whose profile is public.

        Team games are left out, because a partner is not an opponent.
        """
        other = results.alias("other")
        met = (other.c.game == results.c.game) & (other.c.owner != results.c.owner)
        own = results.c.owner == owner, ~results.c.teams
        number, last = func.count().label("number"), func.max(other.c.finished_at)
        most = (
            select(
                other.c.owner,
                profiles.c.name,
                profiles.c.public_id,
                number,
                func.sum(case((results.c.won, 1), else_=0)).label("won"),
            )
            .join_from(results, other, met)
            .join(
                profiles,
                (profiles.c.owner == other.c.owner) & profiles.c.public.is_(True),
                isouter=not public_only,
            )
            .where(*own)
            .group_by(other.c.owner, profiles.c.name, profiles.c.public_id)
            .order_by(number.desc(), last.desc())
            .limit(MAX_OPPONENTS)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(most)).all()
            unnamed = [row.owner for row in rows if not row.name]
            used = (
                select(other.c.owner, other.c.name)
                .join_from(results, other, met)
                .where(*own, other.c.owner.in_(unnamed))
                .group_by(other.c.owner, other.c.name)
                .order_by(last)
            )
            names = {name.owner: name.name for name in await connection.execute(used)}
        return [
            Opponent(row.name or names[row.owner], row.public_id or "", row.number, row.won) for row in rows
        ]

    async def months(self, owner: str | None) -> list[Month]:
        """The last months with an accuracy, the earliest first."""
        year, month = (extract(part, results.c.finished_at) for part in ("year", "month"))
        async with self._database.reading() as connection:
            found = (
                select(year, month, func.count(), func.avg(results.c.accuracy))
                .where(results.c.owner == owner, results.c.accuracy.is_not(None))
                .group_by(year, month)
                .order_by(year.desc(), month.desc())
                .limit(MAX_MONTHS)
            )
            rows = (await connection.execute(found)).all()
        return [Month(date(int(row[0]), int(row[1]), 1), row[2], row[3]) for row in reversed(rows)]
