"""A tournament at the terminal: its progress while it runs, and its tables when it is over."""

import hashlib
import json
import os
import re
import shlex
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from rich import box
from rich.console import Console, Group, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, SpinnerColumn, TaskID, TextColumn
from rich.progress import Progress as Bar
from rich.progress import Task as BarTask
from rich.table import Table
from rich.text import Text

from hegemon.arena.journal import Journal, WrongJournal
from hegemon.arena.playing import BotFailed, thinks
from hegemon.arena.report import by_rate, ends, number, rate, write_report
from hegemon.arena.running import Progress, Run
from hegemon.arena.standings import Score, Standings, spread
from hegemon.arena.tournament import Tournament
from hegemon.arena.workers import Workers, cluster, processes, threads
from hegemon.bots import warm_up
from hegemon.cli import saves
from hegemon.cli.console import error_terminal, terminal
from hegemon.cli.guard import INTERRUPTED
from hegemon.cli.prose import ARENA
from hegemon.notation.setup import SetupError
from hegemon.rules.effects.board import Effect

MOST_GAMES: Final = 10_000_000

_ADDRESS: Final = re.compile(r"(?:[a-z]+://)?[^:/\s]+:[0-9]+")


@dataclass(frozen=True)
class Contest:
    """What was asked for at the command line."""

    tournament: Tournament
    games: int
    jobs: int
    address: str | None = None
    """Of a Dask scheduler."""
    in_threads: bool = False
    json_file: str | None = None
    report: Path | None = None
    results: Path | None = None
    """Where finished deals are kept; None for a place of our own, until the run is finished."""

    def run(self) -> int:
        """Play, and tell what came out; returns the exit status."""
        if not 1 <= self.games <= MOST_GAMES:
            raise SetupError(ARENA["games"].format(most=MOST_GAMES, games=self.games))
        if self.jobs < 1:
            raise SetupError(ARENA["jobs"].format(jobs=self.jobs))
        for path in (self.json_file, self.results):
            if path is not None and path != "-":
                expect_folder(Path(path))
        if self.report is not None:
            if find_spec("matplotlib") is None:
                raise SetupError(ARENA["no-matplotlib"])
            saves.make_folder(self.report)
        journal = self._journal()
        status = 0
        run = Run(self.tournament, self.games, self._workers(), journal)
        if run.progress.before:
            complain(ARENA["goes-on"].format(games=run.progress.before, all=run.progress.all_games))
        try:
            with Watched() as watched:
                run.play(watched.tell)
        except KeyboardInterrupt:
            journal.look_again()
            complain(ARENA["interrupted"].format(games=len(journal.games), all=run.progress.all_games))
            status = INTERRUPTED
        except BotFailed as failure:
            raise SetupError(str(failure)) from None
        self._tell(journal)
        if status == 0 and self.results is None:
            journal.forget()
        return status

    def _journal(self) -> Journal:
        if self.results is not None:
            try:
                return Journal(self.tournament, self.results)
            except WrongJournal as wrong:
                raise SetupError(str(wrong)) from None
        return unfinished_journal(self.tournament)

    def _workers(self) -> Workers:
        if self.address is not None:
            return connected(self.address)
        return here(self.tournament.names, self.jobs, in_threads=self.in_threads)

    def _tell(self, journal: Journal) -> None:
        games = journal.games
        standings = Standings.of(self.tournament, games)
        finished = len(games) >= self.tournament.number_of_games(self.games)
        data = {"finished": finished, **standings.to_data()}
        if self.json_file == "-":
            sys.stdout.write(json.dumps(data, indent=2) + "\n")
        else:
            draw_standings(terminal(), standings)
            if self.json_file is not None:
                Path(self.json_file).write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
        if self.report is not None:
            page = write_report(self.report, standings, games, shlex.join(["hegemon", *sys.argv[1:]]))
            complain(ARENA["report"].format(path=page))


def expect_folder(path: Path) -> None:
    """A file that will be written needs a folder: better said before the games than after."""
    if not path.absolute().parent.is_dir():
        raise SetupError(ARENA["no-folder"].format(path=path, folder=path.absolute().parent))
    if path.is_dir():
        raise SetupError(ARENA["folder"].format(path=path))


def unfinished_path(tournament: Tournament) -> Path:
    """Where a run is kept until it is finished: the same command finds it there."""
    digest = hashlib.sha256(json.dumps(asdict(tournament), sort_keys=True).encode()).hexdigest()[:16]
    return saves.folder().parent / "arena" / f"{digest}.jsonl"


def unfinished_journal(tournament: Tournament) -> Journal:
    """The journal of a run that may have been begun, kept in a place of our own until it is finished."""
    path = unfinished_path(tournament)
    try:
        return Journal(tournament, path)
    except WrongJournal:
        path.unlink()  # bots of another version played it, and nobody asked for it to be kept
    except OSError:
        return Journal(tournament)  # there is no place to keep anything: play all the same
    return Journal(tournament, path)


def here(names: tuple[str, ...], jobs: int, *, in_threads: bool = False) -> Workers:
    """Workers of this machine, ready for those bots."""
    if thinks(names):
        warm_up()  # once, before the workers part: otherwise each of them would compile
    return threads(jobs) if in_threads else processes(jobs)


def connected(address: str) -> Workers:
    """The workers of a cluster, or a sentence about why there are none."""
    if not _ADDRESS.fullmatch(address):
        raise SetupError(ARENA["no-cluster"].format(address=address, reason=ARENA["no-address"]))
    try:
        return cluster(address)
    except ImportError:
        raise SetupError(ARENA["no-dask"]) from None
    except (OSError, TimeoutError, ValueError) as error:
        raise SetupError(ARENA["no-cluster"].format(address=address, reason=error)) from None


def complain(sentence: str) -> None:
    """Say something that is no result."""
    error_terminal().print(sentence, markup=False)


def default_jobs() -> int:
    """As many workers as this process has cores."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# ------------------------------------------------------------------ while it runs


class TimeLeft(ProgressColumn):
    """How long the run will still take."""

    def render(self, task: BarTask) -> Text:
        """Hours, minutes and seconds; a dash while nothing tells."""
        seconds = task.fields.get("left")
        if seconds is None:
            return Text("–:––", style="quiet")
        minutes, seconds = divmod(round(seconds), 60)
        hours, minutes = divmod(minutes, 60)
        return Text(ARENA["left"].format(time=f"{hours}:{minutes:02}:{seconds:02}"), style="quiet")


class Watched(AbstractContextManager["Watched"]):
    """A run before somebody's eyes: a bar on standard error, or one for each of several."""

    def __init__(self) -> None:
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeLeft(),
        )
        self.bar = Bar(*columns, console=error_terminal(), transient=True)
        self.tasks: dict[str, TaskID] = {}

    def __enter__(self) -> "Watched":
        self.bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.bar.stop()

    def tell(self, progress: Progress, name: str = ARENA["playing"]) -> None:
        """How far the run of that name has come."""
        if name not in self.tasks:
            self.tasks[name] = self.bar.add_task(name, total=progress.all_games, left=None)
        self.bar.update(self.tasks[name], completed=progress.games, left=progress.seconds_left)


# ------------------------------------------------------------------ when it is over


def draw_standings(console: Console, standings: Standings) -> None:
    """Everything that the games say, as tables."""
    tournament = standings.tournament
    console.print(
        ARENA["played.one" if standings.deals == 1 else "played"].format(
            games=standings.games,
            deals=standings.deals,
            players=tournament.players,
            variant=tournament.variant,
            rulings=tournament.rulings,
            seed=tournament.seed,
        )
    )
    if standings.games:
        console.print(Group(*(part(standings) for part in _PARTS)))


def grid(*headings: str) -> Table:
    """An empty table; all but the first column are figures."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for place, heading in enumerate(headings):
        made.add_column(heading, justify="right" if place else "left", no_wrap=True)
    return made


def rates(standings: Standings) -> RenderableType:
    """Every bot."""
    made = grid(
        "", *(ARENA[key] for key in ("col.games", "col.wins", "col.rate", "col.interval", "col.rating"))
    )
    for name, score in by_rate(standings):
        rating = standings.ratings.get(name)
        rated = f"{rating.mu:.1f} ± {2 * rating.sigma:.1f}" if rating else "–"
        cells = (str(score.games), number(score.wins), rate(score), ends(score), rated)
        made.add_row(Text(name, style="name"), *cells)
    return made


def duels(standings: Standings) -> RenderableType:
    """Who beats whom."""
    names = [name for name, _ in by_rate(standings)]
    if len(names) < 2:
        return Text()
    made = grid(ARENA["beats"], *names)
    for one in names:
        scores = (standings.pairs.get((one, other), Score()) for other in names)
        made.add_row(Text(one, style="name"), *(rate(score) for score in scores))
    return made


def seats(standings: Standings) -> RenderableType:
    """What each seat is worth."""
    names = list(standings.bots)
    made = grid(ARENA["seats"], ARENA["col.rate"], ARENA["col.interval"], *names)
    for seat, score in enumerate(standings.seats):
        own = (rate(standings.bots_by_seat[name][seat]) for name in names)
        made.add_row(ARENA["seat"].format(seat=seat + 1), rate(score), ends(score), *own)
    return made


def endings(standings: Standings) -> RenderableType:
    """How games end, and how long they are."""
    made = grid(ARENA["endings"], ARENA["col.games"], ARENA["col.part"])
    for ending, games in standings.endings.most_common():
        made.add_row(ending, str(games), f"{100 * games / standings.games:.1f} %")
    for domain, games in standings.domains.most_common():
        made.add_row(f"  {domain}", str(games), f"{100 * games / standings.games:.1f} %")
    length = grid(ARENA["length"], *(ARENA[f"col.{key}"] for key in ("mean", "least", "median", "most")))
    for key, numbers in (("rounds", standings.rounds), ("choices", standings.words)):
        found: dict[str, Any] = spread(numbers) or {}
        length.add_row(ARENA[key], *(number(found[part]) for part in ("mean", "least", "median", "most")))
    return Group(made, length)


def effects(standings: Standings) -> RenderableType:
    """Which effects each bot applies, a game."""
    names = list(standings.bots)
    made = grid(ARENA["effects"], *names)
    for effect in Effect:
        key = effect.name.lower()
        if any(standings.effects[name][key] for name in names):
            times = (standings.effects[name][key] / max(1, standings.bots[name].games) for name in names)
            made.add_row(key.replace("_", " "), *(f"{each:.2f}" for each in times))
    return made


def thinking(standings: Standings) -> RenderableType:
    """How long the bots think."""
    made = grid(ARENA["thinking"], ARENA["col.decisions"], ARENA["col.mean"], ARENA["col.slowest"])
    for name, thought in standings.thinking.items():
        times = (f"{1000 * thought.mean:.2f} ms", f"{1000 * thought.slowest:.0f} ms")
        made.add_row(Text(name, style="name"), str(thought.decisions), *times)
    return made


_PARTS: Final[tuple[Callable[[Standings], RenderableType], ...]] = (
    rates,
    duels,
    seats,
    endings,
    effects,
    thinking,
)
