"""Confidence intervals of the results of a tournament, by a bootstrap over its deals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

RESAMPLES: Final = 2000
# Above this number, deals are weighted in blocks.
MAX_BLOCKS: Final = 1000
_QUANTILES: Final = (0.025, 0.975)


@dataclass(frozen=True)
class Score:
    """Games and wins, with a 95 % interval of the win rate; a shared win counts as a fraction."""

    games: int = 0
    wins: float = 0.0
    low: float = 0.0
    high: float = 1.0

    @property
    def win_rate(self) -> float:
        return self.wins / self.games if self.games else 0.0

    def reversed(self) -> "Score":
        """The score of the opponent, where there is only one."""
        return Score(self.games, self.games - self.wins, 1 - self.high, 1 - self.low)

    def to_data(self) -> dict[str, Any]:
        rates = {"wins": self.wins, "win_rate": self.win_rate, "low": self.low, "high": self.high}
        return {"games": self.games, **{name: round(rate, 6) for name, rate in rates.items()}}


def interval(values: Array) -> Array:
    """The ends of the 95 % interval of each column of resampled values."""
    ends: Array = np.quantile(values, _QUANTILES, axis=0)
    return ends


class Bootstrap:
    """Rubin's Bayesian bootstrap: thousands of samples of random weights for the deals.

    The games of a deal share their cards, so they share their weight. Half a win and half a loss are added to every
    rate, with their own weights (Jeffreys prior), so that rates of 0 and 1 also have intervals.
    """

    def __init__(self, deals: Sequence[int]) -> None:
        """`deals` has the deal number of each game, in any order."""
        numbers, places = np.unique(np.asarray(deals, np.int64), return_inverse=True)
        self.blocks = min(len(numbers), MAX_BLOCKS)
        self.block_of_game: Array = places % MAX_BLOCKS
        self._random = np.random.default_rng(0)
        weights = self._random.standard_exponential((RESAMPLES // 2, self.blocks))
        self.weights: Array = np.concatenate([weights, weights])
        # The same for all rates, so that equal rates have equal intervals.
        self._half_wins = self.half_wins(1)

    def half_wins(self, *shape: int) -> Array:
        """Random weights of half a win and half a loss; each pair also occurs in reverse.

        So with two sides, the interval of one is exactly that of the other, reversed.
        """
        weights = np.maximum(self._random.gamma(0.5, size=(RESAMPLES // 2, *shape, 2)), 1e-6)
        both: Array = np.concatenate([weights, weights[..., ::-1]])
        return both

    def totals(self, keys: Array, number: int, amounts: Array | None = None) -> Array:
        """The number of occurrences of each key in each block, or the sum of its amounts; negative keys are ignored.

        Keys and amounts have a row for each game, and a column for each key of a game.
        """
        blocks = np.broadcast_to(self.block_of_game[:, None], keys.shape)
        counted = keys >= 0
        summed: Array = np.bincount(
            (blocks * number + keys)[counted],
            None if amounts is None else amounts[counted],
            minlength=self.blocks * number,
        )
        return summed.reshape(self.blocks, number)

    def scores(self, keys: Array, number: int, shares: Array) -> list[Score]:
        """The score of each key."""
        games, wins = self.totals(keys, number), self.totals(keys, number, shares)
        won, lost = np.moveaxis(self._half_wins, -1, 0)
        rates = (self.weights @ wins + won) / (self.weights @ games + won + lost)
        found = zip(games.sum(0), wins.sum(0), *interval(rates), strict=True)
        return [
            Score(int(played), float(won), float(min(low, won / played)), float(max(high, won / played)))
            if played
            else Score()
            for played, won, low, high in found
        ]
