"""The PettingZoo environments: `hegemon_v0.env()` in the agent-environment cycle, and `hegemon_v0.parallel_env()`.

In the draft, where picks are simultaneous, the seats that owe one act in their order in the first, and all at once in
the second. Each chooses from its own packet and sees nothing of the others' picks, so the games are the same.
"""

import sys
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import wrappers
from pettingzoo.utils.env_logger import EnvLogger

from hegemon.env.spaces import (
    RENDER_MODES,
    Observation,
    action_space,
    check_render_mode,
    observation_of,
    observation_space,
    rendered,
    seed_of,
)
from hegemon.kernels.batch import Batch
from hegemon.kernels.batch_games import Array
from hegemon.kernels.observation import MAX_FEATURE, OBSERVATION
from hegemon.kernels.state import STATE_FEATURES
from hegemon.play.legality import choices_of
from hegemon.rules.actions import CHOICES
from hegemon.rules.engine import may_choose

_TO_MOVE = next(piece for piece in OBSERVATION if piece.name == "to_move")


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


class Table:
    """What both environments have: one game in a batch, an agent for every seat, and spaces.

    An observation is a dictionary: `observation`, what the agent's seat sees, and `action_mask`, its legal actions; the
    mask of an agent that is not to move is empty. Rewards come at the end of the game alone: every seat that lost pays
    1, and those that won share it evenly.
    """

    def __init__(
        self,
        players: int = 2,
        variant: str = "basic",
        teams: bool = False,
        rulings: str = "standard",
        render_mode: str | None = None,
    ) -> None:
        check_render_mode(render_mode)
        self.render_mode = render_mode
        self._batch = Batch(1, players, variant, teams=teams, rulings=rulings, auto_restart=False)
        self._random = np.random.default_rng()
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.action_spaces = {agent: action_space() for agent in self.possible_agents}
        self.observation_spaces = {agent: observation_space() for agent in self.possible_agents}
        self.state_space = spaces.Box(0, MAX_FEATURE, (STATE_FEATURES,), np.uint8)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def state(self) -> Array:
        """The full-state row: what the seat to move sees, and all hidden cards."""
        row: Array = self._batch.states()[0]
        return row

    def _deal(self, seed: Any) -> None:
        """Deal a new game: that of the seed, or one that follows from the last seed."""
        if seed is not None:
            seed = seed_of(seed, self._random)
            self._random = np.random.default_rng(seed)
        self._batch.reset(seed_of(seed, self._random))
        self.agents = self.possible_agents[:]

    def _rewards(self) -> dict[str, float]:
        return dict(zip(self.possible_agents, self._batch.rewards[0].tolist(), strict=True))

    def render(self) -> str | None:
        """What the seat to move sees, as a view line, and its choices."""
        if self.render_mode == "ansi":
            return rendered(self._batch)
        if self.render_mode == "human":
            sys.stdout.write(rendered(self._batch))
        return None

    def close(self) -> None:
        """Do nothing: there are no resources to release."""


class raw_env(Table, AECEnv[str, Observation, int]):  # type: ignore[misc]  # noqa: N801  # PettingZoo's name
    """The environment in the agent-environment cycle: the agent that acts is the seat to move."""

    metadata: dict[str, Any] = {  # noqa: RUF012  # PettingZoo declares it so
        "name": "hegemon_v0",
        "render_modes": RENDER_MODES,
        "is_parallelizable": False,
    }

    def reset(self, seed: Any = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game: that of the seed, or one that follows from the last seed."""
        self._deal(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self._batch.seats[0]]

    def observe(self, agent: str) -> Observation:
        seat = self._seats[agent]
        if seat == self._batch.seats[0]:
            return observation_of(self._batch)
        return {"observation": self._batch.observation(0, seat), "action_mask": _nothing()}

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
            self.rewards = self._rewards()
            self.terminations = dict.fromkeys(self.agents, True)
            self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()


class parallel_env(Table, ParallelEnv[str, Observation, int]):  # type: ignore[misc]  # noqa: N801  # PettingZoo's name
    """The environment in which all agents act at once: in the draft all that owe a pick, then the seat to move alone.

    Every agent has an observation at every step. The actions of agents with an empty mask are ignored.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # PettingZoo declares it so
        "name": "hegemon_v0",
        "render_modes": RENDER_MODES,
    }

    def __init__(self, players: int = 2, variant: str = "draft", **options: Any) -> None:
        super().__init__(players, variant, **options)

    def reset(
        self, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Deal a new game: that of the seed, or one that follows from the last seed."""
        self._deal(seed)
        return self._observations(), {agent: {} for agent in self.agents}

    def _observations(self) -> dict[str, Observation]:
        position = self._batch.position(0)
        found = {}
        for agent, seat in self._seats.items():
            row, mask = self._batch.observation(0, seat), _nothing()
            if may_choose(position, seat):
                # All that may choose see themselves to move.
                row[_TO_MOVE.offset : _TO_MOVE.offset + _TO_MOVE.length] = [1, *[0] * (_TO_MOVE.length - 1)]
                mask[:] = [choices_of(position, seat) >> action & 1 for action in range(len(CHOICES))]
            found[agent] = {"observation": row, "action_mask": mask}
        return found

    def step(self, actions: dict[str, Any]) -> tuple[
        dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:  # fmt: skip
        """Apply the actions of all agents that may choose; if one is not legal, none is applied."""
        position = self._batch.position(0)
        choosing = [seat for seat in range(position.players) if may_choose(position, seat)]
        played = self._batch.copy()
        for seat in choosing:
            agent = self.possible_agents[seat]
            if agent not in actions:
                raise ValueError(f"{agent} has to choose, and has no action.")
            played.step([actions[agent]])
        self._batch = played
        over = bool(played.dones[0])
        agents = self.agents
        self.agents = [] if over else agents
        if self.render_mode == "human":
            self.render()
        return (
            self._observations(),
            self._rewards(),
            dict.fromkeys(agents, over),
            dict.fromkeys(agents, False),
            {agent: {} for agent in agents},
        )


def _nothing() -> Array:
    """The mask of an agent that may not choose."""
    return np.zeros(len(CHOICES), np.int8)
