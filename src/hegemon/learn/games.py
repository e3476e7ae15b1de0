"""Many games of several kinds side by side, on the CPU or on a GPU, with the same arrays."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hegemon.kernels.batch import Batch
from hegemon.kernels.gpu_batch import GpuBatch, Setup
from hegemon.rules.position import MAX_PLAYERS


class CpuGames:
    """A batch for each kind of table, one after the other in every array."""

    def __init__(self, games: int, setups: Sequence[Setup], seed: int, cores: int = 1) -> None:
        share = games // len(setups)
        self._batches = [
            Batch(share, setup.players, setup.variant, teams=setup.teams, seed=seed, cores=cores)
            for setup in setups
        ]
        self._share = share

    def _joined(self, name: str) -> Any:
        return np.concatenate([getattr(batch, name) for batch in self._batches])

    @property
    def observations(self) -> Any:
        return self._joined("observations")

    @property
    def masks(self) -> Any:
        return self._joined("masks")

    @property
    def seats(self) -> Any:
        return self._joined("seats")

    @property
    def dones(self) -> Any:
        return self._joined("dones")

    @property
    def rewards(self) -> Any:
        wide = [np.pad(batch.rewards, ((0, 0), (0, MAX_PLAYERS - batch.players))) for batch in self._batches]
        return np.concatenate(wide)

    def step(self, actions: Any) -> None:
        for number, batch in enumerate(self._batches):
            batch.step(actions[number * self._share : (number + 1) * self._share])

    def heuristic_actions(self) -> Any:
        return np.concatenate([batch.heuristic_actions() for batch in self._batches])

    def observe_seats(self) -> Any:
        wide = [
            np.pad(batch.observe_seats(), ((0, 0), (0, MAX_PLAYERS - batch.players), (0, 0)))
            for batch in self._batches
        ]
        return np.concatenate(wide)


class GpuGames:
    """A `GpuBatch` whose arrays are those of CuPy; nothing is copied."""

    def __init__(self, games: int, setups: Sequence[Setup], seed: int, xp: Any) -> None:
        self._batch = GpuBatch(games, setups, seed=seed)
        self._xp = xp
        for name in ("observations", "masks", "seats", "dones", "rewards"):
            setattr(self, name, xp.asarray(getattr(self._batch, name)))

    observations: Any
    masks: Any
    seats: Any
    dones: Any
    rewards: Any

    def step(self, actions: Any) -> None:
        self._batch.step(actions)

    def heuristic_actions(self) -> Any:
        return self._xp.asarray(self._batch.heuristic_actions())

    def observe_seats(self) -> Any:
        return self._xp.asarray(self._batch.observe_seats())


Games = CpuGames | GpuGames
