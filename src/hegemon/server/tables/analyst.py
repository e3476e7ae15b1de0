"""Analyses of finished games: each is computed once, in a low-priority thread, and stored."""

import asyncio
import json
import logging
import os
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

from hegemon.analysis import ITERATIONS, Analysis, AnalysisError, Item
from hegemon.play.game import Game
from hegemon.server.tables.bots import lower_priority
from hegemon.server.tables.fair_queue import FairQueue
from hegemon.server.tables.table import Table

if TYPE_CHECKING:
    from hegemon.server.tables.registry import TableRegistry

#: The maximum number of concurrent analyses, in total and per caller: bots need the other cores.
MAX_ANALYSES: Final = max(1, (os.cpu_count() or 1) // 2)
MAX_ANALYSES_OF_CALLER: Final = max(1, MAX_ANALYSES // 2)

#: Seconds between updates of a page that shows an analysis in progress.
UPDATE_INTERVAL: Final = 0.5

#: The maximum number of analyses in memory, each of about 100 kB.
_MAX_CACHED: Final = 100

_LOG: Final = logging.getLogger("hegemon.server")


class AnalysisJob:
    """An analysis that is being computed."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.items: list[Item] = []
        self.failed = False
        self.stopped = False

    @property
    def analysis(self) -> Analysis:
        """The analysis so far, without names, because people can be erased."""
        return Analysis.from_items((), ITERATIONS, 0, tuple(self.items))


class Analyst:
    def __init__(self, tables: "TableRegistry") -> None:
        self._tables = tables
        self._threads = ThreadPoolExecutor(
            MAX_ANALYSES, thread_name_prefix="analysis", initializer=lower_priority
        )
        self._queue = FairQueue(MAX_ANALYSES, MAX_ANALYSES_OF_CALLER)
        self._cache: OrderedDict[str, Analysis] = OrderedDict()
        self._jobs: dict[str, AnalysisJob] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def find(self, table: Table) -> Analysis | None:
        """The stored analysis of a finished game; None if it has not been computed."""
        if table.id not in self._cache:
            text = await self._tables.store.analyses.load(table.id)
            if text is None:
                return None
            try:
                self._add_to_cache(table.id, Analysis.from_dict(json.loads(text)))
            except AnalysisError:  # of another version
                return None
        self._cache.move_to_end(table.id)
        return self._cache[table.id]

    def job(self, table: Table) -> AnalysisJob | None:
        """The computation of an analysis, if it is in progress."""
        return self._jobs.get(table.id)

    def start(self, table: Table, caller: str) -> AnalysisJob:
        """Start the analysis of a game, or join one in progress; callers take turns."""
        if table.id not in self._jobs:
            job = self._jobs[table.id] = AnalysisJob(table.game.copy())
            task = asyncio.create_task(self._run(table.id, job, caller))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return self._jobs[table.id]

    async def _run(self, game_id: str, job: AnalysisJob, caller: str) -> None:
        loop = asyncio.get_running_loop()
        try:
            await self._queue.enter(caller)
            work = loop.run_in_executor(
                self._threads, self._analyze, job, lambda: loop.call_soon_threadsafe(self._update, game_id)
            )
            work.add_done_callback(lambda _: self._queue.leave(caller))
            await work
            await self._save(game_id, job.analysis)
        except Exception:
            job.failed = True
            _LOG.exception("a game could not be analyzed", extra={"facts": {"game": game_id}})
        finally:
            job.stopped = True
            del self._jobs[game_id]
            if (table := self._tables.get(game_id)) is not None:
                table.notify()

    def _analyze(self, job: AnalysisJob, update: Callable[[], object]) -> None:
        for item in self._tables.config.analyze(job.game):
            if job.stopped:
                return
            job.items.append(item)
            update()

    def _update(self, game_id: str) -> None:
        if (table := self._tables.get(game_id)) is not None:
            table.notify_within(UPDATE_INTERVAL)

    async def _save(self, game_id: str, analysis: Analysis) -> None:
        store = self._tables.store
        await store.analyses.save(game_id, json.dumps(analysis.to_dict()))
        seats = range(len(analysis.chances[0].open))
        await store.results.save_accuracy(game_id, {seat: analysis.accuracy(seat) / 100 for seat in seats})
        self._add_to_cache(game_id, analysis)

    def _add_to_cache(self, game_id: str, analysis: Analysis) -> None:
        self._cache[game_id] = analysis
        while len(self._cache) > _MAX_CACHED:
            self._cache.popitem(last=False)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._threads.shutdown(wait=False, cancel_futures=True)
