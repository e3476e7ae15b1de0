"""Measures with their 95 % intervals: means, rates, and differences of which one can say whether chance made them."""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any, Final

import numpy as np

from hegemon.arena.samples import Array, Games
from hegemon.arena.standings import interval
from hegemon.rules.effects.board import Effect

_SURE: Final = 0.95

# Fewer games than this tell nothing for sure: the normal distribution is not yet a good picture of their mean.
_FEW: Final = 30


@dataclass(frozen=True)
class Measure:
    """A figure and the ends of its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def margin(self) -> float:
        """How far the farther end of the interval is away."""
        return max(self.value - self.low, self.high - self.value)

    def to_data(self) -> dict[str, float]:
        """The measure for a program."""
        return {"value": round(self.value, 6), "low": round(self.low, 6), "high": round(self.high, 6)}


@dataclass(frozen=True)
class Difference(Measure):
    """By how much one figure is above another."""

    error: float
    """Its standard error; 0 where there is no difference in any game."""
    games: int
    """How many games of each were compared."""

    @property
    def nothing(self) -> bool:
        """Whether there is no difference in any game."""
        return self.error == 0 and self.value == 0

    def significant(self, comparisons: int = 1) -> bool:
        """Whether it is more than chance makes: at 95 % for so many comparisons together, as Bonferroni corrects."""
        if self.games < _FEW or self.error == 0:
            return False
        return abs(self.value) / self.error > NormalDist().inv_cdf(1 - (1 - _SURE) / (2 * comparisons))

    def to_data(self) -> dict[str, Any]:
        """The difference for a program."""
        return {**super().to_data(), "error": round(self.error, 8), "games": self.games}


def _around(value: float, error: float) -> tuple[float, float, float]:
    half = NormalDist().inv_cdf((1 + _SURE) / 2) * error
    return value, value - half, value + half


def _error(values: Array) -> float:
    return float(values.std(ddof=1)) / sqrt(len(values)) if len(values) > 1 else 0.0


def mean(values: Array) -> Measure:
    """The mean of some values."""
    return Measure(*_around(float(values.mean()), _error(values)))


def rate(wins: float, games: int) -> Measure:
    """A part of so many games."""
    return Measure(wins / games if games else 0.0, *interval(wins, games))


def difference(one: Array, other: Array) -> Difference:
    """By how much the first is above the second in the mean, over games of the same deals: game by game."""
    games = min(len(one), len(other))
    apart = one[:games] - other[:games]
    error = _error(apart)
    return Difference(*_around(float(apart.mean()), error), error, games)


def value_of(games: Games, effect: Effect) -> Difference | None:
    """How much more often seats won that applied an effect than seats that did not; None if all or none did.

    Seats of one game are not independent: what one wins the other loses. The error is therefore taken over games.
    """
    used, shares = games.used(effect), games.shares
    users = int(used.sum())
    others = used.size - users
    if users == 0 or others == 0:
        return None
    won, lost = shares[used].mean(), shares[~used].mean()
    apart = np.where(used, (shares - won) / users, (lost - shares) / others).sum(axis=1)
    error = float(np.sqrt((apart**2).sum()))
    return Difference(*_around(float(won - lost), error), error, len(games))
