"""Copies of one table in several workers: each brings its own up to date when another has changed the game."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import AsyncExitStack
from itertools import islice
from typing import TYPE_CHECKING, Final

from hegemon.server.db.changes import GameChange
from hegemon.server.tables.errors import BrokenGame, TableNotFound
from hegemon.server.tables.table import Table

if TYPE_CHECKING:
    from hegemon.server.tables.registry import TableRegistry

#: The kind of the messages to other workers that a table was changed.
CHANGED: Final = "changed"

#: The maximum number of tables that are brought up to date together.
_MAX_BATCH: Final = 100

#: Seconds before a table that could not be brought up to date is tried again.
_RETRY_INTERVAL: Final = 1.0

_LOG: Final = logging.getLogger("hegemon.server")


class Replicas:
    """Which tables in memory are out of date, and the tasks that bring them up to date.

    Changes are announced by messages, which may get lost, and found in the database about a second later. Both only say
    that a game has changed; the changes themselves are loaded from the database, those of all games that have changed
    since the last time at once. A table that is busy or not in memory, or whose game is over, gets a separate task.
    """

    def __init__(self, tables: "TableRegistry") -> None:
        self._tables = tables
        self._stale: dict[str, None] = {}
        """The games that have changed since they were last loaded, in the order of their first change."""
        self._task: asyncio.Task[None] | None = None
        self._separate: dict[str, asyncio.Task[None]] = {}
        tables.cluster.subscribe(CHANGED, lambda _, facts: self.mark_stale(*facts))

    @property
    def is_busy(self) -> bool:
        """Whether tables are being brought up to date."""
        return self._task is not None or bool(self._separate)

    def announce(self, table: Table) -> None:
        """Tell the other workers that a table was changed here."""
        if self._tables.cluster.has_others:
            self._tables.cluster.publish(CHANGED, [table.id, table.is_driven], table.id)

    def handle_change(self, change: GameChange) -> None:
        """Handle a change that was found in the database, unless the table already includes it."""
        table = self._tables.get(change.game)
        if table is None or table.revisions.get(change.writer) != change.revision:
            self.mark_stale(change.game, change.is_driven)

    def mark_stale(self, game_id: str, is_driven: bool = False) -> None:
        """Bring a table up to date soon if it is in memory, or if this worker owns it and a clock or bot drives it."""
        if self._tables.get(game_id) is None and not (is_driven and self._tables.cluster.owns(game_id)):
            return
        self._stale[game_id] = None
        self._start()

    def mark_all_stale(self) -> None:
        """Bring all tables up to date, because announcements may have been missed."""
        for table in self._tables.in_memory:
            self.mark_stale(table.id)

    def _start(self) -> None:
        if self._task is None and not self._tables.closed:
            self._task = asyncio.create_task(self._catch_up())
            self._task.add_done_callback(self._end)

    def _end(self, _: object) -> None:
        self._task = None
        if self._stale.keys() - self._separate.keys():  # marked after the task has looked for the last time
            self._start()

    async def _catch_up(self) -> None:
        """Bring tables up to date until no change is left that has no task."""
        while pending := [game_id for game_id in self._stale if game_id not in self._separate]:
            batch = []
            for game_id in islice(pending, _MAX_BATCH):
                table = self._tables.get(game_id)
                if table is None or table.lock.locked() or table.game.over:
                    self._start_separately(game_id)
                else:
                    batch.append(table)
            if batch:
                await self._catch_up_together(batch)

    async def _catch_up_together(self, tables: Sequence[Table]) -> None:
        """Bring tables up to date whose locks are free; those whose games are over or deleted get a separate task."""
        updated = set()
        async with AsyncExitStack() as locks:
            for table in tables:
                await locks.enter_async_context(table.lock)
                del self._stale[table.id]
            try:
                updates = await self._tables.store.changes.updates(
                    {table.id: table.version for table in tables}
                )
                for table in tables:
                    if table.id in updates:
                        await self._tables.apply_update(table, updates[table.id])
                        updated.add(table.id)
            except Exception:
                _LOG.exception("tables could not be brought up to date together")
        for table in tables:
            if table.id in updated:
                self._tables.driver.turn_changed(table)
            else:
                self._stale[table.id] = None
                self._start_separately(table.id)

    def _start_separately(self, game_id: str) -> None:
        task = self._separate[game_id] = asyncio.create_task(self._catch_up_separately(game_id))
        task.add_done_callback(lambda _: self._end_separately(game_id))

    def _end_separately(self, game_id: str) -> None:
        del self._separate[game_id]
        if game_id in self._stale:
            self._start()

    async def _catch_up_separately(self, game_id: str) -> None:
        while game_id in self._stale:
            del self._stale[game_id]
            try:
                if (table := self._tables.get(game_id)) is not None:
                    await self._tables.catch_up(table)
                else:
                    await self._tables.load(game_id, requested=False)
            except TableNotFound:
                self._tables.forget([game_id])
            except BrokenGame:  # the log has the reason
                return
            except Exception:
                _LOG.exception("a table could not be brought up to date", extra={"facts": {"game": game_id}})
                self._stale[game_id] = None
                await asyncio.sleep(_RETRY_INTERVAL)

    async def close(self) -> None:
        tasks = [*self._separate.values(), *([self._task] if self._task is not None else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
