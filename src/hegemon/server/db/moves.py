"""The moves of games that are not archived: append-only, acknowledged only when they are on disk."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from sqlalchemy import bindparam, case, false, insert, null, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hegemon.server.db.database import Database
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.rows import MoveRow, SeatRow, in_utc
from hegemon.server.db.schema import games, moves
from hegemon.server.db.seats import seats_of

#: Fails if the game has been archived, since this column must not be null: the keys of the archived moves no longer
#: reject the move of a worker that does not know yet that the game is over.
_NOT_ARCHIVED: Final = case((games.c.archived, null()), else_=false())

_INSERT: Final = insert(moves)
_UPDATE: Final = (
    update(games)
    .where(games.c.id == bindparam("of"))
    .values(updated_at=bindparam("now"), finished=bindparam("over"), archived=_NOT_ARCHIVED)
)


async def moves_of(connection: AsyncConnection, game_id: str, after: int = 0) -> tuple[MoveRow, ...]:
    """The moves of a game after a version."""
    of_game = moves.c.game == game_id, moves.c.version > after
    found = await connection.execute(select(moves).where(*of_game).order_by(moves.c.version))
    return tuple(
        MoveRow(row.version, row.seat, row.choice, row.idempotency_key, in_utc(row.created_at))
        for row in found
    )


@dataclass(frozen=True)
class PendingMove:
    """A move that has not been written yet."""

    game: str
    move: MoveRow
    created_at: datetime
    finished: bool
    occupant: SeatRow | None
    """Who plays the seat according to this worker; None if that does not matter."""
    saved: asyncio.Future[None]


class Moves:
    """Appends moves by group commit: those that arrive while the disk is busy share one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._pending: list[PendingMove] = []
        self._writer: asyncio.Task[None] | None = None

    async def append(
        self, game_id: str, move: MoveRow, *, finished: bool, occupant: SeatRow | None = None
    ) -> None:
        """Append a move, and return once it is on disk.

        Raises ConflictError if another worker has appended one, or has given the seat to someone other than `occupant`.
        """
        saved = asyncio.get_running_loop().create_future()
        created_at = move.created_at or datetime.now(UTC)
        self._pending.append(PendingMove(game_id, move, created_at, finished, occupant, saved))
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write_pending())
        await saved

    async def close(self) -> None:
        """Wait for the moves that are being written."""
        if self._writer is not None:
            await self._writer

    async def _write_pending(self) -> None:
        while self._pending:
            batch, self._pending = self._pending, []
            try:
                await self._write(batch)
            except Exception:
                for pending in batch:  # one of them conflicts: find out which
                    await self._write_alone(pending)

    async def _write_alone(self, pending: PendingMove) -> None:
        try:
            await self._write([pending])
        except Exception as error:
            if not pending.saved.cancelled():
                pending.saved.set_exception(error)

    async def _write(self, batch: list[PendingMove]) -> None:
        batch = sorted(batch, key=lambda pending: pending.game)  # two processes lock rows in the same order
        rows = [
            vars(pending.move) | {"game": pending.game, "created_at": pending.created_at} for pending in batch
        ]
        changes = [
            {"of": pending.game, "now": pending.created_at, "over": pending.finished} for pending in batch
        ]
        if self._database.is_shared:
            async with self._database.writing() as connection:
                await connection.execute(_INSERT, rows)
                await connection.execute(_UPDATE, changes)
                await self._check_occupants(connection, batch)
        else:
            await self._database.write((_INSERT, rows), (_UPDATE, changes))
        for pending in batch:
            if not pending.saved.cancelled():
                pending.saved.set_result(None)

    @staticmethod
    async def _check_occupants(connection: AsyncConnection, batch: list[PendingMove]) -> None:
        """Raise ConflictError if the occupant of a seat has changed; from now on, the locked games prevent that."""
        found = await seats_of(
            connection, [pending.game for pending in batch if pending.occupant is not None]
        )
        for pending in batch:
            if pending.occupant is not None:
                occupant = found[pending.game][pending.move.seat]
                if not pending.occupant.same_occupant(occupant):
                    raise ConflictError
