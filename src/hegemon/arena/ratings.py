"""Ratings: maximum-likelihood strengths of the sides of a tournament."""

from dataclasses import dataclass
from itertools import combinations
from math import log
from typing import Final

import numpy as np

from hegemon.arena.bootstrap import Array, Bootstrap, interval

#: Elo points for a factor of e in strength: 400 points are odds of ten to one.
POINTS: Final = 400 / log(10)

MAX_STEPS: Final = 200
_PRECISION: Final = 1e-9


@dataclass(frozen=True)
class Rating:
    """Elo points above the mean of all sides, weighted by their information, with a 95 % interval."""

    points: float
    low: float
    high: float
    expected: float
    """The win rate that the ratings of all sides predict for the games that were played."""

    def to_data(self) -> dict[str, float]:
        points = {"rating": self.points, "rating_low": self.low, "rating_high": self.high}
        return {
            **{name: round(value, 2) for name, value in points.items()},
            "expected": round(self.expected, 6),
        }


def win_chances(strengths: Array, lineups: Array) -> Array:
    """The win probability of each side at each table: its share of the strength there (Bradley–Terry, Plackett–Luce).

    Strengths are logarithms. A line-up has the number of seats of each side; two seats double the strength.
    """
    present = lineups * np.exp(strengths - strengths.max())
    chances: Array = present / present.sum(1, keepdims=True)
    return chances


def fit(lineups: Array, games: Array, wins: Array, start: Array | None = None) -> Array:
    """The maximum-likelihood log-strengths, by Newton's method: the expected wins of each side equal its wins.

    `games` is the number of games of each line-up, `wins` the number of wins of each side, fractions included.
    """
    sides = len(wins)
    strengths = np.zeros(sides) if start is None else start
    for _ in range(MAX_STEPS):
        chances = win_chances(strengths, lineups)
        expected = games @ chances
        # Only differences matter; the added constant fixes the mean.
        curvature = np.diag(expected) - (chances.T * games) @ chances + 1 / sides
        step = np.clip(np.linalg.solve(curvature, wins - expected), -1, 1)
        strengths = strengths + step
        if np.abs(step).max() < _PRECISION:
            break
    fitted: Array = strengths - strengths.mean()
    return fitted


def rate(bootstrap: Bootstrap, sides: Array, shares: Array, number: int) -> list[Rating]:
    """Rate `number` sides, from the sides of every game and their shares of the win.

    Half a win of every side against every other one is added as a prior, so that all ratings are finite.
    """
    if number < 2 or not len(sides):
        return []
    tables, table_of_game = np.unique(np.sort(sides), axis=0, return_inverse=True)
    lineups = (tables[:, :, None] == np.arange(number)).sum(1)
    games = bootstrap.totals(table_of_game.reshape(-1, 1), len(lineups))
    wins = bootstrap.totals(sides, number, shares)
    pairs = np.eye(number, dtype=int)[list(combinations(range(number), 2))]
    opponents = np.concatenate([lineups, pairs.sum(1)])

    def strengths(played: Array, won: Array, prior: Array, start: Array | None = None) -> Array:
        games_and_prior = np.concatenate([played, prior.sum(1)])
        return fit(opponents, games_and_prior, won + np.tensordot(prior, pairs, 2), start)

    played = games.sum(0)
    best = strengths(played, wins.sum(0), np.full((len(pairs), 2), 0.5))
    resampled = zip(
        bootstrap.weights @ games, bootstrap.weights @ wins, bootstrap.half_wins(len(pairs)), strict=True
    )
    chances = win_chances(best, lineups)
    # The Fisher information about each side: one that always loses has an uncertain rating and must not shift the rest.
    information = played @ (chances * (1 - chances)) + 1e-9
    best -= best @ information / information.sum()
    others = np.array([strengths(*weighted, best) for weighted in resampled])
    low, high = POINTS * interval(others - (others @ information / information.sum())[:, None])
    expected = played @ chances / np.maximum(played @ lineups, 1)
    return [Rating(*map(float, figures)) for figures in zip(POINTS * best, low, high, expected, strict=True)]
