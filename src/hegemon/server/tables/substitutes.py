"""Substitutes: a bot plays for a player who is out of time, or absent by the vote of the others, until they return.

Everything here runs under the lock of the table.
"""

import dataclasses
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from hegemon.server.db.errors import ConflictError
from hegemon.server.db.rows import Substitution
from hegemon.server.tables.errors import SeatLost, SeatRejected, VoteRejected
from hegemon.server.tables.presence import update_presence
from hegemon.server.tables.table import BACK, RESIGNED, WITHDRAWN, Table
from hegemon.server.tables.vacations import refresh_vacations
from hegemon.server.texts import translatable

if TYPE_CHECKING:
    from hegemon.server.tables.registry import TableRegistry

CLOCK: Final = "clock"
VOTE: Final = "vote"

#: The sentences of the game log, by reason.
NOTES: Final = {
    "clock": translatable("{name}’s time is up: a bot is playing until {name} is back."),
    "vote": translatable("{name} is away: the others have voted to let a bot play until {name} is back."),
    "left": translatable("{name} has withdrawn from the tournament: a bot is playing."),
    "resigned": translatable("{name} has resigned: a bot plays on."),
    "back": translatable("{name} is back."),
}

#: The same sentences, addressed to the player on the seat.
NOTES_TO_PLAYER: Final = {
    "clock": translatable("Your time is up: a bot is playing until you are back."),
    "vote": translatable("You were away: the others voted to let a bot play until you are back."),
    "left": translatable("You have withdrawn from the tournament: a bot is playing."),
    "resigned": translatable("You have resigned: a bot plays on for you."),
    "back": translatable("You are back."),
}


async def substitute_overdue(tables: "TableRegistry", table: Table) -> None:
    """Substitute the players who are out of time."""
    async with table.lock:
        overdue = await overdue_seats(tables, table, tables.now())
        for seat in overdue:
            await substitute(tables, table, seat, CLOCK, tables.now())
    if overdue:
        tables.changed(table)


async def overdue_seats(tables: "TableRegistry", table: Table, now: datetime) -> list[int]:
    """The seats that are out of time, taking stored vacations into account."""
    if table.overdue_seats(now):
        await refresh_vacations(tables, table)
    return table.overdue_seats(now)


async def has_substitute(tables: "TableRegistry", table: Table, seat: int, now: datetime) -> bool:
    """Whether a substitute plays for a seat; substitutes a player who is out of time first."""
    while seat in await overdue_seats(tables, table, now):
        await substitute(tables, table, seat, CLOCK, now)
    return table.seats[seat].substitute is not None


async def substitute(tables: "TableRegistry", table: Table, seat: int, reason: str, now: datetime) -> None:
    """Let a bot play on a seat; if another worker has changed the game, apply its changes instead."""
    await _set_substitute(tables, table, seat, reason, now, tables.config.substitute_bot)
    table.presence.drop_votes(seat)


async def _set_substitute(
    tables: "TableRegistry", table: Table, seat: int, reason: str, now: datetime, level: str | None
) -> None:
    """Set or remove a substitute; if another worker was first, apply its changes instead."""
    substitution = Substitution(len(table.substitutions) + 1, now, table.version, seat, reason)
    row = table.seats[seat]
    try:
        await tables.store.seats.change_substitute(table.id, substitution, row, level)
    except ConflictError:
        await tables.reload(table)
        return
    table.add_substitution(substitution)
    table.set_seat(seat, dataclasses.replace(row, substitute=level))


def eligible_voters(table: Table, seat: int, now: datetime) -> frozenset[int]:
    """The seats that may vote about a seat: those of people who are present; programs do not count."""
    owner = table.seats[seat].owner
    return frozenset(
        other
        for other, row in enumerate(table.seats)
        if row.owner is not None
        and row.owner != owner
        and row.substitute is None
        and table.presence.has_person(other, now)
    )


def may_be_voted_away(table: Table, seat: int, now: datetime) -> bool:
    """Whether the player of a seat is absent from a game in which players have to be present."""
    row = table.seats[seat]
    if table.clock.control.is_correspondence:
        return False
    missing = row.bot is None and row.substitute is None and row.owner is not None
    return (
        missing and not table.game.over and not table.is_waiting and not table.presence.is_present(seat, now)
    )


async def vote(tables: "TableRegistry", table: Table, voters: Sequence[int], seat: int) -> None:
    """Vote for a substitute on a seat; more than half of the present others decide."""
    async with table.lock:
        now = tables.now()
        if not voters:
            raise VoteRejected("player")
        table.presence.touch(voters, now)
        if table.game.over or table.is_waiting:
            raise VoteRejected("over")
        if seat in voters:
            raise VoteRejected("self")
        if table.seats[seat].acting_bot or table.seats[seat].owner is None:
            raise VoteRejected("bot")
        if table.clock.control.is_correspondence:
            raise VoteRejected("days")
        if not may_be_voted_away(table, seat, now):
            raise VoteRejected("here")
        table.presence.vote(voters, seat)
        voting = eligible_voters(table, seat, now)
        if 2 * len(table.presence.votes[seat] & voting) > len(voting):
            while table.seats[seat].acting_bot is None and not table.game.over:
                await substitute(tables, table, seat, VOTE, now)
        else:
            table.notify()
            tables.gossip.report(table)
    tables.changed(table)


async def resign(tables: "TableRegistry", table: Table, seat: int, owner: str) -> None:
    """Resign: a bot plays on to the end, but the player has lost in any case. Repeated calls have no effect."""
    async with table.lock:
        while seat not in table.resigned:
            if table.seats[seat].owner != owner:
                raise SeatLost
            if table.game.over:
                raise SeatRejected("over")
            if table.is_waiting:
                raise SeatRejected("not-begun")
            for kind in ("daily", "tournament"):
                if getattr(table.options, kind):
                    raise SeatRejected(kind)
            await substitute(tables, table, seat, RESIGNED, tables.now())
    tables.changed(table)


async def return_to_seat(tables: "TableRegistry", table: Table, seat: int, owner: str) -> None:
    """Give a seat back to its player; the substitute's moves stand, but a move that it is choosing is dropped.

    If the player's time ran out in the current turn, the substitute finishes that turn, however long it takes.
    """
    async with table.lock:
        while table.seats[seat].substitute is not None:
            if table.seats[seat].owner != owner:
                raise SeatLost
            for reason, left in ((RESIGNED, table.resigned), (WITHDRAWN, table.withdrawn)):
                if seat in left:
                    raise SeatRejected(reason)
            if table.is_time_up(seat, tables.now()):
                raise SeatRejected("time-up")
            await _set_substitute(tables, table, seat, BACK, tables.now(), None)
        table.presence.touch([seat], tables.now())
    update_presence(tables, table)
    tables.changed(table)
