"""The Gymnasium vector environment: self-play over a `Batch`."""

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from hegemon.kernels.batch import Array, Batch
from hegemon.kernels.observation import FEATURES, MAX_FEATURE
from hegemon.rules.actions import CHOICES
from hegemon.rules.shuffle import MAX_SEED


def observation_space() -> spaces.Dict:
    return spaces.Dict(
        {
            "observation": spaces.Box(0, MAX_FEATURE, (FEATURES,), np.uint8),
            "action_mask": spaces.Box(0, 1, (len(CHOICES),), np.int8),
        }
    )


class SelfPlay(VectorEnv[dict[str, Array], Array, Array]):
    """Games side by side in which one learner acts for every seat: each step serves the seat to move.

    The reward of a step is that of the seat that chose, so it comes only to the seat that ends a game. `infos` has the
    rest: `rewards`, what every seat got; `chose`, the seats that chose in this step; `to_move`, the seats to move next.
    A game that ends is followed in the same step by the next one of the series. Its last observation is lost: games end
    by their rules and are never truncated, so nothing has to be estimated from it.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012  # Gymnasium declares it so

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
        self.batch = Batch(num_envs, players, variant, teams=teams, rulings=rulings, cores=cores)
        self.num_envs = num_envs
        self.single_action_space = spaces.Discrete(len(CHOICES))
        self.single_observation_space = observation_space()
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Array], dict[str, Any]]:
        """Deal all games again: the series of the seed, or one that follows from the last seed."""
        super().reset(seed=seed)
        self.batch.reset(int(self.np_random.integers(MAX_SEED)) if seed is None else seed)
        return self._seen(), {"to_move": self.batch.seats.copy()}

    def step(self, actions: Any) -> tuple[dict[str, Array], Array, Array, Array, dict[str, Any]]:
        """Apply an action in every game; if one is not legal, none is applied, and the error names the game."""
        batch = self.batch
        chose = batch.seats.copy()
        batch.step(actions)
        infos = {"rewards": batch.rewards.copy(), "chose": chose, "to_move": batch.seats.copy()}
        reward = infos["rewards"][np.arange(self.num_envs), chose]
        return self._seen(), reward, batch.dones.copy(), np.zeros(self.num_envs, np.bool_), infos

    def _seen(self) -> dict[str, Array]:
        return {
            "observation": self.batch.observations.copy(),
            "action_mask": self.batch.masks.view(np.int8).copy(),
        }
