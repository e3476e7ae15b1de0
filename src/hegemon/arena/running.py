"""A run: deals handed to workers, results taken in as they come, nothing lost and nothing counted twice."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, field
from typing import Final

from hegemon.arena.journal import Journal
from hegemon.arena.playing import GamePlayed, play_deal
from hegemon.arena.tournament import Deal, Tournament
from hegemon.arena.workers import Workers

# Every worker has one deal to play and one to go on with.
_AHEAD: Final = 2
# How long to wait for a result before looking at the clock again.
_PATIENCE: Final = 0.25
# So often may all workers of a machine break down before the run is given up.
_BREAKDOWNS: Final = 5


@dataclass
class Progress:
    """How far a run has come."""

    games: int
    """How many games are finished."""
    all_games: int
    began: float = field(default_factory=time.monotonic)
    before: int = 0
    """How many of them were finished before this run began."""

    @property
    def seconds(self) -> float:
        """How long this run has taken."""
        return time.monotonic() - self.began

    @property
    def seconds_left(self) -> float | None:
        """How long it will take, by what it took so far; None if nothing tells."""
        played = self.games - self.before
        if played == 0:
            return None
        return self.seconds * (self.all_games - self.games) / played


class Run:
    """Plays what is missing of a tournament."""

    def __init__(self, tournament: Tournament, games: int, workers: Workers, journal: Journal) -> None:
        self.tournament = tournament
        self.workers = workers
        self.journal = journal
        self.missing = [deal for deal in tournament.deals(games) if deal not in journal.deals]
        done = sum(len(journal.deals[deal]) for deal in tournament.deals(games) if deal in journal.deals)
        self.progress = Progress(done, tournament.number_of_games(games), before=done)

    def play(self, tell: Callable[[Progress], None] = lambda progress: None) -> None:
        """Play to the end; `tell` is called now and then. An interrupt leaves what is finished in the journal."""
        tell(self.progress)
        breakdowns = 0
        while self.missing:
            executor = self.workers.hire()
            try:
                for deal, games in self._results(executor, tell):
                    self.missing.remove(deal)
                    if self.journal.add(deal, games):
                        self.progress.games += len(games)
                    tell(self.progress)
            except BrokenExecutor:
                # A worker was killed and took the others with it. Whatever was not finished is played by new ones.
                breakdowns += 1
                if breakdowns == _BREAKDOWNS:
                    raise
            finally:
                self.workers.dismiss(executor)

    def _results(
        self, executor: Executor, tell: Callable[[Progress], None]
    ) -> Iterator[tuple[Deal, list[GamePlayed]]]:
        waiting = iter(list(self.missing))
        playing: dict[Future[list[GamePlayed]], Deal] = {}
        while True:
            while len(playing) < _AHEAD * self.workers.number and (deal := next(waiting, None)) is not None:
                playing[executor.submit(play_deal, self.tournament, deal)] = deal
            if not playing:
                return
            done, _ = wait(playing, timeout=_PATIENCE, return_when=FIRST_COMPLETED)
            tell(self.progress)
            for future in done:
                yield playing.pop(future), future.result()
