"""The PettingZoo environments: `hegemon_v0.env()` with the AEC API, and `hegemon_v0.parallel_env()`.

Draft picks are simultaneous. In the AEC environment, the seats that owe a pick act in order; in the parallel one, all
at once. Each seat chooses from its own packet and does not see the other picks, so the games are the same.
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
    render_text,
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


def env(**options: Any) -> "OrderEnforcedEnv":
    """The environment in PettingZoo's `OrderEnforcingWrapper`."""
    return OrderEnforcedEnv(raw_env(**options))


class OrderEnforcedEnv(wrappers.OrderEnforcingWrapper[str, Observation, int]):  # type: ignore[misc]  # PettingZoo has no types
    """The wrapper, without its slow attribute lookups in `last`, the most frequent call."""

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """The observation, reward, termination, truncation and info of the agent that acts next."""
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        return self.env.last(observe)  # type: ignore[no-any-return]  # PettingZoo has no types

    def __str__(self) -> str:
        return str(self.env)


class GameEnv:
    """The part that both environments share: a batch of one game, an agent for each seat, and the spaces.

    An observation is a dictionary with `observation`, the row of the agent's seat, and `action_mask`, its legal
    actions; the mask of an agent that is not to move is all zeros. Rewards are given at the end of the game: each
    losing seat gets -1, and the winners share what the losers pay equally.
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
        """The full-state row: the observation of the seat to move, and all hidden cards."""
        row: Array = self._batch.states()[0]
        return row

    def _deal(self, seed: Any) -> None:
        """Start a new game; without a seed, its seed is derived from the previous one."""
        if seed is not None:
            seed = seed_of(seed, self._random)
            self._random = np.random.default_rng(seed)
        self._batch.reset(seed_of(seed, self._random))
        self.agents = self.possible_agents[:]

    def _rewards(self) -> dict[str, float]:
        return dict(zip(self.possible_agents, self._batch.rewards[0].tolist(), strict=True))

    def render(self) -> str | None:
        """The view of the seat to move as a line, and its choices."""
        if self.render_mode == "ansi":
            return render_text(self._batch)
        if self.render_mode == "human":
            sys.stdout.write(render_text(self._batch))
        return None

    def close(self) -> None:
        """Do nothing: there are no resources to release."""


class raw_env(GameEnv, AECEnv[str, Observation, int]):  # type: ignore[misc]  # noqa: N801  # PettingZoo's name
    """The AEC environment: the selected agent is the seat to move."""

    metadata: dict[str, Any] = {  # noqa: RUF012  # as in PettingZoo
        "name": "hegemon_v0",
        "render_modes": RENDER_MODES,
        "is_parallelizable": False,
    }

    def reset(self, seed: Any = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game; without a seed, its seed is derived from the previous one."""
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
        return {"observation": self._batch.observation(0, seat), "action_mask": _empty_mask()}

    def step(self, action: int | None) -> None:
        """Apply a legal action of the selected agent; None for an agent that is terminated."""
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


class parallel_env(GameEnv, ParallelEnv[str, Observation, int]):  # type: ignore[misc]  # noqa: N801  # PettingZoo's name
    """The parallel environment: in the draft, all agents that owe a pick act at once; later only the seat to move acts.

    Every agent has an observation in every step. Actions of agents with an all-zero mask are ignored.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # as in PettingZoo
        "name": "hegemon_v0",
        "render_modes": RENDER_MODES,
    }

    def __init__(self, players: int = 2, variant: str = "draft", **options: Any) -> None:
        super().__init__(players, variant, **options)

    def reset(
        self, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Start a new game; without a seed, its seed is derived from the previous one."""
        self._deal(seed)
        return self._observations(), {agent: {} for agent in self.agents}

    def _observations(self) -> dict[str, Observation]:
        position = self._batch.position(0)
        found = {}
        for agent, seat in self._seats.items():
            row, mask = self._batch.observation(0, seat), _empty_mask()
            if may_choose(position, seat):
                # Every seat that may choose sees itself as the seat to move.
                row[_TO_MOVE.offset : _TO_MOVE.offset + _TO_MOVE.length] = [1, *[0] * (_TO_MOVE.length - 1)]
                mask[:] = [choices_of(position, seat) >> action & 1 for action in range(len(CHOICES))]
            found[agent] = {"observation": row, "action_mask": mask}
        return found

    def step(self, actions: dict[str, Any]) -> tuple[
        dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:  # fmt: skip
        """Apply the actions of all agents that may choose; if one is illegal, none is applied."""
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


def _empty_mask() -> Array:
    """The mask of an agent that may not choose."""
    return np.zeros(len(CHOICES), np.int8)
