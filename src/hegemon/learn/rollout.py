"""Rollouts: the learner plays all games for some steps, against itself and other opponents."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hegemon.kernels.gpu_batch import Setup
from hegemon.learn.games import Games
from hegemon.learn.league import League
from hegemon.learn.model import Model
from hegemon.rules.position import MAX_PLAYERS

#: The fraction of games against snapshots in the league.
LEAGUE_FRACTION: Final = 1 / 4
#: The fraction of games against the heuristic policy.
HEURISTIC_FRACTION: Final = 1 / 8


@dataclass
class RolloutSeating:
    """Which seats of which games the learner and its opponents play."""

    players: Any
    """The number of players in each game."""
    learner_seats: Any
    """Whether the learner plays a seat: games by seats."""
    league_games: Any
    """The indices of the games against snapshots: groups by games. Each group has one snapshot."""
    heuristic_games: Any
    """The indices of the games against the heuristic policy."""
    setups: int
    """The number of setups, each with the same number of games."""

    @classmethod
    def of(
        cls, games: int, setups: tuple[Setup, ...], groups: int, xp: Any, *,
        league_fraction: float = LEAGUE_FRACTION, heuristic_fraction: float = HEURISTIC_FRACTION,
    ) -> "RolloutSeating":  # fmt: skip
        per_setup = games // len(setups)
        self_play = round(per_setup * (1 - league_fraction - heuristic_fraction))
        league = (per_setup - self_play) * league_fraction / (league_fraction + heuristic_fraction)
        first_heuristic = self_play + round(league / groups) * groups
        index = np.arange(games) % per_setup
        players = np.repeat([setup.players for setup in setups], per_setup)
        absent = (-1,) * MAX_PLAYERS  # the side of seats that the table does not have
        sides = np.repeat([(*setup.sides, *absent)[:MAX_PLAYERS] for setup in setups], per_setup, axis=0)
        learner_side = sides[np.arange(games), index % players][:, None]
        learner_seats = (sides == learner_side) | (index < self_play)[:, None]
        flat_league_games = np.flatnonzero((index >= self_play) & (index < first_heuristic))
        # Every group has games of all setups.
        by_setup = flat_league_games.reshape(len(setups), groups, -1)
        league_games = by_setup.swapaxes(0, 1).reshape(groups, -1)
        heuristic_games = np.flatnonzero(index >= first_heuristic)
        return cls(
            xp.asarray(players),
            xp.asarray(learner_seats),
            xp.asarray(league_games),
            xp.asarray(heuristic_games),
            len(setups),
        )


@dataclass
class Rollout:
    """The transitions of all games for some steps: steps by games."""

    observations: Any
    masks: Any
    seats: Any
    actions: Any
    log_probs: Any
    values: Any
    """The value of each seat as predicted from the view of the seat to move, in seat order."""
    is_decision: Any
    """Whether the learner was to move and had more than one legal action."""
    dones: Any
    outcomes: Any
    """The share of the win of each seat, where a game ended."""

    @classmethod
    def empty(cls, steps: int, games: int, features: int, actions: int, xp: Any) -> "Rollout":
        size = (steps, games)
        return cls(
            observations=xp.zeros((*size, features), xp.uint8),
            masks=xp.zeros((*size, actions), xp.bool_),
            seats=xp.zeros(size, xp.int64),
            actions=xp.zeros(size, xp.int64),
            log_probs=xp.zeros(size, xp.float32),
            values=xp.zeros((*size, MAX_PLAYERS), xp.float32),
            is_decision=xp.zeros(size, xp.bool_),
            dones=xp.zeros(size, xp.bool_),
            outcomes=xp.zeros((*size, MAX_PLAYERS), xp.float32),
        )


class Collector:
    """Plays all games and stores the transitions."""

    def __init__(
        self, games: Games, model: Model, league: League, seating: RolloutSeating, generator: Any
    ) -> None:
        self.games = games
        self.model = model
        self.league = league
        self.seating = seating
        self.generator = generator
        xp = model.xp
        self._indices = xp.arange(len(seating.players))
        self._seat_masks = xp.arange(MAX_PLAYERS)[None, :] < seating.players[:, None]

    def collect(self, rollout: Rollout) -> None:
        """Overwrite the rollout with the next steps."""
        for step in range(len(rollout.seats)):
            self._play_step(rollout, step)

    def _play_step(self, rollout: Rollout, step: int) -> None:
        games, model, xp, seating = self.games, self.model, self.model.xp, self.seating
        observations, masks, seats = games.observations, games.masks, games.seats.astype(xp.int64)
        outputs = model.forward(observations)[-1]
        actions, log_probs = model.ops.sample_actions(outputs, masks, self._noise(masks.shape[:-1]))
        rollout.observations[step] = observations
        rollout.masks[step] = masks
        rollout.seats[step] = seats
        rollout.log_probs[step] = log_probs
        rollout.values[step] = model.ops.values_of(outputs, seats, seating.players)
        learner_moves = seating.learner_seats[self._indices, seats]
        rollout.is_decision[step] = learner_moves & (masks.sum(axis=1) > 1)
        self._replace_opponent_actions(actions, learner_moves, observations, masks)
        rollout.actions[step] = actions
        games.step(actions)
        rollout.dones[step] = games.dones
        rewards = games.rewards
        rollout.outcomes[step] = xp.where(self._seat_masks, (rewards + 1) / seating.players[:, None], 0)

    def _replace_opponent_actions(
        self, actions: Any, learner_moves: Any, observations: Any, masks: Any
    ) -> None:
        """Replace the learner's actions where an opponent is to move."""
        xp, ops = self.model.xp, self.model.ops
        games = self.seating.league_games
        outputs = self._league_outputs(ops.take_rows(observations, games))
        noise = self._noise(games.shape)
        theirs, _ = ops.sample_actions(outputs, ops.take_rows(masks, games), noise, self.league.temperature)
        actions[games] = xp.where(learner_moves[games], actions[games], theirs)
        games = self.seating.heuristic_games
        if len(games):
            theirs = self.games.heuristic_actions(games)
            actions[games] = xp.where(learner_moves[games], actions[games], theirs)

    def _noise(self, shape: tuple[int, ...]) -> Any:
        return self.generator.random(shape, dtype=self.model.xp.float32)

    def _league_outputs(self, observations: Any) -> Any:
        # One group at a time: CuPy's batched matrix product is several times slower.
        groups = zip(observations, *self.league.weights, strict=True)
        return self.model.xp.stack([self.model.forward(rows, weights)[-1] for rows, *weights in groups])

    def values_of_all_viewers(self, observations: Any) -> Any:
        """The values predicted from the view of each seat, in seat order: games by viewers by seats."""
        model, xp = self.model, self.model.xp
        values = xp.zeros((len(self._indices), MAX_PLAYERS, MAX_PLAYERS), xp.float32)
        for viewer in range(MAX_PLAYERS):
            outputs = model.forward(observations[:, viewer])[-1]
            viewers = xp.full(len(self._indices), viewer)
            values[:, viewer] = model.ops.values_of(outputs, viewers, self.seating.players)
        return values


def normalize_advantages(advantages: Any, is_decision: Any, setups: int, xp: Any) -> Any:
    """Shift and scale the advantages of each setup to mean 0 and standard deviation 1 over the decisions."""
    steps, games = advantages.shape
    by_setup = advantages.reshape(steps, setups, -1)
    weights = is_decision.reshape(steps, setups, -1)
    count = xp.maximum(weights.sum(axis=(0, 2), keepdims=True), 1)
    mean = (by_setup * weights).sum(axis=(0, 2), keepdims=True) / count
    deviation = xp.sqrt((((by_setup - mean) * weights) ** 2).sum(axis=(0, 2), keepdims=True) / count)
    return ((by_setup - mean) / (deviation + 1e-6)).reshape(steps, games)
