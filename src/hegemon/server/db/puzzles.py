"""Ratings of puzzles and of their solvers, and the first attempt of each person at each puzzle."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from typing import Final

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from hegemon.server.db.database import Database
from hegemon.server.db.rows import PuzzleRating, Solver
from hegemon.server.db.schema import puzzle_attempts, puzzle_ratings, solvers

#: How an attempt ended; a puzzle whose solution was shown can no longer be solved.
SOLVED: Final = "solved"
FAILED: Final = "failed"
SHOWN: Final = "shown"

#: Beyond this number, the solvers who were seen least recently are deleted: anyone can get any number of tokens.
MAX_SOLVERS: Final = 100_000
_MAX_EXPIRED: Final = 100

UpdateStreak = Callable[[Solver], Solver]
Rate = Callable[[Solver, PuzzleRating], tuple[Solver, PuzzleRating]]


class Puzzles:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def solver(self, owner: str | None) -> Solver | None:
        async with self._database.reading() as connection:
            return await _solver(connection, owner)

    async def outcomes(self, owner: str | None) -> dict[str, str]:
        """How the first attempts of a person ended, by puzzle."""
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(puzzle_attempts.c.puzzle, puzzle_attempts.c.outcome).where(
                    puzzle_attempts.c.owner == owner
                )
            )
            return {row.puzzle: row.outcome for row in found}

    async def ratings(self) -> dict[str, PuzzleRating]:
        """The ratings of puzzles that were tried."""
        async with self._database.reading() as connection:
            found = await connection.execute(select(puzzle_ratings))
            return {row.puzzle: PuzzleRating(*row) for row in found}

    async def save_attempt(
        self, new: Solver, puzzle: PuzzleRating, outcome: str, now: datetime, rate: Rate, update_streak: UpdateStreak
    ) -> tuple[Solver, Solver] | None:  # fmt: skip
        """Save a first attempt and the new ratings; return the solver before and after.

        `new` and `puzzle` are the initial ratings, used if none are stored. A later attempt changes no rating and
        returns None; if it solves a puzzle whose solution was not shown before, `update_streak` updates the solver.
        """
        mine = (puzzle_attempts.c.owner == new.owner, puzzle_attempts.c.puzzle == puzzle.puzzle)
        async with self._database.writing() as connection:
            known = await _solver(connection, new.owner)
            before = known or new
            earlier = await connection.scalar(select(puzzle_attempts.c.outcome).where(*mine))
            if earlier is not None:
                if outcome == SHOWN and earlier == FAILED:
                    await connection.execute(update(puzzle_attempts).where(*mine).values(outcome=SHOWN))
                if outcome == SOLVED and earlier != SHOWN:
                    await _save_solver(connection, update_streak(before), now)
                return None
            if known is None:
                await _limit_solvers(connection)
                await connection.execute(insert(solvers).values(**asdict(new), seen_at=now))
            found = await connection.execute(
                select(puzzle_ratings).where(puzzle_ratings.c.puzzle == puzzle.puzzle)
            )
            row = found.one_or_none()
            if row is None:
                await connection.execute(insert(puzzle_ratings).values(**asdict(puzzle)))
            after, rated = rate(before, PuzzleRating(*row) if row is not None else puzzle)
            await connection.execute(
                insert(puzzle_attempts).values(owner=new.owner, puzzle=puzzle.puzzle, outcome=outcome)
            )
            await connection.execute(
                update(puzzle_ratings).where(puzzle_ratings.c.puzzle == puzzle.puzzle).values(**asdict(rated))
            )
            await _save_solver(connection, update_streak(after) if outcome == SOLVED else after, now)
            return before, after

    async def expire(self, before: datetime) -> int:
        """Delete a batch of solvers who have not been seen since; return their number."""
        async with self._database.writing() as connection:
            return await _delete_least_recent(connection, before)


async def _solver(connection: AsyncConnection, owner: str | None) -> Solver | None:
    columns = [column for column in solvers.c if column.name != "seen_at"]
    found = await connection.execute(select(*columns).where(solvers.c.owner == owner))
    return Solver(*row) if (row := found.one_or_none()) is not None else None


async def _save_solver(connection: AsyncConnection, solver: Solver, now: datetime) -> None:
    await connection.execute(
        update(solvers).where(solvers.c.owner == solver.owner).values(**asdict(solver), seen_at=now)
    )


async def _limit_solvers(connection: AsyncConnection) -> None:
    if (await connection.scalar(select(func.count()).select_from(solvers)) or 0) >= MAX_SOLVERS:
        await _delete_least_recent(connection, None)


async def _delete_least_recent(connection: AsyncConnection, before: datetime | None) -> int:
    """Delete some of the least recently seen solvers, only those not seen since `before` if it is given."""
    old = select(solvers.c.owner).order_by(solvers.c.seen_at).limit(_MAX_EXPIRED)
    if before is not None:
        old = old.where(solvers.c.seen_at < before)
    owners = list(await connection.scalars(old))
    for table in (puzzle_attempts, solvers):
        await connection.execute(delete(table).where(table.c.owner.in_(owners)))
    return len(owners)
