"""Many games of several kinds side by side, on the CPU or on a GPU, with the same arrays."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from hegemon.kernels.batch import Batch
from hegemon.kernels.gpu_batch import GpuBatch, Setup
from hegemon.kernels.observation import FEATURES
from hegemon.rules.position import MAX_PLAYERS


class CpuGames:
    """A batch for each kind of table, one after the other in every array."""

    def __init__(self, games: int, setups: Sequence[Setup], seed: int, cores: int = 1) -> None:
        share = games // len(setups)
        self._batches = [
            # Tables of the same kind play other deals.
            Batch(
                share,
                setup.players,
                setup.variant,
                teams=setup.teams,
                seed=seed + list(setups[:number]).count(setup),
                cores=cores,
            )
            for number, setup in enumerate(setups)
        ]
        self._share = share
        # The batches write to parts of the same arrays, so that nothing has to be copied.
        for name in ("observations", "masks", "seats", "dones"):
            joined = np.concatenate([getattr(batch, name) for batch in self._batches])
            setattr(self, name, joined)
            for number, batch in enumerate(self._batches):
                batch.write_to(**{name: joined[number * share : (number + 1) * share]})
        self._rewards = np.zeros((share * len(setups), MAX_PLAYERS), np.float32)
        self._rewards_of = [
            self._rewards[number * share : (number + 1) * share, : batch.players]
            for number, batch in enumerate(self._batches)
        ]
        self._seen = np.zeros((share * len(setups), MAX_PLAYERS, FEATURES), np.uint8)

    observations: Any
    masks: Any
    seats: Any
    dones: Any

    @property
    def rewards(self) -> Any:
        for part, batch in zip(self._rewards_of, self._batches, strict=True):
            part[:] = batch.rewards
        return self._rewards

    def step(self, actions: Any) -> None:
        for number, batch in enumerate(self._batches):
            batch.step(actions[number * self._share : (number + 1) * self._share])

    def heuristic_actions(self, games: Any) -> Any:
        """An action of the heuristic policy for each of the games with these numbers, which ascend."""
        ends = np.searchsorted(games, np.arange(len(self._batches) + 1) * self._share)
        places = games % self._share
        actions = [
            batch.heuristic_actions(some := places[begin:end])[some]
            for batch, (begin, end) in zip(self._batches, pairwise(ends), strict=True)
        ]
        return np.concatenate(actions)

    def observe_seats(self) -> Any:
        for number, batch in enumerate(self._batches):
            batch.observe_seats(self._seen[number * self._share : (number + 1) * self._share])
        return self._seen


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

    def heuristic_actions(self, games: Any) -> Any:
        return self._xp.asarray(self._batch.heuristic_actions(games))[games]

    def observe_seats(self) -> Any:
        return self._xp.asarray(self._batch.observe_seats())


Games = CpuGames | GpuGames
