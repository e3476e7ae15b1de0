"""A statistical study of the game, from large compiled samples and from strong play."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Final

from hegemon.arena.journal import Journal
from hegemon.arena.runner import Progress, Run
from hegemon.arena.samples import GameSample, Setup, effect_masks, sample_of_results
from hegemon.arena.tournament import Tournament
from hegemon.arena.workers import Workers
from hegemon.kernels.sampling import Sample, sample_series
from hegemon.notation.setup import check_seed
from hegemon.rules.rulings import SWITCHES

CHANCE: Final = "chance"
SENSE: Final = "sense"

SETUPS: Final = tuple(
    Setup(players, variant, teams)
    for players, teams in ((2, False), (3, False), (4, False), (4, True))
    for variant in ("basic", "draft")
)
#: The setup of all comparisons that need only one.
DEFAULT_SETUP: Final = Setup(3)


def setup_for_switch(switch: str) -> Setup:
    """The setup on which a switch of the rulings is tried: the default one if the switch matters there."""
    return Setup(4, teams=True) if switch == "democracy-teammate" else DEFAULT_SETUP


Report = Callable[[str, Progress], None]


@dataclass
class GameStudy:
    """The samples to play, and those that are finished."""

    games: int
    """Games of each setup for each of the two compiled players."""
    seed: int = 0
    strong: str | None = None
    """The name of the strong bot."""
    strong_games: int = 0
    samples: dict[tuple[str, Setup], GameSample] = field(default_factory=dict)
    """Finished samples by player and setup."""

    def __post_init__(self) -> None:
        check_seed(self.seed)

    @property
    def players(self) -> tuple[str, ...]:
        """The players of the samples, the weakest first."""
        return (CHANCE, SENSE, self.strong) if self.strong and self.strong_games else (CHANCE, SENSE)

    def setups(self) -> list[Setup]:
        """Every setup of the large samples, including one for each inverted switch."""
        return [*SETUPS, *(setup_for_switch(switch).switched(switch) for switch in SWITCHES)]

    def tournaments(self) -> Iterator[tuple[Setup, Tournament]]:
        """The strong bot against itself, in every setup."""
        if self.strong and self.strong_games:
            for setup in SETUPS:
                yield setup, Tournament((self.strong,), **asdict(setup), seed=self.seed)

    def sample(self, by: str, cores: int, report: Report) -> None:
        """Play the large samples. After an interrupt the finished games remain."""
        progress = Progress(0, self.games * len(self.setups()))
        report(by, progress)
        for setup in self.setups():
            portions: list[Sample] = []

            def take(portion: Sample, portions: list[Sample] = portions) -> None:
                portions.append(portion)
                progress.games += len(portion)
                report(by, progress)

            series = setup.series(self.games, self.seed)
            try:
                sample_series(series, effect_masks(), heuristic=by == SENSE, cores=cores, report=take)
            finally:
                if portions:
                    self.samples[by, setup] = GameSample(setup, by, Sample.joined(portions))

    def play_strong(
        self, workers: Workers, journals: Callable[[Tournament], Journal], report: Report
    ) -> None:
        """Play the tournaments of the strong bot. An interrupt leaves finished games here and in the journals."""
        runs = [
            (setup, Run(tournament, self.strong_games, workers, journals(tournament)))
            for setup, tournament in self.tournaments()
        ]
        assert self.strong is not None
        done = sum(run.progress.before for _, run in runs)
        progress = Progress(done, sum(run.progress.all_games for _, run in runs), before=done)
        for setup, run in runs:
            before = progress.games - run.progress.before

            def report_total(own: Progress, before: int = before) -> None:
                progress.games = before + own.games
                report(self.strong or "", progress)

            try:
                run.play(report_total)
            finally:
                if games := run.journal.games:
                    self.samples[self.strong, setup] = sample_of_results(setup, self.strong, games)
        for _, run in runs:
            run.journal.delete()

    def of(self, by: str, setup: Setup) -> GameSample | None:
        """The finished games of a player in a setup, if any."""
        return self.samples.get((by, setup))
