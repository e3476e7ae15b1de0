"""The games of a person, in pages, from queries that do not load tables into memory."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Select,
    bindparam,
    exists,
    func,
    select,
    update,
)

from hegemon.server.db.database import Database
from hegemon.server.db.games import options_or_none
from hegemon.server.db.moderation import closures
from hegemon.server.db.rows import Summary, in_utc, in_utc_or_none
from hegemon.server.db.schema import games, results, seats
from hegemon.server.db.seats import read_seats
from hegemon.server.db.turns import turns
from hegemon.server.db.vacations import Vacation, read_vacations

#: The number of games on a page.
PAGE_SIZE: Final = 20

_OTHERS: Final = results.alias("others")

#: Queries about the games on a page, built once because building them takes longer than executing them.
_ON_PAGE: Final[BindParameter[Any]] = bindparam("games", expanding=True)
_GAMES: Final = select(
    games.c.id, games.c.record, games.c.updated_at, games.c.finished, games.c.options
).where(games.c.id.in_(_ON_PAGE))
_TURNS: Final = select(turns.c.game, turns.c.seat, turns.c.deadline).where(turns.c.game.in_(_ON_PAGE))
_RESULTS: Final = select(results.c.game, results.c.won, results.c.level).where(
    results.c.game.in_(_ON_PAGE), results.c.owner == bindparam("owner")
)
_REMATCHES: Final = select(games.c.previous_game, games.c.id).where(games.c.previous_game.in_(_ON_PAGE))
_CLOSED: Final = select(closures.c.game).where(closures.c.game.in_(_ON_PAGE))


@dataclass(frozen=True)
class OwnGame:
    """A game of a person in a list."""

    game: Summary
    own: frozenset[int]
    """The seats of the person."""
    to_move: dict[int, datetime | None]
    """The seats to move, with their deadlines; empty if unknown."""
    won: bool | None
    """None during the game, and for people who share a device."""
    level: str | None
    """The strongest opponent, as in a ResultRow."""
    next_game: str | None
    vacations: tuple[Vacation, ...] = ()
    """The vacations of the person, which pause the clocks of correspondence games."""
    closed: bool = False
    """Whether the host has closed the table."""


@dataclass(frozen=True)
class GameFilter:
    """A filter for finished games; empty fields match everything."""

    name: str = ""
    """Part of another person's name."""
    players: int | None = None
    level: str | None = None
    won: bool | None = None
    public_only: bool = False
    """Whether to find only games that were in the lobby and that the host has not closed."""

    @property
    def conditions(self) -> list[ColumnElement[bool]]:
        found: list[ColumnElement[bool]] = []
        if self.name:
            named = _OTHERS.c.name.icontains(self.name, autoescape=True)
            found.append(
                exists().where(_OTHERS.c.game == seats.c.game, _OTHERS.c.seat != seats.c.seat, named)
            )
        if self.public_only:
            found += [games.c.public, games.c.id.not_in(select(closures.c.game))]
        wanted = {"players": self.players, "level": self.level, "won": self.won}
        return found + [results.c[name] == value for name, value in wanted.items() if value is not None]


ALL: Final = GameFilter()


class OwnGames:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def running(self, owner: str | None, page: int = 1, size: int = PAGE_SIZE) -> list[OwnGame]:
        """The unfinished games: first those in which it is the person's turn, by deadline, then the most recent."""
        mine = func.count(turns.c.seat)
        deadline = func.min(turns.c.deadline)
        query = (
            _of(owner)
            .outerjoin(turns, (turns.c.game == seats.c.game) & (turns.c.seat == seats.c.seat))
            .where(~games.c.finished)
            .order_by((mine > 0).desc(), deadline.is_(None), deadline, games.c.updated_at.desc())
        )
        return await self._load(owner, query, page, size)

    async def finished(
        self, owner: str | None, game_filter: GameFilter = ALL, page: int = 1, size: int = PAGE_SIZE
    ) -> list[OwnGame]:
        """The finished games that the filter matches, the most recent first."""
        query = _of(owner, game_filter).where(games.c.finished).order_by(games.c.updated_at.desc())
        return await self._load(owner, query, page, size)

    async def counts(self, owner: str | None, game_filter: GameFilter = ALL) -> tuple[int, int]:
        """The number of unfinished games, and the number of finished ones that the filter matches."""
        found = _of(owner, game_filter).add_columns(games.c.finished).group_by(games.c.finished).subquery()
        by_state = select(found.c.finished, func.count().label("number")).group_by(found.c.finished)

        def read(connection: Connection) -> tuple[int, int]:
            numbers = {row.finished: row.number for row in connection.execute(by_state)}
            if game_filter != ALL:
                running = _of(owner).where(~games.c.finished).subquery()
                numbers[False] = connection.execute(select(func.count()).select_from(running)).scalar_one()
            return numbers.get(False, 0), numbers.get(True, 0)

        return await self._database.read(read)

    async def finished_ids(self, owner: str) -> list[str]:
        """All finished games of a person, including hidden ones."""
        query = select(seats.c.game).join(games).where(seats.c.owner == owner, games.c.finished).distinct()
        async with self._database.reading() as connection:
            return list(await connection.scalars(query))

    async def hide(self, owner: str | None, game_id: str) -> bool:
        """Hide a game from a person's lists; return whether it is one of their games."""
        async with self._database.writing() as connection:
            own = (seats.c.owner == (owner or "")) & (seats.c.game == game_id)
            return (await connection.execute(update(seats).where(own).values(hidden=True))).rowcount > 0

    async def _load(self, owner: str | None, query: Select[Any], page: int, size: int) -> list[OwnGame]:
        if owner is None:
            return []
        query = query.limit(size).offset((page - 1) * size)
        return await self._database.read(lambda connection: _read(connection, owner, query))


def _read(connection: Connection, owner: str, query: Select[Any]) -> list[OwnGame]:
    """The games whose ids a query finds, in that order; damaged ones are left out."""
    found = list(connection.scalars(query))
    wanted = {"games": found, "owner": owner}
    rows = {row.id: row for row in connection.execute(_GAMES, wanted)}
    seats_by_game = read_seats(connection, found)
    turns_by_game: dict[str, dict[int, datetime | None]] = {game_id: {} for game_id in found}
    for game_id, seat, deadline in connection.execute(_TURNS, wanted):
        turns_by_game[game_id][seat] = in_utc_or_none(deadline)
    results_by_game = {row.game: (row.won, row.level) for row in connection.execute(_RESULTS, wanted)}
    next_games = {row.previous_game: row.id for row in connection.execute(_REMATCHES, wanted)}
    closed = set(connection.scalars(_CLOSED, wanted))
    vacations = read_vacations(connection, [owner]).get(owner, ())
    listed = []
    for game_id in found:
        row = rows[game_id]
        options = options_or_none(row.options)
        if options is None:
            continue
        summary = Summary(
            row.id, row.record, in_utc(row.updated_at), row.finished, options, seats_by_game[row.id]
        )
        if summary.is_readable:
            listed.append(
                OwnGame(
                    summary,
                    frozenset(seat for seat, seat_row in enumerate(summary.seats) if seat_row.owner == owner),
                    turns_by_game[game_id],
                    *results_by_game.get(game_id, (None, None)),
                    next_games.get(game_id),
                    vacations,
                    game_id in closed,
                )
            )
    return listed


def _of(owner: str | None, game_filter: GameFilter = ALL) -> Select[Any]:
    """The ids of the games of a person that are not hidden and that the filter matches, each once."""
    query = select(seats.c.game).join(games, games.c.id == seats.c.game)
    if game_filter != ALL:
        own_result = (results.c.game == seats.c.game) & (results.c.seat == seats.c.seat)
        query = query.outerjoin(results, own_result).where(*game_filter.conditions)
    # A visitor without a key must not get the seats without an owner (of bots, and open ones).
    return query.where(seats.c.owner == (owner or ""), ~seats.c.hidden).group_by(
        seats.c.game, games.c.updated_at
    )
