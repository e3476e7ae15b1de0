"""Rematches: the next game of a series, with the seats moved up by one."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import msgspec

from hegemon.play.game import Game
from hegemon.server.db.database import ConflictError
from hegemon.server.tables.errors import SeatRejected
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.seats import color_of, new_invite
from hegemon.server.tables.table import Table

Item = TypeVar("Item")


def score_after(table: Table) -> tuple[int, ...]:
    """The games of the series won by each seat, with this one if it is over."""
    before = table.options.score or (0,) * table.game.players
    result = table.game.result
    winners = result.winners if result is not None else ()
    return tuple(wins + (seat in winners) for seat, wins in enumerate(before))


async def create_rematch(tables: TableRegistry, table: Table) -> str:
    """Create the next game once, however many ask for it, and return its id."""
    async with table.lock:
        if table.next_game is None:
            if not table.game.over:
                raise SeatRejected("going-on")
            try:
                table.next_game = await _create_next_game(tables, table)
            except ConflictError:
                await tables.reload(table)
            table.notify()
        assert table.next_game is not None, "the store has it"
        return table.next_game


async def _create_next_game(tables: TableRegistry, table: Table) -> str:
    record = table.game.record()
    moved = rotated(range(record.players))
    options = msgspec.structs.replace(
        table.options, before=table.options.before + 1, score=rotated(score_after(table))
    )
    game = Game(
        record.players,
        record.variant,
        teams=record.teams,
        rulings=record.rulings,
        seed=tables.config.new_seed(),
        names=rotated(record.names),
    )
    rows = [
        replace(
            row,
            name=record.names[seat],
            color=color_of(table.seats, seat),
            invite=new_invite() if row.is_open else None,
            substitute=None if seat in table.presence.here else row.substitute,
        )
        for seat, row in ((seat, table.seats[seat]) for seat in moved)
    ]
    next_game = await tables.create(
        game, rows, host=table.host, options=options, public=table.public, previous_game=table.id
    )
    await tables.store.outbox.copy_webhook(table.id, next_game)
    return next_game


def rotated(items: Sequence[Item]) -> tuple[Item, ...]:
    return (*items[1:], *items[:1])
