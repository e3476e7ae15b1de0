"""Journals, workers and progress bars of commands that play or analyze many games."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Final

from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, SpinnerColumn, TaskID, TextColumn
from rich.progress import Progress as Bar
from rich.progress import Task as BarTask
from rich.text import Text

from hegemon.arena.games import BotFailed
from hegemon.arena.journal import Journal, JournalError
from hegemon.arena.runner import Progress
from hegemon.arena.tournament import Tournament
from hegemon.arena.workers import Workers, cluster, processes, threads
from hegemon.bots import warm_up
from hegemon.cli import saves
from hegemon.cli.errors import CommandError, print_error
from hegemon.cli.prose import ARENA, sentence_of
from hegemon.cli.signals import Interrupts
from hegemon.cli.terminal.console import error_console
from hegemon.kernels.random_play import available_cores
from hegemon.notation.messages import message_of
from hegemon.notation.setup import SetupError

_ADDRESS: Final = re.compile(r"(?:[a-z]+://)?[^:/\s]+:[0-9]+")


def check_file(path: Path | None) -> None:
    """Reject a file that could not be written, before the games are played."""
    if path is not None and not path.absolute().parent.is_dir():
        raise SetupError(ARENA["no-folder"].format(path=path, folder=path.absolute().parent))
    if path is not None and path.is_dir():
        raise SetupError(ARENA["folder"].format(path=path))


def saved_journal(tournament: Tournament, path: Path) -> Journal:
    try:
        return Journal(tournament, path)
    except JournalError as error:
        print_error(sentence_of(error))
        raise SetupError(ARENA["other-results"]) from None


def unfinished_path(tournament: Tournament) -> Path:
    """The path of an interrupted run, where the same command finds it."""
    digest = hashlib.sha256(json.dumps(asdict(tournament), sort_keys=True).encode()).hexdigest()[:16]
    return saves.folder().parent / "arena" / f"{digest}.jsonl"


def unfinished_journal(tournament: Tournament) -> Journal:
    """The journal of a run, saved in the data folder until the run is finished."""
    path = unfinished_path(tournament)
    try:
        return Journal(tournament, path)
    except JournalError as error:
        print_error(sentence_of(error), ARENA["starts-over"])
        path.unlink()
    except OSError:
        return Journal(tournament)  # play even if the run cannot be saved
    return Journal(tournament, path)


@contextmanager
def failures_reported() -> Iterator[None]:
    """Report failed bots, with their traceback, and dead workers as errors of the command."""
    try:
        yield
    except BotFailed as failure:
        print_error(failure.trace)
        raise SetupError(message_of(failure)) from None
    except BrokenExecutor:
        raise CommandError(ARENA["broken"]) from None


def local_workers(names: tuple[str, ...], jobs: int, *, in_threads: bool = False) -> Workers:
    warm_up(names)  # compile once, before the workers start
    return threads(jobs) if in_threads else processes(jobs)


def connect(address: str) -> Workers:
    """The workers of a cluster; raises an error if it has none."""
    if not _ADDRESS.fullmatch(address):
        raise SetupError(ARENA["no-cluster"].format(address=address, reason=ARENA["no-address"]))
    try:
        return cluster(address)
    except ImportError:
        raise SetupError(ARENA["no-dask"]) from None
    except (OSError, TimeoutError, ValueError) as error:
        raise SetupError(ARENA["no-cluster"].format(address=address, reason=error)) from None


def number_of_jobs(jobs: int | None) -> int:
    """The number of workers: as requested, or one for each core."""
    if jobs is None:
        return available_cores()
    if jobs < 1:
        raise SetupError(ARENA["jobs"].format(jobs=jobs))
    return jobs


class TimeLeft(ProgressColumn):
    """The estimated time until the run is finished."""

    def render(self, task: BarTask) -> Text:
        seconds = task.fields.get("left")
        if seconds is None:
            return Text("–:––", style="quiet")
        minutes, seconds = divmod(round(seconds), 60)
        hours, minutes = divmod(minutes, 60)
        return Text(ARENA["left"].format(time=f"{hours}:{minutes:02}:{seconds:02}"), style="quiet")


@contextmanager
def progress_bars() -> Iterator[Callable[[str, Progress], None]]:
    """Draw progress bars on standard error; yields a function that updates the bar of a name.

    Meanwhile, SIGTERM and SIGHUP act like Ctrl-C.
    """
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeLeft(),
    )
    tasks: dict[str, TaskID] = {}
    bars = Bar(*columns, console=error_console(), transient=True)
    with Interrupts() as interrupts, interrupts.allowed(), bars as bar:

        def update(name: str, progress: Progress) -> None:
            if name not in tasks:
                tasks[name] = bar.add_task(name, total=progress.all_games, left=None)
            bar.update(tasks[name], completed=progress.games, left=progress.seconds_left)

        yield update
