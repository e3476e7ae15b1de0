"""The Gymnasium vector environment: self-play over a `Batch`."""

from typing import Any, Final

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from hegemon.kernels.batch import Array, Batch
from hegemon.kernels.observation import FEATURES
from hegemon.rules.actions import CHOICES
from hegemon.rules.shuffle import MAX_SEED

_LARGEST: Final = 255


class SelfPlay(VectorEnv[dict[str, Array], Array, Array]):
    """Games side by side in which one learner answers for every seat: each step serves the seat that is asked.

    The reward of a step is that of the seat that chose, so it comes only to the seat that ends a game. `infos` says the
    rest: `rewards`, what every seat got; `chose`, the seats that chose in this step; `asked`, the seats that are asked
    next. A game that ends is followed in the same step by the next one of the series. Its last observation is not kept:
    games end by their rules and are never cut short, so nothing has to be estimated from it.
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
        """The games themselves."""
        self.num_envs = num_envs
        self.single_action_space = spaces.Discrete(len(CHOICES))
        self.single_observation_space = spaces.Dict(
            {
                "observation": spaces.Box(0, _LARGEST, (FEATURES,), np.uint8),
                "action_mask": spaces.Box(0, 1, (len(CHOICES),), np.int8),
            }
        )
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Array], dict[str, Any]]:
        """Deal all games anew: the series of the seed, or one by the luck that the last seed began."""
        super().reset(seed=seed)
        self.batch.reset(int(self.np_random.integers(MAX_SEED)) if seed is None else seed)
        return self._seen(), {"asked": self.batch.seats.copy()}

    def step(self, actions: Any) -> tuple[dict[str, Array], Array, Array, Array, dict[str, Any]]:
        """Choose a word in every game. If one is not legal, none is carried out, and the refusal names the game."""
        batch = self.batch
        chose = batch.seats.copy()
        batch.step(actions)
        infos = {"rewards": batch.rewards.copy(), "chose": chose, "asked": batch.seats.copy()}
        reward = infos["rewards"][np.arange(self.num_envs), chose]
        return self._seen(), reward, batch.dones.copy(), np.zeros(self.num_envs, np.bool_), infos

    def _seen(self) -> dict[str, Array]:
        return {
            "observation": self.batch.observations.copy(),
            "action_mask": self.batch.masks.view(np.int8).copy(),
        }
