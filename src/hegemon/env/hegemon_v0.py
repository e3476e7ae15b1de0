"""The PettingZoo environment: `hegemon_v0.env()` in the agent-environment cycle.

The agent that acts is the seat to move. In the draft, where picks are simultaneous, the seats that owe one act in
their order: each chooses from its own packet and sees nothing of the others' picks, so it makes no difference.
"""

import sys
from random import Random
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers
from pettingzoo.utils.env_logger import EnvLogger

from hegemon.env.vector import observation_space
from hegemon.kernels.batch import Batch
from hegemon.notation.writing import write_view
from hegemon.rules.actions import CHOICES
from hegemon.rules.shuffle import MAX_SEED
from hegemon.rules.view import view

Observation = dict[str, np.ndarray[Any, np.dtype[Any]]]


def env(**options: Any) -> "Guarded":
    """The environment with PettingZoo's guard against steps out of order."""
    return Guarded(raw_env(**options))


class Guarded(wrappers.OrderEnforcingWrapper[str, Observation, int]):  # type: ignore[misc]  # PettingZoo has no types
    """PettingZoo's guard, without the detour that it takes to every attribute in `last`, the most frequent call."""

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Observation, reward, termination, truncation and info of the agent that acts next."""
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        return self.env.last(observe)  # type: ignore[no-any-return]  # PettingZoo has no types

    def __str__(self) -> str:
        return str(self.env)


class raw_env(AECEnv[str, Observation, int], EzPickle):  # type: ignore[misc]  # noqa: N801  # PettingZoo's name
    """The environment itself.

    An observation is a dictionary: `observation`, what the agent's seat sees, and `action_mask`, its legal actions; the
    mask of an agent that is not to move is empty. Rewards come at the end of the game alone: every seat that lost pays
    1, and those that won share it evenly.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # PettingZoo declares it so
        "name": "hegemon_v0",
        "render_modes": ["human", "ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        players: int = 2,
        variant: str = "basic",
        teams: bool = False,
        rulings: str = "standard",
        render_mode: str | None = None,
    ) -> None:
        EzPickle.__init__(self, players, variant, teams, rulings, render_mode)
        super().__init__()
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"The table is rendered for a human or as ansi text, not as {render_mode!r}.")
        self.render_mode = render_mode
        self._batch = Batch(1, players, variant, teams=teams, rulings=rulings, auto_restart=False)
        self._masks = self._batch.masks.view(np.int8)
        self._nothing = np.zeros(len(CHOICES), np.int8)
        self._chance = Random()
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.action_spaces = {agent: spaces.Discrete(len(CHOICES)) for agent in self.possible_agents}
        self.observation_spaces = {agent: observation_space() for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game: that of the seed, or one that follows from the last seed."""
        if seed is not None:
            self._chance = Random(seed)
        self._batch.reset(self._chance.randint(0, MAX_SEED) if seed is None else seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self._batch.seats[0]]

    def observe(self, agent: str) -> Observation:
        seat = self._seats[agent]
        if seat == self._batch.seats[0]:
            seen, mask = self._batch.observations[0].copy(), self._masks[0].copy()
        else:
            seen, mask = self._batch.observation(0, seat), self._nothing.copy()
        return {"observation": seen, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Apply an action of the selected agent, if it is legal; None for an agent whose game is over."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._batch.step([action])
        self._cumulative_rewards[agent] = 0.0
        self.agent_selection = self.possible_agents[self._batch.seats[0]]
        if self._batch.dones[0]:
            self.rewards = dict(zip(self.agents, self._batch.rewards[0].tolist(), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """What the seat to move sees, as a view line, and its choices."""
        position = self._batch.position(0)
        choices = [choice for choice, legal in zip(CHOICES, self._batch.masks[0], strict=True) if legal]
        text = f"{write_view(view(position, position.seat))}\n{' '.join(choices)}\n"
        if self.render_mode == "ansi":
            return text
        if self.render_mode == "human":
            sys.stdout.write(text)
        return None

    def close(self) -> None:
        """Do nothing: there are no resources to release."""
