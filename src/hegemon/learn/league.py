"""Opponents of the learner: snapshots of itself.

A network that plays only against itself forgets how to beat strategies that it no longer uses. So some games are played
against snapshots; those that still win are selected more often.
"""

from typing import Any

import numpy as np

from hegemon.learn.ops import CpuOps


class League:
    """Snapshots of the network, and the selection of them that currently plays."""

    def __init__(self, active: int, ops: CpuOps, capacity: int = 96) -> None:
        self._ops = ops
        self._capacity = capacity
        self.fixed_opponent = False
        """Whether the only opponent is a fixed network, which the learner trains a best response to."""
        self.temperature = 1.0
        """The sampling temperature of the opponents."""
        self._snapshots: list[list[Any]] = []
        self._win_rates: list[float] = []
        """The learner's win rate against each snapshot, where 0.5 is a fair share."""
        self.active = np.zeros(active, np.int64)
        """The indices of the snapshots that currently play, one for each group of games."""
        self.weights: list[Any] = []
        """Their weights, stacked, in the precision of the matrix products."""

    def __len__(self) -> int:
        return len(self._snapshots)

    def add(self, weights: list[Any]) -> None:
        """Add a snapshot; above the capacity, drop every second one of the older half."""
        self._snapshots.append([array.copy() for array in weights])
        self._win_rates.append(0.5)
        if len(self._snapshots) > self._capacity:
            half = self._capacity // 2
            self._snapshots[:half] = self._snapshots[:half:2]
            self._win_rates[:half] = self._win_rates[:half:2]

    def select(self, generator: np.random.Generator) -> None:
        """Select the active snapshots at random, with a preference for those that beat the learner."""
        priorities = np.array([(1.05 - win_rate) ** 2 for win_rate in self._win_rates])
        self.active = np.sort(
            generator.choice(len(priorities), len(self.active), p=priorities / priorities.sum())
        )
        weights = []
        for number, array in enumerate(self._snapshots[0]):
            stack = self._ops.xp.stack([self._snapshots[snapshot][number] for snapshot in self.active])
            last = number == len(self._snapshots[0]) - 1
            weights.append(stack if last else stack.astype(self._ops.precision, copy=False))
            if array.ndim == 1:
                weights[-1] = weights[-1][:, None, :]
        self.weights = self._ops.padded(weights)

    def record(self, wins: Any, games: Any) -> None:
        """Update the learner's win rates against the active snapshots."""
        counts = [self._ops.to_host(array) for array in (wins, games)]
        for snapshot, won, played in zip(self.active, *counts, strict=True):
            if played > 0:
                step = min(0.5, played / 2000)
                self._win_rates[snapshot] += step * (won / played - self._win_rates[snapshot])

    def state_dict(self) -> dict[str, Any]:
        arrays = {
            f"snapshot{snapshot}_{number}": self._ops.to_host(array).astype(np.float16)
            for snapshot, weights in enumerate(self._snapshots)
            for number, array in enumerate(weights)
        }
        return arrays | {"snapshot_win_rates": np.array(self._win_rates)}

    def load_state_dict(self, state: Any, arrays: int) -> None:
        """Restore the snapshots, each of which has that many arrays."""
        xp = self._ops.xp
        self._win_rates = state["snapshot_win_rates"].tolist()
        self._snapshots = [
            [xp.asarray(state[f"snapshot{snapshot}_{number}"], xp.float32) for number in range(arrays)]
            for snapshot in range(len(self._win_rates))
        ]
