"""Saves whose turn it is, for lists of games: shortly after a change, for many games in one transaction."""

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from hegemon.server.db.turns import ToMove
from hegemon.server.tables.table import Table

if TYPE_CHECKING:
    from hegemon.server.tables.registry import TableRegistry

#: The name of the background task.
TURNS: Final = "turns"

#: Seconds for which changes are collected; by then, the turns of bots are usually over.
_BATCH_SECONDS: Final = 0.5

#: The number of games saved in one transaction.
_MAX_SAVED: Final = 200


class TurnWriter:
    def __init__(self, tables: "TableRegistry") -> None:
        self._tables = tables
        self._changed: dict[str, Table] = {}
        self._has_changes = asyncio.Event()

    def note(self, table: Table) -> None:
        """Save soon whose turn it is, if that has changed."""
        if table.saved_turns != turns_of(table):
            self._changed[table.id] = table
            self._has_changes.set()

    async def run(self) -> None:
        while True:
            await self._has_changes.wait()
            await asyncio.sleep(_BATCH_SECONDS)
            await self.save()
            self._tables.background.report_success(TURNS)

    async def save(self) -> None:
        """Save all changes so far."""
        while self._changed:
            changed = dict(_first(self._changed.items()))
            turns = {game_id: turns_of(table) for game_id, table in changed.items()}
            await self._tables.store.turns.save(turns)
            for game_id, table in changed.items():
                table.saved_turns = turns[game_id]
                if self._changed[game_id] is table and turns_of(table) == turns[game_id]:
                    del self._changed[game_id]
        self._has_changes.clear()


def _first(items: Iterable[tuple[str, Table]]) -> list[tuple[str, Table]]:
    return [item for item, _ in zip(items, range(_MAX_SAVED), strict=False)]


def turns_of(table: Table) -> ToMove:
    """The seats to move with their deadlines, without those for which a bot plays."""
    return {
        seat: table.clock.deadline(seat) for seat in table.to_move if table.seats[seat].acting_bot is None
    }
