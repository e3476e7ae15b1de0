"""Estimates with 95 % confidence intervals: means, rates and paired differences."""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any, Final

import numpy as np

from hegemon.arena.samples import Array

CONFIDENCE: Final = 0.95

# Below this the normal distribution does not approximate the distribution of the mean.
MIN_GAMES: Final = 30


@dataclass(frozen=True)
class Estimate:
    """A value and its 95 % confidence interval."""

    value: float
    low: float
    high: float

    @property
    def margin(self) -> float:
        """The distance to the farther end of the interval."""
        return max(self.value - self.low, self.high - self.value)

    def to_data(self) -> dict[str, float]:
        return {"value": round(self.value, 6), "low": round(self.low, 6), "high": round(self.high, 6)}


@dataclass(frozen=True)
class Difference(Estimate):
    """The difference of two means or rates."""

    error: float
    """The standard error; 0 if no game differs."""
    games: int
    """Games compared on each side."""

    @property
    def identical(self) -> bool:
        return self.error == 0 and self.value == 0

    def significant(self, comparisons: int = 1) -> bool:
        """Whether the difference is significant at 95 %, with Bonferroni's correction for multiple comparisons."""
        if self.games < MIN_GAMES or self.error == 0:
            return False
        return abs(self.value) / self.error > NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / (2 * comparisons))

    def to_data(self) -> dict[str, Any]:
        return {**super().to_data(), "error": round(self.error, 8), "games": self.games}


def _interval(value: float, error: float) -> tuple[float, float, float]:
    half = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * error
    return value, value - half, value + half


def _error(values: Array) -> float:
    return float(values.std(ddof=1)) / sqrt(len(values)) if len(values) > 1 else 0.0


def mean(values: Array) -> Estimate:
    return Estimate(*_interval(float(values.mean()), _error(values)))


def rate(wins: float, games: int) -> Estimate:
    """A rate of independent games, with Wilson's score interval."""
    if games == 0:
        return Estimate(0.0, 0.0, 1.0)
    value, z = wins / games, NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    scale = 1 + z**2 / games
    middle = (value + z**2 / (2 * games)) / scale
    half = z * sqrt(value * (1 - value) / games + z**2 / (4 * games**2)) / scale
    return Estimate(value, max(0.0, middle - half), min(1.0, middle + half))


def difference(one: Array, other: Array) -> Difference:
    """The mean of `one - other`, paired by game; both must have played the same deals."""
    games = min(len(one), len(other))
    differences = one[:games] - other[:games]
    error = _error(differences)
    return Difference(*_interval(float(differences.mean()), error), error, games)


def win_rate(seats: Array, shares: Array) -> Estimate | None:
    """The average share of the win of some seats; None if too few games have such seats.

    The error is taken over games, because the seats of one game are not independent.
    """
    if seats.any(axis=1).sum() < MIN_GAMES:
        return None
    won = shares[seats].mean()
    terms = np.where(seats, (shares - won) / seats.sum(), 0).sum(axis=1)
    return Estimate(*_interval(float(won), float(np.sqrt((terms**2).sum()))))


def advantage(seats: Array, others: Array, shares: Array) -> Difference | None:
    """The win rate of some seats minus that of others; None if too few games have both. The error is over games."""
    games = min(int(group.any(axis=1).sum()) for group in (seats, others))
    if games < MIN_GAMES:
        return None
    number, number_of_others = seats.sum(), others.sum()
    won, lost = shares[seats].mean(), shares[others].mean()
    terms = np.where(seats, (shares - won) / number, 0) + np.where(
        others, (lost - shares) / number_of_others, 0
    )
    error = float(np.sqrt((terms.sum(axis=1) ** 2).sum()))
    return Difference(*_interval(float(won - lost), error), error, games)
