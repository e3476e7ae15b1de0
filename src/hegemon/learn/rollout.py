"""Games as experience: who chose what, and what it was worth."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hegemon.kernels.gpu_batch import Setup
from hegemon.learn.games import Games
from hegemon.learn.league import League
from hegemon.learn.model import Model
from hegemon.rules.position import MAX_PLAYERS

#: The parts of the games in which the learner meets its past, and the heuristic policy.
PAST: Final = 1 / 4
HEURISTIC: Final = 1 / 8


@dataclass
class Seating:
    """Who sits where in all games: which seats are the learner's, and who has the others."""

    players: Any
    """The number of players in each game."""
    learner: Any
    """Whether each seat is the learner's: games by four."""
    past: Any
    """The games against earlier networks, those of one network together."""
    heuristic: Any
    """The games against the heuristic policy."""
    kinds: int

    @classmethod
    def of(
        cls, games: int, setups: tuple[Setup, ...], groups: int, xp: Any, *, past_part: float = PAST,
        heuristic_part: float = HEURISTIC,
    ) -> "Seating":  # fmt: skip
        share = games // len(setups)
        own = round(share * (1 - past_part - heuristic_part))
        past_share = (share - own) * past_part / (past_part + heuristic_part)
        heuristic_from = own + round(past_share / groups) * groups
        place = np.arange(games) % share
        players = np.repeat([setup.players for setup in setups], share)
        empty = (-1,) * MAX_PLAYERS  # the seats that a table does not have are of no side
        sides = np.repeat([(*setup.sides, *empty)[:MAX_PLAYERS] for setup in setups], share, axis=0)
        learners_side = sides[np.arange(games), place % players][:, None]
        learner = (sides == learners_side) | (place < own)[:, None]
        met = np.flatnonzero((place >= own) & (place < heuristic_from))
        # Every group has games of all kinds.
        past = met.reshape(len(setups), groups, -1).swapaxes(0, 1).reshape(groups, -1)
        heuristic = np.flatnonzero(place >= heuristic_from)
        there = [xp.asarray(array) for array in (players, learner, past, heuristic)]
        return cls(there[0], there[1], there[2], there[3], len(setups))


@dataclass
class Experience:
    """Some steps of all games, and the arrays that a learner needs of them, steps by games."""

    observations: Any
    masks: Any
    seats: Any
    actions: Any
    log_odds: Any
    values: Any
    """What every seat might expect, as the seat to move saw it; counted from the First Player."""
    decided: Any
    """Whether the learner had a choice."""
    dones: Any
    outcomes: Any
    """What every seat got out of the games that ended."""

    @classmethod
    def empty(cls, steps: int, games: int, features: int, actions: int, xp: Any) -> "Experience":
        size = (steps, games)
        return cls(
            xp.zeros((*size, features), xp.uint8),
            xp.zeros((*size, actions), xp.bool_),
            xp.zeros(size, xp.int64),
            xp.zeros(size, xp.int64),
            xp.zeros(size, xp.float32),
            xp.zeros((*size, MAX_PLAYERS), xp.float32),
            xp.zeros(size, xp.bool_),
            xp.zeros(size, xp.bool_),
            xp.zeros((*size, MAX_PLAYERS), xp.float32),
        )


class Actor:
    """Plays all games on, and writes down what happens."""

    def __init__(self, games: Games, model: Model, league: League, seating: Seating, generator: Any) -> None:
        self.games = games
        self.model = model
        self.league = league
        self.seating = seating
        self.generator = generator
        xp = model.xp
        self.rows = xp.arange(len(seating.players))
        self.present = xp.arange(MAX_PLAYERS)[None, :] < seating.players[:, None]

    def play(self, experience: Experience) -> None:
        """Fill the experience with the next steps."""
        for step in range(len(experience.seats)):
            self._play_step(experience, step)

    def _play_step(self, experience: Experience, step: int) -> None:
        games, model, xp, seating = self.games, self.model, self.model.xp, self.seating
        observations, masks, seats = games.observations, games.masks, games.seats.astype(xp.int64)
        outputs = model.layers(observations)[-1]
        actions, log_odds = model.arrays.choose(outputs, masks, self._noise(masks.shape[:-1]))
        experience.observations[step] = observations
        experience.masks[step] = masks
        experience.seats[step] = seats
        experience.log_odds[step] = log_odds
        experience.values[step] = model.arrays.values_of(outputs, seats, seating.players)
        learners = seating.learner[self.rows, seats]
        experience.decided[step] = learners & (masks.sum(axis=1) > 1)
        self._replace(actions, learners, observations, masks)
        experience.actions[step] = actions
        games.step(actions)
        experience.dones[step] = games.dones
        rewards = games.rewards
        experience.outcomes[step] = xp.where(self.present, (rewards + 1) / seating.players[:, None], 0)

    def _replace(self, actions: Any, learners: Any, observations: Any, masks: Any) -> None:
        """Let the opponents choose where the seat is theirs."""
        xp, seating = self.model.xp, self.seating
        place, arrays = seating.past, self.model.arrays
        outputs = self._past_outputs(arrays.rows(observations, place))
        noise = self._noise(place.shape)
        theirs, _ = arrays.choose(outputs, arrays.rows(masks, place), noise, self.league.temperature)
        actions[place] = xp.where(learners[place], actions[place], theirs)
        place = seating.heuristic
        if len(place):
            theirs = self.games.heuristic_actions(place)
            actions[place] = xp.where(learners[place], actions[place], theirs)

    def _noise(self, shape: tuple[int, ...]) -> Any:
        return self.generator.random(shape, dtype=self.model.xp.float32)

    def _past_outputs(self, observations: Any) -> Any:
        # One product after the other: CuPy multiplies stacks of matrices several times as slowly.
        groups = zip(observations, *self.league.weights, strict=True)
        return self.model.xp.stack([self.model.layers(rows, weights)[-1] for rows, *weights in groups])

    def values_of_seats(self, observations: Any) -> Any:
        """What every seat may expect, as each seat sees it: games by viewers by seats, from the First Player."""
        model, xp = self.model, self.model.xp
        values = xp.zeros((len(self.rows), MAX_PLAYERS, MAX_PLAYERS), xp.float32)
        for viewer in range(MAX_PLAYERS):
            outputs = model.layers(observations[:, viewer])[-1]
            seats = xp.full(len(self.rows), viewer)
            values[:, viewer] = model.arrays.values_of(outputs, seats, self.seating.players)
        return values


def leveled(advantages: Any, decided: Any, kinds: int, xp: Any) -> Any:
    """Advantages in units of their spread, for each kind of table by itself."""
    steps, games = advantages.shape
    by_kind = advantages.reshape(steps, kinds, -1)
    counted = decided.reshape(steps, kinds, -1)
    number = xp.maximum(counted.sum(axis=(0, 2), keepdims=True), 1)
    mean = (by_kind * counted).sum(axis=(0, 2), keepdims=True) / number
    spread = xp.sqrt((((by_kind - mean) * counted) ** 2).sum(axis=(0, 2), keepdims=True) / number)
    return ((by_kind - mean) / (spread + 1e-6)).reshape(steps, games)
