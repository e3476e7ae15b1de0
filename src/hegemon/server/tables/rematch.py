"""Rematches: the next game of a series, with the seats moved up by one, or in another order."""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

import msgspec

from hegemon.play.game import Game
from hegemon.prose.english import PERSON_NAMES
from hegemon.server.db.errors import ConflictError
from hegemon.server.tables.errors import SeatRejected
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.seats import color_of, new_invite
from hegemon.server.tables.table import Table


def score_after(table: Table) -> tuple[int, ...]:
    """The number of games of the series won by each seat, including this one if it is over."""
    before = table.options.score or (0,) * table.game.players
    result = table.game.result
    winners = result.winners if result is not None else ()
    return tuple(wins + (seat in winners) for seat, wins in enumerate(before))


async def create_rematch(
    tables: TableRegistry, table: Table, owner: str = "", *, other_seats: bool = False
) -> str:
    """Create the next game, once for all requests, and return its id; the requesting owner gets a seat.

    The seats of former players are open to friends.
    """
    async with table.lock:
        if table.next_game is None:
            if not table.game.over:
                raise SeatRejected("going-on")
            try:
                table.next_game = await _create_next_game(tables, table, owner, other_seats)
            except ConflictError:
                await tables.reload(table)
            table.notify()
            tables.announce(table)
        assert table.next_game is not None, "the store has it"
        return table.next_game


async def _create_next_game(tables: TableRegistry, table: Table, owner: str, other_seats: bool) -> str:
    record = table.game.record()
    here = table.presence.present_seats.union(table.seats_of(owner))
    moved = next_seating(record.players, other_seats=other_seats)
    score = score_after(table)
    options = msgspec.structs.replace(
        table.options,
        before=table.options.before + 1,
        score=tuple(score[seat] for seat in moved),
        daily="",  # the deal of the day is played only once
        tournament="",
        round=0,
        bot_seed=0,
        origin="",
        origin_daily="",
    )
    unused = (name for name in PERSON_NAMES if name not in record.names)
    game = Game(
        record.players,
        record.variant,
        teams=record.teams,
        rulings=record.rulings,
        seed=tables.config.new_seed(),
        names=[next(unused) if table.seats[seat].is_empty else record.names[seat] for seat in moved],
    )
    rows = [
        replace(
            row,
            name=None if row.is_empty else record.names[seat],
            color=color_of(table.seats, seat),
            invite=new_invite() if row.is_empty or row.is_open else None,
            substitute=None if seat in here else row.substitute,
        )
        for seat, row in ((seat, table.seats[seat]) for seat in moved)
    ]
    host = table.host or owner or None
    next_game = await tables.create(
        game, rows, host=host, options=options, public=table.public, previous_game=table.id
    )
    await tables.store.outbox.copy_webhook(table.id, next_game)
    return next_game


def next_seating(players: int, *, other_seats: bool = False) -> Sequence[int]:
    """The earlier seat of each player: moved up by one, or in a random order other than that and the current one."""
    same = tuple(range(players))
    moved_up = (*same[1:], *same[:1])
    others = [order for order in permutations(same) if order not in (same, moved_up)]
    return secrets.choice(others) if other_seats and others else moved_up
