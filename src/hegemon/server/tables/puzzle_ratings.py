"""Puzzles as rated games: a first attempt is a game between a person and a puzzle, rated by OpenSkill."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from hashlib import sha256
from typing import Final

from hegemon.puzzles.collection import Puzzle, daily_puzzle, puzzles_with
from hegemon.server.db.puzzles import SOLVED
from hegemon.server.db.rows import PuzzleRating, RatedPlayer, Solver
from hegemon.server.db.store import Store
from hegemon.server.tables.ratings import START_MU, START_SIGMA, shown_points

#: The estimated difficulty, in bits, at which a puzzle starts with the rating of a new player.
_AVERAGE_DIFFICULTY: Final = 9.5

#: The uncertainty of a new puzzle's rating, and the maximum difference between it and the rating of a new player.
_PUZZLE_SIGMA: Final = START_SIGMA / 2
_MAX_OFFSET: Final = 15.0

#: The number of puzzles nearest to the rating, one of which is offered.
_MAX_NEAREST: Final = 5


@dataclass(frozen=True)
class ShownChange:
    """The rating of a person before and after an attempt, as it is shown."""

    before: int
    after: int


def new_solver(owner: str) -> Solver:
    return Solver(owner, START_MU, START_SIGMA)


def first_rating(puzzle: Puzzle) -> PuzzleRating:
    """The initial rating of a puzzle, from its estimated difficulty."""
    offset = puzzle.difficulty - _AVERAGE_DIFFICULTY
    mu = START_MU + max(-_MAX_OFFSET, min(_MAX_OFFSET, offset))
    return PuzzleRating(puzzle.key, mu, _PUZZLE_SIGMA)


def shown_rating(rated: Solver | PuzzleRating) -> int:
    return shown_points(RatedPlayer("", "", rated.mu, rated.sigma, 0))


async def save_attempt(
    store: Store, owner: str, puzzle: Puzzle, outcome: str, now: datetime
) -> ShownChange | None:
    """Save an attempt; return the change of the rating, or None if it was not the first attempt."""
    today = now.date()
    is_daily = puzzle.key == daily_puzzle(today).key
    changed = await store.puzzles.save_attempt(
        new_solver(owner),
        first_rating(puzzle),
        outcome,
        now,
        lambda solver, rating: rate(solver, rating, solved=outcome == SOLVED),
        lambda solver: with_daily_solved(solver, today) if is_daily else solver,
    )
    return ShownChange(*map(shown_rating, changed)) if changed is not None else None


def rate(solver: Solver, puzzle: PuzzleRating, *, solved: bool) -> tuple[Solver, PuzzleRating]:
    """The solver and the puzzle after a first attempt."""
    from openskill.models import PlackettLuce  # loaded with the first attempt

    model = PlackettLuce()
    ((own,), (other,)) = model.rate(
        [[model.rating(mu=one.mu, sigma=one.sigma)] for one in (solver, puzzle)],
        ranks=[0, 1] if solved else [1, 0],
    )
    row = solver.row + 1 if solved else 0
    return (
        replace(
            solver,
            mu=own.mu,
            sigma=own.sigma,
            attempts=solver.attempts + 1,
            solved=solver.solved + solved,
            row=row,
            best_row=max(row, solver.best_row),
        ),
        replace(
            puzzle,
            mu=other.mu,
            sigma=other.sigma,
            attempts=puzzle.attempts + 1,
            solved=puzzle.solved + solved,
        ),
    )


def with_daily_solved(solver: Solver, today: date) -> Solver:
    """The solver after solving the puzzle of the day."""
    if solver.day == today:
        return solver
    days = daily_streak(solver, today) + 1
    return replace(solver, day=today, days=days, best_days=max(days, solver.best_days))


def daily_streak(solver: Solver, today: date) -> int:
    """The number of consecutive days on which the puzzle of the day was solved, up to today or yesterday."""
    return solver.days if solver.day in (today, today - timedelta(days=1)) else 0


def pick_puzzle(
    solver: Solver, tried: Mapping[str, str], ratings: Mapping[str, PuzzleRating], theme: str = ""
) -> Puzzle | None:
    """An untried puzzle near a person's rating; the rating is a conservative estimate, so the first ones are easy."""
    wanted = solver.mu - solver.sigma
    left = [puzzle for puzzle in puzzles_with(theme) if puzzle.key not in tried]
    nearest = sorted(left, key=lambda puzzle: abs(_rating(puzzle, ratings).mu - wanted))[:_MAX_NEAREST]
    return _any_of(nearest, f"{solver.owner} {solver.attempts}")


def _rating(puzzle: Puzzle, ratings: Mapping[str, PuzzleRating]) -> PuzzleRating:
    return ratings.get(puzzle.key) or first_rating(puzzle)


def _any_of(puzzles: Sequence[Puzzle], seed: str) -> Puzzle | None:
    if not puzzles:
        return None
    return puzzles[int.from_bytes(sha256(seed.encode()).digest()[:4]) % len(puzzles)]
