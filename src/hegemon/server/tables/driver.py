"""Driving the games of a server without requests: deadlines, plans and bots, at the tables that this worker owns."""

import asyncio
import contextlib
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Final

from sqlalchemy.exc import SQLAlchemyError

from hegemon.notation.errors import NotationError
from hegemon.server.db.errors import StorageError
from hegemon.server.db.games import RunningClock
from hegemon.server.tables.clock import read_time_control
from hegemon.server.tables.presence import update_presence
from hegemon.server.tables.scheduler import Scheduler
from hegemon.server.tables.substitutes import substitute_overdue
from hegemon.server.tables.table import Table

if TYPE_CHECKING:
    from hegemon.server.tables.registry import TableRegistry

#: The name of the background task that checks deadlines, and of the one that takes over tables of other workers.
CLOCKS: Final = "clocks"
TAKEOVER: Final = "takeover"


class TableDriver:
    def __init__(self, tables: "TableRegistry") -> None:
        self._tables = tables
        self.scheduler = Scheduler(lambda: tables.now())
        self.on_turn: Callable[[Table], None] | None = None
        """Called when the turn may have changed; may also be called when it has not."""
        self._takeover_requested = asyncio.Event()
        """Set when this worker may own tables that it has not scheduled."""

    async def start(self) -> None:
        """Find the deadlines of all games, and check each of them when it is due."""
        with contextlib.suppress(StorageError, SQLAlchemyError):  # the background task tries again
            await self.find_deadlines()
        self._tables.background.start(CLOCKS, self._run_scheduler)
        self._tables.background.start(TAKEOVER, self._run_takeovers)

    def turn_changed(self, table: Table, *, changed_here: bool = False) -> None:
        """Schedule the next deadline and save whose turn it is; as the owner, play plans, notify players, run bots.

        The players of a table without clocks are also notified by the worker where the turn was changed.
        """
        tables = self._tables
        owned = tables.cluster.owns(table.id)
        if owned or changed_here:
            tables.turns.note(table)
        self.scheduler.schedule(table.id, table.next_deadline(tables.now(), with_clocks=owned))
        may_notify = owned or (changed_here and not table.clock.is_limited)
        if not (owned and tables.planner.run(table)) and may_notify and self.on_turn is not None:
            self.on_turn(table)
        if owned:
            tables.bots.run(table)

    # ---------------------------------------------------------------- deadlines

    async def find_deadlines(self) -> None:
        """Schedule the games that this worker owns: those with clocks, and those that were changed last.

        A server that was killed may not have acted on the last changes.
        """
        tables = self._tables
        self._takeover_requested.clear()
        try:
            for running in await tables.store.games.running_clocks():
                if tables.cluster.owns(running.game):
                    self.scheduler.schedule(running.game, first_check(running, tables.now()))
            changed = await tables.store.games.recently_changed()
            for game_id in {*changed, *(table.id for table in tables.in_memory)}:
                if tables.cluster.owns(game_id):
                    self.scheduler.schedule(game_id, tables.now())
        except BaseException:
            self._takeover_requested.set()
            raise

    async def _run_scheduler(self) -> None:
        self._tables.background.report_success(CLOCKS)
        await self.scheduler.run(self.check_deadlines)

    async def run_due(self) -> None:
        """Check the deadlines that have passed, including those of tables that are not in memory."""
        await self.scheduler.run_due(self.check_deadlines)

    async def check_deadlines(self, game_id: str) -> None:
        """Substitute players who are out of time, and update who is absent."""
        tables = self._tables
        owned = tables.cluster.owns(game_id)
        if not owned and tables.get(game_id) is None:
            return
        table = await tables.load(game_id, requested=False)
        if owned:
            await substitute_overdue(tables, table)
        update_presence(tables, table)
        self.turn_changed(table)

    # ---------------------------------------------------------------- other workers

    def take_over(self) -> None:
        """Schedule the games of other workers soon, because this worker may own them now."""
        self._takeover_requested.set()

    def worker_lost(self, worker: str) -> None:
        """Note that another worker has died, perhaps before it acted on a change."""
        self._tables.gossip.drop(worker)
        self.take_over()

    async def _run_takeovers(self) -> None:
        while True:
            await self._takeover_requested.wait()
            await self.find_deadlines()
            self._tables.background.report_success(TAKEOVER)


def first_check(running: RunningClock, now: datetime) -> datetime:
    """When a server that starts has to check a game: when a player has to be reminded, or immediately."""
    if running.deadline is not None:
        with contextlib.suppress(NotationError):  # a damaged game: loading it will report the error
            return max(now, running.deadline - read_time_control(running.clock).reminder_lead)
    return now
