"""The Gymnasium vector environments based on `Batch`: self-play, and one agent against opponents."""

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from hegemon.env.spaces import Observation, action_space, observation_space, observations_of, seed_of
from hegemon.kernels.batch import Batch
from hegemon.kernels.batch_games import Array
from hegemon.kernels.opponents import Policy


class BatchEnv(VectorEnv[Observation, Array, Array]):
    """The games of a batch as a vector environment.

    A game that ends is replaced by the next one of its series in the same step. Its final observation is not returned:
    games are never truncated, so no value has to be bootstrapped from it.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012  # as in Gymnasium

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.num_envs = batch.games
        self.single_action_space = action_space()
        self.single_observation_space = observation_space()
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Restart all games; without a seed, the seed of the series is derived from the previous one."""
        if seed is not None:
            seed = seed_of(seed, self.np_random)
        super().reset(seed=seed)
        self.batch.reset(seed_of(seed, self.np_random))
        return observations_of(self.batch), self._infos()

    def _infos(self) -> dict[str, Any]:
        return {}

    def _step(self, actions: Any, seats: Array) -> tuple[Observation, Array, Array, Array, dict[str, Any]]:
        """Apply an action in every game; return the rewards of the given seats."""
        self.batch.step(actions)
        reward = self.batch.rewards[np.arange(self.num_envs), seats]
        truncations = np.zeros(self.num_envs, np.bool_)
        return observations_of(self.batch), reward, self.batch.dones.copy(), truncations, self._infos()


class SelfPlay(BatchEnv):
    """Parallel games in which one agent plays all seats: each step is a choice of the seat to move.

    The reward of a step is that of the seat that chose, so it is nonzero only for a seat that ends a game. `infos` has
    `rewards`, the rewards of all seats; `chose`, the seats that chose in this step; and `to_move`, the seats to move
    next.
    """

    def __init__(
        self,
        num_envs: int,
        players: int = 2,
        variant: str = "basic",
        *,
        teams: bool = False,
        rulings: str = "standard",
        cores: int = 1,
    ) -> None:
        super().__init__(Batch(num_envs, players, variant, teams=teams, rulings=rulings, cores=cores))

    def _infos(self) -> dict[str, Any]:
        return {"to_move": self.batch.seats.copy()}

    def step(self, actions: Any) -> tuple[Observation, Array, Array, Array, dict[str, Any]]:
        """Apply an action in every game; if one is illegal, none is applied, and the error names the game."""
        chose = self.batch.seats.copy()
        seen, reward, dones, truncations, infos = self._step(actions, chose)
        return (
            seen,
            reward,
            dones,
            truncations,
            infos | {"rewards": self.batch.rewards.copy(), "chose": chose},
        )


class VectorDuel(BatchEnv):
    """Parallel games in which the agent plays one seat each: `gymnasium.make_vec("hegemon/Duel-v0")`.

    `opponent` is `heuristic`, `chance`, or a function from observations and masks to actions. `seat` is the agent's
    seat; by default seat `i % players` in game `i`. `infos` has the agent's `seat` in each game.
    """

    def __init__(
        self,
        num_envs: int = 1,
        players: int = 2,
        variant: str = "basic",
        *,
        teams: bool = False,
        rulings: str = "standard",
        opponent: str | Policy = "heuristic",
        seat: int | None = None,
        cores: int = 1,
    ) -> None:
        own_seats = None if seat is None else [seat] * num_envs
        options: dict[str, Any] = {"teams": teams, "rulings": rulings, "cores": cores}
        batch = Batch(num_envs, players, variant, opponents=opponent, own_seats=own_seats, **options)
        super().__init__(batch)

    def _infos(self) -> dict[str, Any]:
        return {"seat": self.batch.own_seats.copy()}

    def step(self, actions: Any) -> tuple[Observation, Array, Array, Array, dict[str, Any]]:
        """Apply an action in every game; if one is illegal, none is applied, and the error names the game."""
        return self._step(actions, self.batch.own_seats)
