"""Seats: invitations, occupants and substitutes."""

from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Final

from sqlalchemy import Connection, bindparam, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hegemon.server.db.database import Database
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.rows import SeatRow, Substitution, in_utc
from hegemon.server.db.schema import games, moves, seats, substitutions

_SEATS: Final = (
    select(seats.c.game, *(seats.c[field.name] for field in fields(SeatRow)))
    .where(seats.c.game.in_(bindparam("games", expanding=True)))
    .order_by(seats.c.game, seats.c.seat)
)


async def seats_of(connection: AsyncConnection, game_ids: Sequence[str]) -> dict[str, tuple[SeatRow, ...]]:
    return await connection.run_sync(read_seats, game_ids)


def read_seats(connection: Connection, game_ids: Sequence[str]) -> dict[str, tuple[SeatRow, ...]]:
    rows: dict[str, list[SeatRow]] = {game_id: [] for game_id in game_ids}
    for game_id, *facts in connection.execute(_SEATS, {"games": game_ids}):
        rows[game_id].append(SeatRow(*facts))
    return {game_id: tuple(of_game) for game_id, of_game in rows.items()}


async def substitutions_of(connection: AsyncConnection, game_id: str) -> tuple[Substitution, ...]:
    found = await connection.execute(
        select(substitutions).where(substitutions.c.game == game_id).order_by(substitutions.c.number)
    )
    return tuple(
        Substitution(row.number, in_utc(row.created_at), row.version, row.seat, row.reason) for row in found
    )


async def lock_game(connection: AsyncConnection, game_id: str) -> None:
    """Lock a game against moves and changes of its seats by other workers, until the transaction ends."""
    await connection.execute(select(games.c.id).where(games.c.id == game_id).with_for_update(key_share=True))


class Seats:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def find_invite(self, invite: str) -> tuple[str, int] | None:
        """The game and the seat of an invitation, whether it has been used or not."""
        async with self._database.reading() as connection:
            row = (
                await connection.execute(select(seats.c.game, seats.c.seat).where(seats.c.invite == invite))
            ).one_or_none()
            return (row.game, row.seat) if row is not None else None

    async def claim(self, game_id: str, seat: int, invite: str, occupant: SeatRow) -> bool:
        """Take an open seat; exactly one of several concurrent claims returns True."""
        async with self._database.writing() as connection:
            done = await connection.execute(
                update(seats)
                .where(
                    seats.c.game == game_id,
                    seats.c.seat == seat,
                    seats.c.invite == invite,
                    seats.c.owner.is_(None),
                    seats.c.bot.is_(None),
                )
                .values(owner=occupant.owner, name=occupant.name, color=occupant.color, hidden=False)
            )
            return bool(done.rowcount == 1)

    async def save(self, game_id: str, seat: int, before: SeatRow, row: SeatRow) -> None:
        """Replace the row of a seat; raise ConflictError if it has changed since `before`."""
        async with self._database.writing() as connection:
            await lock_game(connection, game_id)
            done = await connection.execute(
                update(seats)
                .where(seats.c.game == game_id, seats.c.seat == seat)
                .where(*(seats.c[name].is_not_distinct_from(value) for name, value in asdict(before).items()))
                .values(**asdict(row))
            )
            if done.rowcount != 1:
                raise ConflictError

    async def change_substitute(
        self, game_id: str, substitution: Substitution, before: SeatRow, substitute: str | None
    ) -> None:
        """Set or remove the substitute of a seat.

        Raises ConflictError if the seat has changed since `before`, or if there were moves after the substitution's
        version.
        """
        async with self._database.writing() as connection:
            await lock_game(connection, game_id)
            last = await connection.scalar(select(func.max(moves.c.version)).where(moves.c.game == game_id))
            if (last or 0) != substitution.version:
                raise ConflictError
            done = await connection.execute(
                update(seats)
                .where(
                    seats.c.game == game_id,
                    seats.c.seat == substitution.seat,
                    seats.c.bot.is_(None),
                    seats.c.owner.is_not_distinct_from(before.owner),
                    seats.c.substitute.is_not_distinct_from(before.substitute),
                )
                .values(substitute=substitute)
            )
            if done.rowcount != 1:
                raise ConflictError
            await connection.execute(insert(substitutions).values(game=game_id, **asdict(substitution)))
