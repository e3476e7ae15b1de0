"""The deadlines of a person in correspondence games."""

import contextlib
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from hegemon.server.tables.errors import BrokenGame, TableNotFound
from hegemon.server.tables.table import Table
from hegemon.server.tables.vacations import correspondence_games

if TYPE_CHECKING:
    from hegemon.server.tables.registry import TableRegistry


@dataclass(frozen=True)
class Deadline:
    """The deadline of a seat that is to move, at one of the person's tables."""

    table: Table
    seat: int
    until: datetime
    own: bool
    """Whether it is the person's seat."""


async def deadlines_of(tables: "TableRegistry", owner: str) -> list[Deadline]:
    """The deadlines at a person's tables: their own first, then by time."""
    found = []
    for game_id in await correspondence_games(tables, owner):
        with contextlib.suppress(BrokenGame, TableNotFound):
            table = await tables.load(game_id, requested=False)
            found += _deadlines_at(table, owner)
    return sorted(found, key=lambda deadline: (not deadline.own, deadline.until))


def _deadlines_at(table: Table, owner: str) -> list[Deadline]:
    if not table.clock.control.is_correspondence or table.is_waiting:
        return []
    return [
        Deadline(table, seat, until, table.seats[seat].owner == owner)
        for seat in table.to_move
        if table.seats[seat].acting_bot is None and (until := table.clock.deadline(seat)) is not None
    ]
