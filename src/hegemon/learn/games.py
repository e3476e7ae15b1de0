"""Parallel games of several setups on the CPU or on a GPU, with one interface."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from hegemon.kernels.batch import Batch
from hegemon.kernels.gpu_batch import GpuBatch, Setup
from hegemon.kernels.observation import FEATURES
from hegemon.rules.position import MAX_PLAYERS


class CpuGames:
    """One `Batch` per setup; each writes to a slice of the same arrays."""

    def __init__(self, games: int, setups: Sequence[Setup], seed: int, cores: int = 1) -> None:
        per_setup = games // len(setups)
        self._batches = [
            # Repeated setups get different deals.
            Batch(
                per_setup,
                setup.players,
                setup.variant,
                teams=setup.teams,
                seed=seed + list(setups[:number]).count(setup),
                cores=cores,
            )
            for number, setup in enumerate(setups)
        ]
        self._per_setup = per_setup
        # The batches write to slices of the same arrays, so that nothing is copied.
        for name in ("observations", "masks", "seats", "dones"):
            joined = np.concatenate([getattr(batch, name) for batch in self._batches])
            setattr(self, name, joined)
            for number, batch in enumerate(self._batches):
                batch.write_to(**{name: joined[number * per_setup : (number + 1) * per_setup]})
        self._rewards = np.zeros((per_setup * len(setups), MAX_PLAYERS), np.float32)
        self._reward_slices = [
            self._rewards[number * per_setup : (number + 1) * per_setup, : batch.players]
            for number, batch in enumerate(self._batches)
        ]
        self._seat_observations = np.zeros((per_setup * len(setups), MAX_PLAYERS, FEATURES), np.uint8)

    observations: Any
    masks: Any
    seats: Any
    dones: Any

    @property
    def rewards(self) -> Any:
        for rewards, batch in zip(self._reward_slices, self._batches, strict=True):
            rewards[:] = batch.rewards
        return self._rewards

    def step(self, actions: Any) -> None:
        for number, batch in enumerate(self._batches):
            batch.step(actions[number * self._per_setup : (number + 1) * self._per_setup])

    def heuristic_actions(self, games: Any) -> Any:
        """Actions of the heuristic policy for the games with these indices, in ascending order."""
        ends = np.searchsorted(games, np.arange(len(self._batches) + 1) * self._per_setup)
        indices = games % self._per_setup
        actions = [
            batch.heuristic_actions(some := indices[begin:end])[some]
            for batch, (begin, end) in zip(self._batches, pairwise(ends), strict=True)
        ]
        return np.concatenate(actions)

    def observe_seats(self) -> Any:
        for number, batch in enumerate(self._batches):
            batch.observe_seats(
                self._seat_observations[number * self._per_setup : (number + 1) * self._per_setup]
            )
        return self._seat_observations


class GpuGames:
    """A `GpuBatch` whose arrays are CuPy views of its memory."""

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
