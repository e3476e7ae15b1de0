"""Run a tournament: submit deals to workers and collect each result exactly once."""

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import islice
from typing import Final, TypeVar

from hegemon.arena.code import Code
from hegemon.arena.games import GameResult, play_deal
from hegemon.arena.journal import Journal
from hegemon.arena.tournament import Deal, Tournament
from hegemon.arena.workers import Workers
from hegemon.notation.setup import SetupError

# One running and one queued, so that no worker is idle.
TASKS_PER_WORKER: Final = 2
POLL_INTERVAL: Final = 0.25  # seconds
# Failures of the whole worker pool before the run is abandoned.
MAX_POOL_FAILURES: Final = 5


Task = TypeVar("Task")
Done = TypeVar("Done")


@dataclass
class Progress:
    """Finished games of a run, and the time left."""

    games: int
    all_games: int
    started: float = field(default_factory=time.monotonic)
    finished_before: int = 0
    """Games that were finished before this run started."""

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    @property
    def seconds_left(self) -> float | None:
        """Estimated from the games of this run; None before the first one."""
        played = self.games - self.finished_before
        if played == 0:
            return None
        return self.seconds * (self.all_games - self.games) / played


def run_tasks(
    missing: list[Task],
    workers: Workers,
    submit: Callable[[Executor, Task], "Future[Done]"],
    collect: Callable[[Task, Done], None],
    report: Callable[[], None],
) -> None:
    """Run all tasks on the workers; collect each result once, remove its task, and report progress regularly."""
    report()
    pool_failures = 0
    while missing:
        executor = workers.start()
        try:
            for task, done in results(missing, workers, partial(submit, executor), report):
                missing.remove(task)
                collect(task, done)
                report()
        except BrokenExecutor:
            # A killed worker breaks the whole pool; a new pool runs the remaining tasks.
            pool_failures += 1
            if pool_failures == MAX_POOL_FAILURES:
                raise
        finally:
            workers.stop(executor)


def results(
    tasks: Iterable[Task],
    workers: Workers,
    submit: Callable[[Task], "Future[Done]"],
    report: Callable[[], None],
) -> Iterator[tuple[Task, Done]]:
    """The result of each task as soon as it is available; only a few tasks are queued at a time."""
    waiting = iter(list(tasks))
    working: dict[Future[Done], Task] = {}
    while True:
        for task in islice(waiting, TASKS_PER_WORKER * workers.count - len(working)):
            working[submit(task)] = task
        if not working:
            return
        finished, _ = wait(working, timeout=POLL_INTERVAL, return_when=FIRST_COMPLETED)
        report()
        for future in [future for future in working if future in finished]:  # in task order
            yield working.pop(future), future.result()


class Run:
    """Plays the deals of a tournament that the journal does not have yet."""

    def __init__(self, tournament: Tournament, games: int, workers: Workers, journal: Journal) -> None:
        self.tournament = tournament
        self.workers = workers
        self.journal = journal
        self.missing = [deal for deal in tournament.deals(games) if deal not in journal.deals]
        done = sum(len(journal.deals[deal]) for deal in tournament.deals(games) if deal in journal.deals)
        self.progress = Progress(done, tournament.number_of_games(games), finished_before=done)

    def play(self, report: Callable[[Progress], None] = lambda progress: None) -> None:
        """Play to the end, reporting progress. After an interrupt, the journal has all finished deals."""

        def collect(deal: Deal, games: list[GameResult]) -> None:
            if self.journal.add(deal, games):
                self.progress.games += len(games)

        run_tasks(self.missing, self.workers, self._submit, collect, lambda: report(self.progress))

    def _submit(self, executor: Executor, deal: Deal) -> Future[list[GameResult]]:
        if self.workers.is_remote:
            return executor.submit(play_with_code, self.tournament, deal, self.journal.code)
        return executor.submit(play_deal, self.tournament, deal)


def play_with_code(tournament: Tournament, deal: Deal, code: Code) -> list[GameResult]:
    """Play a deal on another machine, if it has the same code."""
    if changes := code_of_this_process(tournament.names).changes(code.to_data()):
        raise SetupError(
            "A worker has other code than this computer. What is different: {changes}", changes=changes
        )
    return play_deal(tournament, deal)


code_of_this_process = cache(Code.of)
