"""A statistical study of the game, from many games of the learned network against itself."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field, replace
from typing import Final

from hegemon.arena.runner import Progress, run_tasks
from hegemon.arena.samples import ARGMAX, HEURISTIC, STANDARD, GameSample, SampleSetup, play_games
from hegemon.arena.workers import Workers
from hegemon.kernels.batch import Batch
from hegemon.notation.setup import check_seed
from hegemon.rules.rulings import PRESETS, SWITCHES
from hegemon.rules.shuffle import MAX_SEED, stream

#: Games in a batch; a multiple of the number of sides of every setup.
BATCH_SIZE: Final = 240

SETUPS: Final = tuple(
    SampleSetup(players, variant, teams)
    for players, teams in ((2, False), (3, False), (4, False), (4, True))
    for variant in ("basic", "draft")
)
#: The setups for comparisons that need only one variant.
BASIC_SETUPS: Final = SETUPS[::2]
RIVALS: Final = (HEURISTIC, ARGMAX)


def setup_for_switch(switch: str) -> SampleSetup:
    """The setup in which a switch is compared: three players if the switch matters there."""
    return SampleSetup(4, teams=True) if switch == "democracy-teammate" else SampleSetup(3)


def editions() -> dict[str, tuple[str, ...]]:
    """The editions with nonstandard rulings: one preset each, with all presets that have the same rulings."""
    by_rulings: dict[int, tuple[str, ...]] = {}
    for name, rulings in PRESETS.items():
        by_rulings[rulings] = (*by_rulings.get(rulings, ()), name)
    return {names[0]: names for names in by_rulings.values() if STANDARD not in names}


@dataclass
class GameStudy:
    """The samples to play, and those that are finished."""

    games: int
    """Games of each setup."""
    seed: int = 0
    samples: dict[SampleSetup, GameSample] = field(default_factory=dict)
    """Finished games by setup."""

    def __post_init__(self) -> None:
        check_seed(self.seed)

    def setups(self) -> list[SampleSetup]:
        """All setups: the standard ones, then the rivals, the editions and the inverted switches."""
        return [
            *SETUPS,
            *(replace(setup, rival=rival) for setup in BASIC_SETUPS for rival in RIVALS),
            *(replace(setup, rulings=edition) for setup in BASIC_SETUPS for edition in editions()),
            *(setup_for_switch(switch).switched(switch) for switch in SWITCHES),
        ]

    def play(self, workers: Workers, report: Callable[[Progress], None]) -> None:
        """Play all games. After an interrupt, the finished ones are kept."""
        numbers = range(-(-self.games // BATCH_SIZE))
        tasks = [(setup, number) for setup in self.setups() for number in numbers]
        played: dict[SampleSetup, dict[int, GameSample]] = {}
        progress = Progress(0, self.games * len(self.setups()))

        def submit(executor: Executor, task: tuple[SampleSetup, int]) -> Future[GameSample]:
            setup, number = task
            games = min(BATCH_SIZE, self.games - BATCH_SIZE * number)
            # The same shuffles for every setup, so that they can be compared game by game.
            return executor.submit(play_games, setup, games, stream(self.seed, number) & MAX_SEED)

        def collect(task: tuple[SampleSetup, int], sample: GameSample) -> None:
            setup, number = task
            played.setdefault(setup, {})[number] = sample
            progress.games += len(sample)

        Batch(1).heuristic_actions()  # compile once, before the workers start
        try:
            run_tasks(tasks, workers, submit, collect, lambda: report(progress))
        finally:
            for setup, batches in played.items():
                self.samples[setup] = GameSample.concatenate([batches[number] for number in sorted(batches)])

    def of(self, setup: SampleSetup) -> GameSample | None:
        """The finished games of a setup, if any."""
        return self.samples.get(setup)
