"""Opponents for the learner: its own past, and the heuristic policy.

A network that plays only itself forgets how to beat what it has left behind. So some of the games are played against
earlier networks, those more often that still win, and some against the policy of the search.
"""

from typing import Any

import numpy as np

from hegemon.bots.learned import TEMPERATURE
from hegemon.learn.arrays import CpuArrays


class League:
    """Earlier networks, and those of them that play at present."""

    def __init__(self, present: int, arrays: CpuArrays, capacity: int = 96) -> None:
        self._arrays = arrays
        self._capacity = capacity
        self.frozen = False
        """Whether there is one opponent only, which plays as the bare network does."""
        self._members: list[list[Any]] = []
        self._wins: list[float] = []
        self.present = np.zeros(present, np.int64)
        """The numbers of the members that play at present, in groups of the same size."""
        self.weights: list[Any] = []
        """Their weights, stacked, in the precision in which they are multiplied."""

    @property
    def temperature(self) -> float:
        """How its members choose: by their odds, and a frozen opponent as `hegemon.bots.Learned` does."""
        return TEMPERATURE if self.frozen else 1.0

    def __len__(self) -> int:
        return len(self._members)

    def add(self, weights: list[Any]) -> None:
        """Add a network; when there are too many, every second of the older half goes."""
        self._members.append([array.copy() for array in weights])
        self._wins.append(0.5)
        if len(self._members) > self._capacity:
            half = self._capacity // 2
            self._members[:half] = self._members[:half:2]
            self._wins[:half] = self._wins[:half:2]

    def draw(self, generator: np.random.Generator) -> None:
        """Draw those that play from now on: the better a member does against the learner, the likelier."""
        odds = np.array([(1.05 - wins) ** 2 for wins in self._wins])
        self.present = np.sort(generator.choice(len(odds), len(self.present), p=odds / odds.sum()))
        weights = []
        for place, array in enumerate(self._members[0]):
            stack = self._arrays.xp.stack([self._members[member][place] for member in self.present])
            last = place == len(self._members[0]) - 1
            weights.append(stack if last else stack.astype(self._arrays.precision, copy=False))
            if array.ndim == 1:
                weights[-1] = weights[-1][:, None, :]
        self.weights = self._arrays.padded(weights)

    def record(self, wins: Any, games: Any) -> None:
        """Record what part of its games the learner won against each of the present members, beyond a fair share."""
        counts = [self._arrays.to_host(array) for array in (wins, games)]
        for member, won, number in zip(self.present, *counts, strict=True):
            if number > 0:
                part = min(0.5, number / 2000)
                self._wins[member] += part * (won / number - self._wins[member])

    def state(self) -> dict[str, Any]:
        arrays = {
            f"member{number}_{place}": self._arrays.to_host(array).astype(np.float16)
            for number, member in enumerate(self._members)
            for place, array in enumerate(member)
        }
        return arrays | {"member_wins": np.array(self._wins)}

    def load_state(self, arrays: Any, layers: int) -> None:
        xp = self._arrays.xp
        self._wins = arrays["member_wins"].tolist()
        self._members = [
            [xp.asarray(arrays[f"member{number}_{place}"], xp.float32) for place in range(layers)]
            for number in range(len(self._wins))
        ]
