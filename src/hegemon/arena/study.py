"""A study: what the game is like, from large compiled samples and from strong play."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from hegemon.arena.journal import Journal
from hegemon.arena.running import Progress, Run
from hegemon.arena.samples import Games, Kind, marks, played_games
from hegemon.arena.tournament import Tournament
from hegemon.arena.workers import Workers
from hegemon.kernels.sampling import Sample, sample_series
from hegemon.notation.setup import check_seed
from hegemon.rules.rulings import SWITCHES

CHANCE: Final = "chance"
SENSE: Final = "sense"

#: The kinds of tables that are looked at.
KINDS: Final = tuple(
    Kind(players, variant, teams)
    for players, teams in ((2, False), (3, False), (4, False), (4, True))
    for variant in ("basic", "draft")
)
#: The one on which the rest is looked at.
USUAL: Final = Kind(3)


def home_of(switch: str) -> Kind:
    """The kind of table on which a switch of the rulings is tried: the usual one, if it changes anything there."""
    return Kind(4, teams=True) if switch == "democracy-teammate" else USUAL


Tell = Callable[[str, Progress], None]


@dataclass
class Study:
    """What is to be played, and what has been."""

    games: int
    """How many games of each kind of table are played by chance, and how many sensibly."""
    seed: int = 0
    strong: str | None = None
    """The bot whose play counts as strong."""
    strong_games: int = 0
    found: dict[tuple[str, Kind], Games] = field(default_factory=dict)
    """The games that are finished, by who played them and where."""

    def __post_init__(self) -> None:
        check_seed(self.seed)

    @property
    def players(self) -> tuple[str, ...]:
        """Everybody who plays, the weakest first."""
        return (CHANCE, SENSE, self.strong) if self.strong and self.strong_games else (CHANCE, SENSE)

    def tables(self) -> list[Kind]:
        """Every kind of table of the large samples: all kinds, and the rulings one switch at a time."""
        return [*KINDS, *(home_of(switch).switched(switch) for switch in SWITCHES)]

    def tournaments(self) -> Iterator[tuple[Kind, Tournament]]:
        """What the strong bot plays: all kinds, against itself."""
        if self.strong and self.strong_games:
            for kind in KINDS:
                yield (
                    kind,
                    Tournament(
                        (self.strong,), kind.players, kind.variant, kind.teams, kind.rulings, self.seed
                    ),
                )

    def sample(self, by: str, cores: int, tell: Tell) -> None:
        """Play the large samples by chance or by sense. An interrupt leaves what is finished."""
        progress = Progress(0, self.games * len(self.tables()))
        tell(by, progress)
        for kind in self.tables():
            portions: list[Sample] = []

            def take(portion: Sample, portions: list[Sample] = portions) -> None:
                portions.append(portion)
                progress.games += len(portion)
                tell(by, progress)

            series = kind.series(self.games, self.seed)
            try:
                sample_series(series, marks(), sensibly=by == SENSE, cores=cores, tell=take)
            finally:
                if portions:
                    self.found[by, kind] = Games(kind, by, Sample.joined(portions))

    def watch_strong(self, workers: Workers, journals: Callable[[Tournament], Journal], tell: Tell) -> None:
        """Let the strong bot play itself. An interrupt leaves what is finished, here and in the journals."""
        runs = [
            (kind, Run(tournament, self.strong_games, workers, journals(tournament)))
            for kind, tournament in self.tournaments()
        ]
        assert self.strong is not None
        done = sum(run.progress.before for _, run in runs)
        progress = Progress(done, sum(run.progress.all_games for _, run in runs), before=done)
        for kind, run in runs:
            before = progress.games - run.progress.before

            def told(own: Progress, before: int = before) -> None:
                progress.games = before + own.games
                tell(self.strong or "", progress)

            try:
                run.play(told)
            finally:
                if run.journal.games:
                    self.found[self.strong, kind] = played_games(kind, self.strong, run.journal.games)
        for _, run in runs:
            run.journal.forget()

    def of(self, by: str, kind: Kind) -> Games | None:
        """The games that somebody has played at such a table; None if none is finished."""
        return self.found.get((by, kind))
