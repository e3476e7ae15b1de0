"""Games as experience: who chose what, and what it was worth."""

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

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


def turned(vectors: Any, seats: Any, players: Any, xp: Any, *, back: bool) -> Any:
    """Numbers of every seat, counted from the viewer instead of from the First Player, or `back`."""
    place = xp.arange(MAX_PLAYERS)[None, :]
    of = (place - seats[:, None] if back else place + seats[:, None]) % players[:, None]
    return xp.where(place < players[:, None], xp.take_along_axis(vectors, of, axis=1), 0)


def sample(log_odds: Any, generator: Any, xp: Any) -> Any:
    """One action a row, drawn by the probabilities."""
    noise = generator.random(log_odds.shape, dtype=xp.float32)
    return (log_odds - xp.log(-xp.log(noise + 1e-20) + 1e-20)).argmax(axis=-1)


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
        log_odds = model.log_odds(outputs, masks)
        actions = sample(log_odds, self.generator, xp)
        experience.observations[step] = observations
        experience.masks[step] = masks
        experience.seats[step] = seats
        experience.log_odds[step] = log_odds[self.rows, actions]
        shares = model.shares(outputs, self.present)
        experience.values[step] = turned(shares, seats, seating.players, xp, back=True)
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
        place = seating.past
        outputs = self._past_outputs(observations[place])
        log_odds = self.model.log_odds(outputs, masks[place])
        theirs = log_odds.argmax(axis=-1) if self.league.frozen else sample(log_odds, self.generator, xp)
        actions[place] = xp.where(learners[place], actions[place], theirs)
        place = seating.heuristic
        if len(place):
            theirs = self.games.heuristic_actions(place)
            actions[place] = xp.where(learners[place], actions[place], theirs)

    def _past_outputs(self, observations: Any) -> Any:
        weights = self.league.weights
        if len(observations) == 1:  # a plain product is faster than a stack of one
            return self.model.layers(observations[0], [array[0] for array in weights])[-1][None]
        return self.model.layers(observations, weights)[-1]

    def values_of_seats(self, observations: Any) -> Any:
        """What every seat may expect, as each seat sees it: games by viewers by seats, from the First Player."""
        model, xp = self.model, self.model.xp
        values = xp.zeros((len(self.rows), MAX_PLAYERS, MAX_PLAYERS), xp.float32)
        for viewer in range(MAX_PLAYERS):
            shares = model.shares(model.layers(observations[:, viewer])[-1], self.present)
            seats = xp.full(len(self.rows), viewer)
            values[:, viewer] = turned(shares, seats, self.seating.players, xp, back=True)
        return values


class Returns(NamedTuple):
    """What decisions led to."""

    advantages: Any
    """What the decision gained its seat, beyond what that had expected: steps by games."""
    expected: Any
    """What every seat should have been expected to get, from the First Player: steps by games by seats."""
    first_expected: Any
    """The same for every viewer before the first step: games by viewers by seats."""


def returns(experience: Experience, final: Any, trace: float, xp: Any) -> Returns:
    """The returns of all decisions; `final` is what every viewer expects after the last step.

    A seat learns from its own decisions only: what it expected at one is compared with what it expects at its next,
    or with the end of the game (generalized advantage estimation, without discount).
    """
    later, traces = final, xp.zeros_like(final)
    advantages = xp.zeros_like(experience.log_odds)
    expected = xp.zeros_like(experience.values)
    rows = xp.arange(final.shape[0])
    for step in range(len(experience.seats) - 1, -1, -1):
        done = experience.dones[step][:, None, None]
        later = xp.where(done, experience.outcomes[step][:, None, :], later)
        traces = xp.where(done, 0, traces)
        seats, values = experience.seats[step], experience.values[step]
        gains = later[rows, seats] - values + trace * traces[rows, seats]
        advantages[step] = gains[rows, seats]
        expected[step] = values + gains
        decided = experience.decided[step][:, None]
        later[rows, seats] = xp.where(decided, values, later[rows, seats])
        traces[rows, seats] = xp.where(decided, gains, traces[rows, seats])
    return Returns(advantages, expected, later + trace * traces)


def leveled(advantages: Any, decided: Any, kinds: int, xp: Any) -> Any:
    """Advantages in units of their spread, for each kind of table by itself."""
    steps, games = advantages.shape
    by_kind = advantages.reshape(steps, kinds, -1)
    counted = decided.reshape(steps, kinds, -1)
    number = xp.maximum(counted.sum(axis=(0, 2), keepdims=True), 1)
    mean = (by_kind * counted).sum(axis=(0, 2), keepdims=True) / number
    spread = xp.sqrt((((by_kind - mean) * counted) ** 2).sum(axis=(0, 2), keepdims=True) / number)
    return ((by_kind - mean) / (spread + 1e-6)).reshape(steps, games)
