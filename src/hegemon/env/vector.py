"""The Gymnasium vector environments over a `Batch`: self-play, and one learner against opponents."""

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from hegemon.env.spaces import Observation, action_space, observation_space, observations_of, seed_of
from hegemon.kernels.batch import Batch
from hegemon.kernels.batch_games import Array
from hegemon.kernels.opponents import Policy


class BatchEnv(VectorEnv[Observation, Array, Array]):
    """The games of a batch, one after the other in every place.

    A game that ends is followed in the same step by the next one of the series. Its last observation is lost: games end
    by their rules and are never truncated, so nothing has to be estimated from it.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012  # Gymnasium declares it so

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
        """Deal all games again: the series of the seed, or one that follows from the last seed."""
        if seed is not None:
            seed = seed_of(seed, self.np_random)
        super().reset(seed=seed)
        self.batch.reset(seed_of(seed, self.np_random))
        return observations_of(self.batch), self._infos()

    def _infos(self) -> dict[str, Any]:
        return {}

    def _step(self, actions: Any, seats: Array) -> tuple[Observation, Array, Array, Array, dict[str, Any]]:
        """Apply an action in every game; the rewards are those of the given seats."""
        self.batch.step(actions)
        reward = self.batch.rewards[np.arange(self.num_envs), seats]
        never = np.zeros(self.num_envs, np.bool_)
        return observations_of(self.batch), reward, self.batch.dones.copy(), never, self._infos()


class SelfPlay(BatchEnv):
    """Games side by side in which one learner acts for every seat: each step serves the seat to move.

    The reward of a step is that of the seat that chose, so it comes only to the seat that ends a game. `infos` has the
    rest: `rewards`, what every seat got; `chose`, the seats that chose in this step; `to_move`, the seats to move next.
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
        """Apply an action in every game; if one is not legal, none is applied, and the error names the game."""
        chose = self.batch.seats.copy()
        seen, reward, dones, never, infos = self._step(actions, chose)
        return seen, reward, dones, never, infos | {"rewards": self.batch.rewards.copy(), "chose": chose}


class VectorDuel(BatchEnv):
    """Games side by side in which the learner has one seat in each: `gymnasium.make_vec("hegemon/Duel-v0")`.

    `opponent` is `heuristic`, `chance`, or a function from observations and masks to actions. The learner has that
    `seat`; without one, seat `i % players` in game `i`. `infos` has its `seat` in each game.
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
        """Apply an action in every game; if one is not legal, none is applied, and the error names the game."""
        return self._step(actions, self.batch.own_seats)
