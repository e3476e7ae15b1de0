"""The training loop: collect a rollout, update the network, and repeat until the time is up."""

import time
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from hegemon.bots.learned import load_network
from hegemon.kernels.gpu_batch import ALL_SETUPS, Setup
from hegemon.kernels.network import NUM_ACTIONS, WIDTHS, Network
from hegemon.kernels.observation import FEATURES
from hegemon.learn.games import CpuGames, Games, GpuGames
from hegemon.learn.league import League
from hegemon.learn.minibatches import Minibatches
from hegemon.learn.model import Model
from hegemon.learn.ops import ops_for
from hegemon.learn.ppo import LossCoefficients, Losses
from hegemon.learn.rollout import Collector, Rollout, RolloutSeating

#: The default setups: all of them, those without a draft more often. After the draft, the game is the one without
#: a draft, so most of what is learned in one transfers to the other.
TRAINING_SETUPS: Final = (
    *(setup for setup, times in zip(ALL_SETUPS, (4, 3, 3, 2), strict=False) for _ in range(times)),
    *ALL_SETUPS[4:],
)

#: The number of groups of league games; each group plays against one snapshot.
LEAGUE_GROUPS: Final = 8


@dataclass(frozen=True)
class TrainingOptions:
    """The hyperparameters of a run."""

    device: str = "gpu"
    setups: tuple[Setup, ...] = TRAINING_SETUPS
    """The setups, with the same number of games each; a setup can be repeated to get more games."""
    games: int = 65_536
    """The number of games played in parallel."""
    rollout_steps: int = 32
    minibatch_size: int = 65_536
    epochs: int = 1
    seconds: float = 1500.0
    """The length of the run, over which the learning rate and the coefficients are annealed."""
    iterations: int | None = None
    """The length of the run in iterations; replaces `seconds`."""
    widths: tuple[int, int, int] = WIDTHS
    learning_rate: float = 5e-4
    """The initial learning rate, annealed to 0."""
    entropy_coef: tuple[float, float] = (0.03, 0.01)
    """The initial and the final coefficient of the entropy bonus."""
    uniform_kl_coef: tuple[float, float] = (0.01, 0.001)
    """The initial and the final coefficient of KL(uniform ‖ policy)."""
    gae_lambda: float = 0.97
    snapshot_interval: int = 20
    """The number of iterations between two snapshots for the league."""
    seed: int = 0
    against: str | None = None
    """A file of weights: start from that network and train a best response to it."""
    opponent_temperature: float = 0.0
    """The sampling temperature of that network; by default, it plays its most probable action."""

    @property
    def distinct_setups(self) -> tuple[Setup, ...]:
        return tuple(dict.fromkeys(self.setups))


#: Hyperparameters for one CPU core: a small network and fewer parallel games.
CPU_OPTIONS: Final[dict[str, Any]] = {
    "device": "cpu",
    "games": 1024,
    "minibatch_size": 4096,
    "epochs": 2,
    "widths": (96, 64, 64),
    "learning_rate": 2e-3,
    "snapshot_interval": 10,
}


@dataclass
class TrainingProgress:
    """One line of the log."""

    iteration: int = 0
    seconds: float = 0.0
    decisions: int = 0
    games: int = 0
    entropy: float = 0.0
    value_error: float = 0.0
    clip_fraction: float = 0.0
    league_win_ratios: list[float] = field(default_factory=list)
    """The learner's wins against snapshots, relative to a fair share, for each distinct setup."""
    heuristic_win_ratios: list[float] = field(default_factory=list)
    """The same against the heuristic policy."""


class Trainer:
    def __init__(self, options: TrainingOptions, clock: Callable[[], float] = time.perf_counter) -> None:
        self.options = options
        self.clock = clock
        self.progress = TrainingProgress()
        self.ops = ops_for(options.device)
        self.xp = xp = self.ops.xp
        self._random = np.random.default_rng(options.seed)
        opponent = load_network(options.against) if options.against is not None else None
        self.model = Model(opponent or Network.random(options.seed, options.widths), self.ops)
        self._league_groups = LEAGUE_GROUPS if opponent is None else 1
        self.league = League(self._league_groups, self.ops)
        if opponent is not None:
            self.league.fixed_opponent = True
            self.league.temperature = options.opponent_temperature
            self.league.add(self.model.weights)
        self._rollout = Rollout.empty(options.rollout_steps, options.games, FEATURES, NUM_ACTIONS, xp)
        # For the league and the heuristic policy: wins and fair shares by setup, as decaying sums.
        self._recent_wins = [np.zeros((2, len(options.distinct_setups)))] * 2
        self._setup_indices = xp.asarray([options.distinct_setups.index(setup) for setup in options.setups])

    def run(self) -> Iterator[TrainingProgress]:
        """Train to the end; yield the progress after every iteration."""
        collector = self._new_collector()
        if not len(self.league):
            self.league.add(self.model.weights)
        self.league.select(self._random)
        started, previous_seconds = self.clock(), self.progress.seconds
        while self.fraction_done() < 1:
            losses = self._run_iteration(collector)
            self._update_progress(losses, previous_seconds + self.clock() - started)
            if (
                self.progress.iteration % self.options.snapshot_interval == 0
                and not self.league.fixed_opponent
            ):
                self.league.add(self.model.weights)
                self.league.select(self._random)
            yield copy(self.progress)

    def fraction_done(self) -> float:
        if self.options.iterations is not None:
            return self.progress.iteration / self.options.iterations
        return self.progress.seconds / self.options.seconds

    def _new_collector(self) -> Collector:
        options, xp = self.options, self.xp
        # A resumed run plays different deals from those before the checkpoint.
        seed = (options.seed << 20) + self.progress.iteration
        games: Games
        if options.device == "cpu":
            games = CpuGames(options.games, options.setups, seed)
        else:
            games = GpuGames(options.games, options.setups, seed, xp)
        fractions = {"league_fraction": 1.0, "heuristic_fraction": 0.0} if self.league.fixed_opponent else {}
        seating = RolloutSeating.of(options.games, options.setups, self._league_groups, xp, **fractions)
        return Collector(games, self.model, self.league, seating, xp.random.default_rng(seed))

    def _run_iteration(self, collector: Collector) -> Losses:
        xp, options, rollout = self.xp, self.options, self._rollout
        initial_observations = collector.games.observe_seats().copy()
        collector.collect(rollout)
        final_values = collector.values_of_all_viewers(collector.games.observe_seats())
        estimates = self.ops.estimate_advantages(rollout, final_values, options.gae_lambda)
        self._count_results(rollout, collector.seating)
        self.progress.decisions += options.games * options.rollout_steps
        minibatches = Minibatches(rollout, estimates, initial_observations, collector.seating, self.ops)
        remaining = 1 - self.fraction_done()
        coefficients = LossCoefficients(
            annealed(options.entropy_coef, remaining), annealed(options.uniform_kl_coef, remaining)
        )
        learning_rate = annealed((options.learning_rate, 0.0), remaining)
        losses = [
            self.model.train_step(*minibatch, coefficients, learning_rate=learning_rate)
            for _ in range(options.epochs)
            for minibatch in minibatches.shuffled(options.minibatch_size)
        ]
        return Losses(*(float(xp.stack(column).mean()) for column in zip(*losses, strict=True)))

    def _count_results(self, rollout: Rollout, seating: RolloutSeating) -> None:
        """Count the finished games and the learner's wins against its opponents."""
        xp = self.xp
        finished = rollout.dones.sum(axis=0)
        wins = (rollout.outcomes * rollout.dones[..., None] * seating.learner_seats[None]).sum(axis=(0, 2))
        fair_shares = finished * seating.learner_seats.sum(axis=1) / seating.players
        self.progress.games += int(finished.sum())
        # The league measures win rates, for which 0.5 is a fair share.
        league_games = seating.league_games
        self.league.record(0.5 * wins[league_games].sum(axis=1), fair_shares[league_games].sum(axis=1))
        for opponent, games in enumerate((league_games.reshape(-1), seating.heuristic_games)):
            number = len(self.options.distinct_setups)
            setups = self._setup_indices[games * len(self.options.setups) // len(seating.players)]
            sums = xp.stack(
                [xp.bincount(setups, wins[games], number), xp.bincount(setups, fair_shares[games], number)]
            )
            self._recent_wins[opponent] = 0.9 * self._recent_wins[opponent] + self.ops.to_host(sums)

    def _update_progress(self, losses: Losses, seconds: float) -> None:
        progress = self.progress
        progress.iteration += 1
        progress.seconds = seconds
        progress.entropy = losses.entropy
        progress.value_error = losses.value_error
        progress.clip_fraction = losses.clip_fraction
        progress.league_win_ratios, progress.heuristic_win_ratios = (
            [round(float(wins / max(fair_share, 1e-9)), 3) for wins, fair_share in zip(*sums, strict=True)]
            for sums in self._recent_wins
        )

    def state_dict(self) -> dict[str, Any]:
        """The state of the model and the league. Games in progress are not saved; a resumed run deals new ones."""
        return self.model.state_dict() | self.league.state_dict()

    def load_state_dict(self, state: Any) -> None:
        self.model.load_state_dict(state)
        self.league.load_state_dict(state, len(self.model.weights))


def annealed(schedule: tuple[float, float], remaining: float) -> float:
    """Interpolate linearly between the initial and the final value; `remaining` falls from 1 to 0."""
    initial, final = schedule
    return final + (initial - final) * remaining
