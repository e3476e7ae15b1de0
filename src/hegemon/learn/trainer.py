"""The training run: play, learn, and again until the time is up."""

import time
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from hegemon.bots.learned import load_network
from hegemon.kernels.gpu_batch import ALL_SETUPS, Setup
from hegemon.kernels.network import ACTIONS, WIDTHS, Network
from hegemon.kernels.observation import FEATURES
from hegemon.learn.arrays import arrays_of
from hegemon.learn.formulas import Losses, Weighting
from hegemon.learn.games import CpuGames, Games, GpuGames
from hegemon.learn.league import League
from hegemon.learn.lessons import Lessons
from hegemon.learn.model import Model
from hegemon.learn.rollout import Actor, Experience, Seating

#: What a run plays by default: every kind of table, those without a draft more often. What follows a
#: draft is the game without one, so most of what is learned at one table is worth as much at the other.
TRAINED_SETUPS: Final = (
    *(setup for setup, times in zip(ALL_SETUPS, (4, 3, 3, 2), strict=False) for _ in range(times)),
    *ALL_SETUPS[4:],
)

#: Groups of games against earlier networks, each with a network of its own.
GROUPS: Final = 8


@dataclass(frozen=True)
class TrainingOptions:
    """Everything that a run depends on; the same options learn the same, as far as the device allows."""

    device: str = "gpu"
    setups: tuple[Setup, ...] = TRAINED_SETUPS
    """The tables, with equal parts of the games; one that is there twice has twice as many."""
    games: int = 65_536
    steps: int = 32
    batch: int = 131_072
    epochs: int = 1
    seconds: float = 1500.0
    """The length of the run; the rates fall with the time that has passed."""
    iterations: int | None = None
    """The length of the run in iterations instead."""
    widths: tuple[int, int, int] = WIDTHS
    rate: float = 5e-4
    entropy: tuple[float, float] = (0.03, 0.01)
    evenness: tuple[float, float] = (0.01, 0.001)
    trace: float = 0.97
    snapshot_every: int = 20
    seed: int = 0
    against: str | None = None
    """A file of weights: begin as that network, and learn to beat it as it is, in all games."""

    @property
    def kinds(self) -> tuple[Setup, ...]:
        """The kinds of tables, each once."""
        return tuple(dict.fromkeys(self.setups))


#: What fits one core of a CPU: a small network, and fewer games at a time.
CPU_OPTIONS: Final[dict[str, Any]] = {
    "device": "cpu",
    "games": 1024,
    "batch": 4096,
    "epochs": 2,
    "widths": (96, 64, 64),
    "rate": 2e-3,
    "snapshot_every": 10,
}


@dataclass
class Progress:
    """One line of the log."""

    iteration: int = 0
    seconds: float = 0.0
    decisions: int = 0
    games: int = 0
    entropy: float = 0.0
    value_error: float = 0.0
    clipped: float = 0.0
    wins_past: list[float] = field(default_factory=list)
    """Against earlier networks, the learner's part of the wins over a fair share, for each kind of table."""
    wins_heuristic: list[float] = field(default_factory=list)
    """The same against the heuristic policy."""


class Trainer:
    def __init__(self, options: TrainingOptions, clock: Callable[[], float] = time.perf_counter) -> None:
        self.options = options
        self.clock = clock
        self.progress = Progress()
        self.arrays = arrays_of(options.device)
        self.xp = xp = self.arrays.xp
        self._random = np.random.default_rng(options.seed)
        opponent = load_network(options.against) if options.against is not None else None
        self.model = Model(opponent or Network.random(options.seed, options.widths), self.arrays)
        self._groups = GROUPS if opponent is None else 1
        self.league = League(self._groups, self.arrays)
        if opponent is not None:
            self.league.frozen = True
            self.league.add(self.model.weights)
        self._experience = Experience.empty(options.steps, options.games, FEATURES, ACTIONS, xp)
        self._recent = [np.zeros((2, len(options.kinds)))] * 2
        self._kinds = xp.asarray([options.kinds.index(setup) for setup in options.setups])

    def run(self) -> Iterator[Progress]:
        """Train to the end; yields after every iteration."""
        actor = self._actor()
        if not len(self.league):
            self.league.add(self.model.weights)
        self.league.draw(self._random)
        began, before = self.clock(), self.progress.seconds
        while self.part() < 1:
            losses = self._iterate(actor)
            self._note(losses, before + self.clock() - began)
            if self.progress.iteration % self.options.snapshot_every == 0 and not self.league.frozen:
                self.league.add(self.model.weights)
                self.league.draw(self._random)
            yield copy(self.progress)

    def part(self) -> float:
        """The part of the run that is done."""
        if self.options.iterations is not None:
            return self.progress.iteration / self.options.iterations
        return self.progress.seconds / self.options.seconds

    def _actor(self) -> Actor:
        options, xp = self.options, self.xp
        # After a checkpoint other games are dealt than those that were played.
        seed = (options.seed << 20) + self.progress.iteration
        games: Games
        if options.device == "cpu":
            games = CpuGames(options.games, options.setups, seed)
        else:
            games = GpuGames(options.games, options.setups, seed, xp)
        parts = {"past_part": 1.0, "heuristic_part": 0.0} if self.league.frozen else {}
        seating = Seating.of(options.games, options.setups, self._groups, xp, **parts)
        return Actor(games, self.model, self.league, seating, xp.random.default_rng(seed))

    def _iterate(self, actor: Actor) -> Losses:
        xp, options, experience = self.xp, self.options, self._experience
        before = actor.games.observe_seats().copy()
        actor.play(experience)
        final = actor.values_of_seats(actor.games.observe_seats())
        found = self.arrays.returns(experience, final, options.trace)
        self._count(experience, actor.seating)
        self.progress.decisions += options.games * options.steps
        lessons = Lessons(experience, found, before, actor.seating, self.arrays)
        left = 1 - self.part()
        rate, entropy, evenness = (
            between(ends, left) for ends in ((options.rate, 0.0), options.entropy, options.evenness)
        )
        losses = [
            self.model.learn(*lesson, Weighting(entropy, evenness), rate=rate)
            for _ in range(options.epochs)
            for lesson in lessons.batches(options.batch)
        ]
        return Losses(*(float(xp.stack(column).mean()) for column in zip(*losses, strict=True)))

    def _count(self, experience: Experience, seating: Seating) -> None:
        """Count the games that ended, and who won those against others."""
        xp = self.xp
        ended = experience.dones.sum(axis=0)
        own = (experience.outcomes * experience.dones[..., None] * seating.learner[None]).sum(axis=(0, 2))
        fair = ended * seating.learner.sum(axis=1) / seating.players
        self.progress.games += int(ended.sum())
        past = seating.past
        # Half of a fair share or more: a member that still wins is drawn more often.
        self.league.record(0.5 * own[past].sum(axis=1), fair[past].sum(axis=1))
        for number, places in enumerate((past.reshape(-1), seating.heuristic)):
            kinds = len(self.options.kinds)
            of = self._kinds[places * len(self.options.setups) // len(seating.players)]
            sums = xp.stack([xp.bincount(of, own[places], kinds), xp.bincount(of, fair[places], kinds)])
            self._recent[number] = 0.9 * self._recent[number] + self.arrays.to_host(sums)

    def _note(self, losses: Losses, seconds: float) -> None:
        progress = self.progress
        progress.iteration += 1
        progress.seconds = seconds
        progress.entropy, progress.value_error, progress.clipped = (
            losses.entropy,
            losses.value,
            losses.clipped,
        )
        progress.wins_past, progress.wins_heuristic = (
            [round(float(won / max(fair, 1e-9)), 3) for won, fair in zip(*sums, strict=True)]
            for sums in self._recent
        )

    def state(self) -> dict[str, Any]:
        """What a checkpoint has to hold, besides the progress; the games in progress are dealt again."""
        return self.model.state() | self.league.state()

    def load_state(self, arrays: Any) -> None:
        self.model.load_state(arrays)
        self.league.load_state(arrays, len(self.model.weights))


def between(ends: tuple[float, float], left: float) -> float:
    """A number that falls from the first to the second as the run goes on; `left` is the part that is left of it."""
    return ends[1] + (ends[0] - ends[1]) * left
