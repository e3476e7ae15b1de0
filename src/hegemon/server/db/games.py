"""Games with their seats, moves and messages; lists of games."""

import dataclasses
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec
from sqlalchemy import ColumnElement, Connection, Select, delete, exists, func, insert, select, true, update

from hegemon.server.db.archives import ArchiveError, saved_moves
from hegemon.server.db.changes import revisions_of
from hegemon.server.db.database import Database
from hegemon.server.db.messages import latest_messages
from hegemon.server.db.moderation import PAGE_SIZE, closures
from hegemon.server.db.options import DEFAULT_OPTIONS, TableOptions, read_options
from hegemon.server.db.rows import GameRow, MoveRow, SeatRow, Summary, in_utc, in_utc_or_none
from hegemon.server.db.schema import games, moves, seats
from hegemon.server.db.seats import read_seats, seats_of, substitutions_of
from hegemon.server.db.turns import turns

#: The number of games deleted at a time, and the maximum lengths of the lobby and of the feed.
_MAX_EXPIRED: Final = 100
_MAX_OFFERED: Final = 100
_MAX_IN_FEED: Final = 20

#: The errors that `Games.load` raises for a damaged game.
DAMAGED: Final = (ArchiveError, msgspec.DecodeError)

#: A server that was killed may not have acted on the changes of this period before the last change, which includes the
#: time until other workers notice its death.
_RECHECK_PERIOD: Final = timedelta(seconds=30)

#: A table without a host, a player, a bot or an open seat.
_IMPORTED: Final = games.c.host.is_(None) & ~exists().where(
    seats.c.game == games.c.id,
    seats.c.owner.is_not(None) | seats.c.bot.is_not(None) | seats.c.invite.is_not(None),
)


@dataclasses.dataclass(frozen=True)
class RunningClock:
    game: str
    clock: str
    deadline: datetime | None
    """The earliest saved deadline of a person; None if it is not known, or if a bot is to move."""


class Games:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(
        self,
        game_id: str,
        record: str,
        seat_rows: Sequence[SeatRow],
        move_rows: Sequence[MoveRow] = (),
        *,
        finished: bool = False,
        host: str | None = None,
        options: TableOptions = DEFAULT_OPTIONS,
        public: bool = False,
        previous_game: str | None = None,
        now: datetime | None = None,
    ) -> None:
        """Insert a game, perhaps with moves; a second game with the same `previous_game` raises ConflictError."""
        now = now or datetime.now(UTC)
        async with self._database.writing() as connection:
            await connection.execute(
                insert(games).values(
                    id=game_id,
                    created_at=now,
                    updated_at=now,
                    record=record,
                    finished=finished,
                    started_at=None if any(row.is_open for row in seat_rows) else now,
                    host=host,
                    options=options.write(),
                    public=public,
                    previous_game=previous_game,
                )
            )
            await connection.execute(
                insert(seats),
                [
                    {"game": game_id, "seat": seat} | dataclasses.asdict(row)
                    for seat, row in enumerate(seat_rows)
                ],
            )
            if move_rows:
                rows = [dataclasses.asdict(move) | {"game": game_id, "created_at": now} for move in move_rows]
                await connection.execute(insert(moves), rows)

    async def load(self, game_id: str, after: int = 0) -> GameRow | None:
        """A game with its moves after a version; raises an error of DAMAGED if its moves or options cannot be read."""
        async with self._database.reading() as connection:
            revisions = await revisions_of(connection, self._database, game_id)
            row = (await connection.execute(select(games).where(games.c.id == game_id))).one_or_none()
            if row is None:
                return None
            return GameRow(
                id=row.id,
                record=row.record,
                seats=(await seats_of(connection, [game_id]))[game_id],
                moves=await saved_moves(
                    connection, game_id, after, finished=row.finished, archived=row.archived
                ),
                updated_at=row.updated_at,
                finished=row.finished,
                messages=await latest_messages(connection, game_id),
                started_at=in_utc_or_none(row.started_at),
                substitutions=await substitutions_of(connection, game_id),
                host=row.host,
                options=read_options(row.options),
                public=row.public,
                rated=row.rated,
                counted=row.counted,
                previous_game=row.previous_game,
                next_game=await connection.scalar(select(games.c.id).where(games.c.previous_game == game_id)),
                closed=bool(await connection.scalar(select(exists().where(closures.c.game == game_id)))),
                revisions=revisions,
            )

    async def start(self, game_id: str, now: datetime) -> datetime:
        """Start the clocks of a game; return when they were started, by this call or an earlier one."""
        async with self._database.writing() as connection:
            await connection.execute(
                update(games)
                .where(games.c.id == game_id, games.c.started_at.is_(None))
                .values(started_at=now)
            )
            started_at = await connection.scalar(select(games.c.started_at).where(games.c.id == game_id))
            return in_utc(started_at) if started_at is not None else now

    async def last_change(self) -> datetime | None:
        """When a game was last changed."""
        async with self._database.reading() as connection:
            return in_utc_or_none(await connection.scalar(select(func.max(games.c.updated_at))))

    async def ids(self) -> list[str]:
        async with self._database.reading() as connection:
            return list(await connection.scalars(select(games.c.id).order_by(games.c.created_at)))

    async def expire(self, before: datetime) -> list[str]:
        """Delete some of the finished and imported games that have not changed since; return the ids."""
        expired = games.c.updated_at < before, games.c.finished | _IMPORTED
        return await self._delete(select(games.c.id).where(*expired).limit(_MAX_EXPIRED))

    async def limit_imported(self, before: datetime, limit: int) -> list[str]:
        """Delete imported games that have not changed since `before`, or exceed `limit`; return their ids."""
        newest = select(games.c.id).where(_IMPORTED).order_by(games.c.updated_at.desc()).limit(limit)
        is_excess = (games.c.updated_at < before) | games.c.id.not_in(newest)
        return await self._delete(select(games.c.id).where(_IMPORTED, is_excess))

    async def _delete(self, found: Select[Any]) -> list[str]:
        async with self._database.writing() as connection:
            ids = list(await connection.scalars(found))
            await connection.execute(delete(games).where(games.c.id.in_(ids)))
        return ids

    async def running_clocks(self) -> list[RunningClock]:
        """The unfinished games with a clock, and damaged ones, so that loading them reports the damage."""
        found = (
            select(games.c.id, games.c.options, func.min(turns.c.deadline).label("deadline"))
            .join_from(games, turns, isouter=True)
            .where(~games.c.finished)
            .group_by(games.c.id, games.c.options)
        )
        async with self._database.reading() as connection:
            return [
                RunningClock(row.id, options.clock if options else "", in_utc_or_none(row.deadline))
                for row in await connection.execute(found)
                if (options := options_or_none(row.options)) is None or options.clock
            ]

    async def unfinished_of(self, owner: str) -> dict[str, str]:
        """The unfinished games in which a player holds a seat, each with its time control.

        The least recently changed games come first; damaged ones are left out.
        """
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(games.c.id, games.c.options)
                .where(~games.c.finished, games.c.id.in_(select(seats.c.game).where(seats.c.owner == owner)))
                .order_by(games.c.updated_at)
            )
            return {
                row.id: options.clock
                for row in found
                if (options := options_or_none(row.options)) is not None
            }

    async def recently_changed(self) -> list[str]:
        """The unfinished games that changed within _RECHECK_PERIOD of the latest change of any game."""
        last = await self.last_change()
        if last is None:
            return []
        async with self._database.reading() as connection:
            recently = games.c.updated_at >= last - _RECHECK_PERIOD
            return list(await connection.scalars(select(games.c.id).where(~games.c.finished, recently)))

    async def in_lobby(self) -> list[Summary]:
        """The public games with an open seat, the most recent first."""
        is_open = seats.c.bot.is_(None) & seats.c.owner.is_(None) & seats.c.invite.is_not(None)
        offered = games.c.public & ~games.c.finished & exists().where(seats.c.game == games.c.id, is_open)
        return await self._summaries(offered, _MAX_OFFERED)

    async def latest_finished_public(self) -> list[Summary]:
        """The latest public games that are over."""
        over = games.c.finished & games.c.id.not_in(select(closures.c.game))
        return await self._summaries(games.c.public & over, _MAX_IN_FEED)

    async def latest(self, page: int) -> list[Summary]:
        """A page of all games, most recently changed first."""
        return await self._summaries(true(), PAGE_SIZE, page * PAGE_SIZE)

    async def closed(self, ids: Sequence[str]) -> frozenset[str]:
        """The subset of the games that the host has closed."""
        async with self._database.reading() as connection:
            found = await connection.scalars(select(closures.c.game).where(closures.c.game.in_(ids)))
            return frozenset(found)

    async def finished(self, ids: Sequence[str]) -> frozenset[str]:
        """The subset of the games that are over."""
        async with self._database.reading() as connection:
            found = await connection.scalars(select(games.c.id).where(games.c.id.in_(ids), games.c.finished))
            return frozenset(found)

    async def _summaries(self, condition: ColumnElement[bool], limit: int, offset: int = 0) -> list[Summary]:
        query = (
            select(games.c.id, games.c.record, games.c.updated_at, games.c.finished, games.c.options)
            .where(condition)
            .order_by(games.c.updated_at.desc())
            .limit(limit)
            .offset(offset)
        )

        def read(connection: Connection) -> list[Summary]:
            found = connection.execute(query).all()
            seats_by_game = read_seats(connection, [row.id for row in found])
            return [
                Summary(row.id, row.record, row.updated_at, row.finished, options, seats_by_game[row.id])
                for row in found
                if (options := options_or_none(row.options)) is not None
            ]

        return [summary for summary in await self._database.read(read) if summary.is_readable]


def options_or_none(text: str) -> TableOptions | None:
    """The options of a game; None if they are damaged."""
    try:
        return read_options(text)
    except msgspec.DecodeError:
        return None
