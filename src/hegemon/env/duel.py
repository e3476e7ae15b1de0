"""The Gymnasium environment for a single agent, `gymnasium.make("hegemon/Duel-v0")`: opponents play the other seats."""

import sys
from typing import Any

import gymnasium
import numpy as np

from hegemon.bots import make_bot
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
from hegemon.kernels.opponents import POLICIES, Policy
from hegemon.notation.setup import check_players
from hegemon.play.game import Game
from hegemon.play.player import Player
from hegemon.rules.actions import CHOICES
from hegemon.rules.shuffle import MAX_SEED

ILLEGAL_ACTION_MODES = ("lose", "raise")


class BotPolicy:
    """Bots as opponents in a batch of one game; it follows the game in a `Game`, from which bots get their views."""

    def __init__(self, game: Game, bots: list[Player]) -> None:
        self._game = game
        self._bots = bots

    def follow(self, action: int) -> None:
        """Apply an action of the learner to the game."""
        self._game.play(CHOICES[action])

    def __call__(self, observations: Array, masks: Array) -> list[int]:
        game = self._game
        choice = self._bots[game.seat].choose(game.view(game.seat), game.memory(game.seat), game.choices)
        game.play(choice)
        return [CHOICES.index(choice)]


class Duel(gymnasium.Env[Any, Any]):
    """One game in which the agent plays one seat; a step is one of its choices and the opponents' replies.

    `opponent` is `heuristic` or `chance`, which are compiled, the name of a bot, or a function from observations and
    masks to actions. `seat` is the agent's seat; by default it is random in each episode. An illegal action loses the
    game, or raises an error if `illegal` is `raise`.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # as in Gymnasium
        "render_modes": RENDER_MODES,
        "render_fps": 1,
    }

    def __init__(
        self,
        players: int = 2,
        variant: str = "basic",
        *,
        teams: bool = False,
        rulings: str = "standard",
        opponent: str | Policy = "heuristic",
        seat: int | None = None,
        illegal: str = "lose",
        render_mode: str | None = None,
    ) -> None:
        check_render_mode(render_mode)
        check_players(players, teams)
        if illegal not in ILLEGAL_ACTION_MODES:
            raise ValueError(f"An illegal action can {' or '.join(ILLEGAL_ACTION_MODES)}, not {illegal!r}.")
        if seat is not None and not 0 <= seat < players:
            raise ValueError(f"Seats are numbered from 0 to {players - 1}, not {seat}.")
        if isinstance(opponent, str) and opponent not in POLICIES:
            make_bot(opponent)  # raises an error for an unknown name now, not at the first reset
        self.render_mode = render_mode
        self.action_space = action_space()
        self.observation_space = observation_space()
        self._table: dict[str, Any] = {
            "players": players,
            "variant": variant,
            "teams": teams,
            "rulings": rulings,
        }
        self._opponent = opponent
        self._seat = seat
        self._illegal = illegal
        self._bots: BotPolicy | None = None
        self._batch = Batch(1, **self._table)
        self._over = True

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a new game; without a seed, its seed is derived from the previous one."""
        if seed is not None:
            seed = seed_of(seed, self.np_random)
        super().reset(seed=seed)
        seed = seed_of(seed, self.np_random)
        seat = int(self.np_random.integers(self._table["players"])) if self._seat is None else self._seat
        self._batch = Batch(
            1, **self._table, seed=seed, auto_restart=False, opponents=self._policy(seed), own_seats=[seat]
        )
        self._over = False
        if self.render_mode == "human":
            self.render()
        return observation_of(self._batch), self._info()

    def _policy(self, seed: int) -> str | Policy:
        """The opponent for the batch; bots are wrapped in a `BotPolicy`."""
        self._bots = None
        if not isinstance(self._opponent, str) or self._opponent in POLICIES:
            return self._opponent
        bots = [
            make_bot(self._opponent, int(self.np_random.integers(MAX_SEED)))
            for _ in range(self._table["players"])
        ]
        self._bots = BotPolicy(Game(**self._table, seed=seed, speed="compiled"), bots)
        return self._bots

    def _info(self, *, illegal: bool = False) -> dict[str, Any]:
        return {"seat": int(self._batch.own_seats[0]), "illegal": illegal}

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Apply an action of the agent and the opponents' replies."""
        if self._over:
            raise RuntimeError("The game is over, or was never dealt: reset the environment first.")
        batch = self._batch
        if self._illegal == "lose" and not self._is_legal(action):
            self._over = True
            last = observation_of(batch)
            last["action_mask"][:] = 0
            return last, -1.0, True, False, self._info(illegal=True)
        if self._bots is not None and self._is_legal(action):
            self._bots.follow(action)
        batch.step(np.array([action]))
        self._over = bool(batch.dones[0])
        if self.render_mode == "human":
            self.render()
        reward = float(batch.rewards[0, batch.own_seats[0]])
        return observation_of(batch), reward, self._over, False, self._info()

    def _is_legal(self, action: Any) -> bool:
        return action in self.action_space and bool(self._batch.masks[0, action])

    def action_masks(self) -> Array:
        """The legal actions, under the name that `sb3_contrib.MaskablePPO` uses."""
        masks: Array = self._batch.masks[0].copy()
        return masks

    def render(self) -> str | None:
        """The agent's view as a line, and its choices."""
        if self.render_mode == "ansi":
            return render_text(self._batch)
        if self.render_mode == "human":
            sys.stdout.write(render_text(self._batch))
        return None
