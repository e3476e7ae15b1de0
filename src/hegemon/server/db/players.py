"""Players with a rating."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Row, Select, delete, exists, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hegemon.notation.record import read_record, write_record
from hegemon.server.db.database import ConflictError, Database
from hegemon.server.db.schema import (
    RatedPlayer,
    daily_entries,
    games,
    messages,
    outbox,
    players,
    puzzle_attempts,
    results,
    seats,
    solvers,
    studies,
    webhooks,
)

#: Where the digests of tokens are.
_OWNERS: Final = (
    seats.c.owner,
    games.c.host,
    players.c.owner,
    messages.c.author,
    daily_entries.c.owner,
    results.c.owner,
    studies.c.owner,
    solvers.c.owner,
    puzzle_attempts.c.owner,
)

#: The level of the bot that plays on for a person whose data was erased.
ERASED_BOT: Final = "normal"


class Players:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, owners: Sequence[str]) -> dict[str, RatedPlayer]:
        """Those of the owners who have a rating."""
        async with self._database.reading() as connection:
            return await _players(connection, owners)

    async def save(self, player: RatedPlayer) -> None:
        """Add a player; one who has a rating already keeps it and takes the new name."""
        async with self._database.writing() as connection:
            known = await connection.execute(
                update(players).where(players.c.owner == player.owner).values(name=player.name)
            )
            if known.rowcount == 0:
                await connection.execute(insert(players).values(**dataclasses.asdict(player)))

    async def delete(self, owner: str) -> None:
        async with self._database.writing() as connection:
            await connection.execute(delete(players).where(players.c.owner == owner))

    async def change_owner(self, old: str, new: str) -> None:
        """Give everything of an owner to another one, who had nothing; repeated, it changes nothing.

        If both have something, or neither has, it raises ConflictError: of two such changes at once only one counts.
        """
        async with self._database.writing() as connection:
            if await _has_something(connection, new) == await _has_something(connection, old):
                raise ConflictError
            for column in _OWNERS:
                await connection.execute(update(column.table).where(column == old).values({column: new}))

    async def erase(self, owner: str) -> int:
        """Erase a person: names, ratings, results, messages, studies, webhooks, seats; return the number of seats.

        A bot plays on where a game is not over. What others have written stays.
        """
        async with self._database.writing() as connection:
            held = (await connection.execute(_held_seats(owner))).all()
            for row in held:
                await _erase_seat(connection, row)
            hosted = select(games.c.id).where(games.c.host == owner)
            for table in (webhooks, outbox):
                await connection.execute(delete(table).where(table.c.game.in_(hosted)))
            await connection.execute(update(games).where(games.c.host == owner).values(host=None))
            for column in (
                messages.c.author,
                *(
                    table.c.owner
                    for table in (players, daily_entries, results, studies, solvers, puzzle_attempts)
                ),
            ):
                await connection.execute(delete(column.table).where(column == owner))
            return len(held)

    async def rate_game(
        self,
        game_id: str,
        owners: Sequence[str],
        rate: Callable[[Mapping[str, RatedPlayer]], Sequence[RatedPlayer]],
    ) -> None:
        """Update the ratings by a game; of several calls for a game only the first has an effect."""
        async with self._database.writing() as connection:
            first = await connection.execute(
                update(games).where(games.c.id == game_id, ~games.c.rated).values(rated=True)
            )
            if first.rowcount == 0:
                return
            for player in rate(await _players(connection, owners)):
                await connection.execute(
                    update(players)
                    .where(players.c.owner == player.owner)
                    .values(mu=player.mu, sigma=player.sigma, games=player.games)
                )


async def _players(connection: AsyncConnection, owners: Sequence[str]) -> dict[str, RatedPlayer]:
    found = await connection.execute(select(players).where(players.c.owner.in_(owners)))
    return {row.owner: RatedPlayer(*row) for row in found}


async def _has_something(connection: AsyncConnection, owner: str) -> bool:
    return any([await connection.scalar(select(exists().where(column == owner))) for column in _OWNERS])


def _held_seats(owner: str) -> Select[Any]:
    held = select(seats.c.game, seats.c.seat, games.c.finished)
    return held.join(games).where(seats.c.owner == owner)


async def _erase_seat(connection: AsyncConnection, row: Row[Any]) -> None:
    """Replace the player of a seat by a number, and by a bot if the game is not over."""
    name = f"Player {row.seat + 1}"
    # The row of an earlier seat of the same person may have changed the record.
    found = await connection.execute(select(games.c.record).where(games.c.id == row.game))
    record = read_record(found.scalar_one())
    names = (*record.names[: row.seat], name, *record.names[row.seat + 1 :])
    await connection.execute(
        update(games)
        .where(games.c.id == row.game)
        .values(record=write_record(dataclasses.replace(record, names=names)))
    )
    await connection.execute(
        update(seats)
        .where(seats.c.game == row.game, seats.c.seat == row.seat)
        .values(owner=None, name=name, invite=None, substitute=None, bot=None if row.finished else ERASED_BOT)
    )
    # Notifications quote names. One that was sent stays as a key, so that it is not sent again.
    await connection.execute(delete(outbox).where(outbox.c.game == row.game, outbox.c.due_at.is_not(None)))
    await connection.execute(update(outbox).where(outbox.c.game == row.game).values(body=""))
