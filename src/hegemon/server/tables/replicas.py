"""Copies of one table in several workers: each brings its own up to date when another has changed the game."""

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from hegemon.server.db.changes import Change
from hegemon.server.tables.errors import BrokenGame, TableNotFound
from hegemon.server.tables.table import Table

if TYPE_CHECKING:
    from hegemon.server.tables.registry import TableRegistry

#: The kind of the messages to other workers that a table was changed.
CHANGED: Final = "changed"

#: Seconds before a table that could not be brought up to date is tried again.
_RETRY_INTERVAL: Final = 1.0

_LOG: Final = logging.getLogger("hegemon.server")


class Replicas:
    """Which tables in memory are out of date, and the tasks that bring them up to date.

    Changes are announced by messages, which may get lost, and found again in the database about a second later. Both
    only say that something has changed; what it is, the table learns from the database.
    """

    def __init__(self, tables: "TableRegistry") -> None:
        self._tables = tables
        self._stale: set[str] = set()
        """The games that have changed since their task began to load them."""
        self._tasks: dict[str, asyncio.Task[None]] = {}
        tables.cluster.subscribe(CHANGED, lambda _, facts: self.note_change(*facts))

    def announce(self, table: Table) -> None:
        """Tell the other workers that a table was changed here."""
        if self._tables.cluster.has_others:
            self._tables.cluster.publish(CHANGED, [table.id, table.is_driven], table.id)

    def found_change(self, change: Change) -> None:
        """Note a change in the database, unless the table includes it already."""
        table = self._tables.get(change.game)
        if table is None or table.revisions.get(change.writer) != change.revision:
            self.note_change(change.game, change.is_driven)

    def note_change(self, game_id: str, is_driven: bool = False) -> None:
        """Bring a table up to date soon, if it is in memory, or if this worker owns it and a clock or bot drives it."""
        if self._tables.get(game_id) is None and not (is_driven and self._tables.cluster.owns(game_id)):
            return
        self._stale.add(game_id)
        if game_id not in self._tasks and not self._tables.closed:
            task = self._tasks[game_id] = asyncio.create_task(self._catch_up(game_id))
            task.add_done_callback(lambda _: self._tasks.pop(game_id, None))

    def note_all(self) -> None:
        """Bring all tables up to date, because announcements may have been missed."""
        for table in self._tables.in_memory:
            self.note_change(table.id)

    async def _catch_up(self, game_id: str) -> None:
        while game_id in self._stale:
            self._stale.discard(game_id)
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
                self._stale.add(game_id)
                await asyncio.sleep(_RETRY_INTERVAL)

    async def close(self) -> None:
        tasks = [*self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
