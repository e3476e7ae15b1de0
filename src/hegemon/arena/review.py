"""Analyze many games: the losses of each player's decisions over all games of a file or a folder."""

from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from hegemon.analysis import Analysis, accuracy_of, analyze_decisions
from hegemon.arena.export import record_of_row
from hegemon.arena.runner import Progress, run_tasks
from hegemon.arena.workers import Workers
from hegemon.notation.record import read_record
from hegemon.notation.setup import SetupError
from hegemon.play.game import Game

#: The columns that are needed to replay a row of an export.
_COLUMNS: Final = ("bots", "variant", "teams", "rulings", "deck", "moves", "ending", "domain", "winners")

#: A game to analyze: the row of an export, or the file of a record.
Source = Mapping[str, Any] | Path


@dataclass
class LossTotals:
    """The losses of one player's decisions."""

    games: int = 0
    decisions: int = 0
    mistakes: int = 0
    loss: float = 0.0
    """The sum over all decisions."""

    def add(self, other: "LossTotals") -> None:
        self.games += other.games
        self.decisions += other.decisions
        self.mistakes += other.mistakes
        self.loss += other.loss

    @property
    def average_loss(self) -> float:
        return self.loss / self.decisions if self.decisions else 0.0

    @property
    def accuracy(self) -> float:
        return accuracy_of(self.average_loss)

    def to_data(self) -> dict[str, Any]:
        return {**asdict(self), "average_loss": self.average_loss, "accuracy": self.accuracy}


def sources(path: Path) -> list[Source]:
    """The games in a file of `hegemon export`, or in a folder of such files and of records."""
    if not path.is_dir():
        return rows_of(path)
    exported = [row for file in sorted(path.rglob("*.parquet")) for row in rows_of(file)]
    return [*exported, *sorted(path.rglob("*.toml"))]


def rows_of(path: Path) -> list[Source]:
    if find_spec("pyarrow") is None:
        raise SetupError(
            "Reading {path} needs PyArrow. Install it with: pip install 'hegemon[data]'", path=path
        )
    parquet: Any = import_module("pyarrow.parquet")
    try:
        with path.open("rb") as file:
            rows: list[Source] = parquet.read_table(file, columns=list(_COLUMNS)).to_pylist()
    except ValueError:  # raised by PyArrow for other files and columns
        rows = []
    if not rows or set(rows[0]) != set(_COLUMNS):  # type: ignore[arg-type]  # rows are mappings
        raise SetupError("{path} has no records of games, as hegemon export writes them.", path=path)
    return rows


def review(source: Source, iterations: int, seed: int) -> dict[str, LossTotals] | None:
    """The losses of each player in a game; None if the game is unfinished or cannot be read."""
    try:
        record = read_record(source.read_text("utf-8")) if isinstance(source, Path) else record_of_row(source)
        game = Game.from_record(record)
    except (OSError, ValueError):
        return None
    if not game.over:
        return None
    decisions = tuple(analyze_decisions(game, iterations=iterations, seed=seed))
    analysis = Analysis(game.names, iterations, seed, decisions=decisions)
    found: dict[str, LossTotals] = {}
    for seat, name in enumerate(game.names):
        own = analysis.decisions_of(seat)
        losses = [decision.loss for decision in own]
        mistakes = len(analysis.mistakes(seat, limit=None))
        found.setdefault(player_of(name, seat), LossTotals()).add(
            LossTotals(1, len(own), mistakes, sum(losses))
        )
    return found


def player_of(name: str, seat: int) -> str:
    """The player of a seat: an arena numbers its bots by their seats."""
    return name.removesuffix(f" {seat + 1}")


class Review:
    """Analyzes many games with many workers; each game is a task."""

    def __init__(self, games: list[Source], workers: Workers, iterations: int, seed: int = 0) -> None:
        self.games = games
        self.workers = workers
        self.iterations = iterations
        self.seed = seed
        self.missing = list(range(len(games)))
        self.players: dict[str, LossTotals] = {}
        self.skipped = 0
        """The number of games that are unfinished or cannot be read."""
        self.progress = Progress(0, len(games))

    def run(self, report: Callable[[Progress], None] = lambda progress: None) -> None:
        """Analyze all games, reporting progress; after an interrupt, the figures are those of the finished ones."""

        def submit(executor: Executor, number: int) -> Future[dict[str, LossTotals] | None]:
            return executor.submit(review, self.games[number], self.iterations, self.seed)

        def collect(number: int, found: dict[str, LossTotals] | None) -> None:
            self.progress.games += 1
            self.skipped += found is None
            for name, totals in (found or {}).items():
                self.players.setdefault(name, LossTotals()).add(totals)

        run_tasks(self.missing, self.workers, submit, collect, lambda: report(self.progress))
