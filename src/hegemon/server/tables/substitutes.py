"""Somebody is away: the others may vote for a bot to stand in, and whoever comes back has the seat again.

Everything here is done under the lock of the table, so that of two things at once one comes first.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from datetime import datetime
from typing import Final

from hegemon.server.db.schema import Substitution
from hegemon.server.tables.registry import BACK, VOTE, SeatLost, Table, Tables
from hegemon.server.texts import translatable

#: Why nobody can be voted away.
VOTE_REJECTIONS: Final = {
    "player": translatable("Only those who play can vote."),
    "over": translatable("The game is not going on."),
    "bot": translatable("A bot plays there already."),
    "here": translatable("{name} is here."),
    "self": translatable("You cannot vote about yourself."),
    "days": translatable("Where everybody has days to think, nobody has to be here."),
}

#: What the log says about seats.
NOTES: Final = {
    "clock": translatable("The time of {name} is up: a bot plays on until {name} is back."),
    "vote": translatable("{name} is away: the others have voted for a bot to play on until {name} is back."),
    "back": translatable("{name} is back."),
}

#: The same, as it is told to who sits there.
NOTES_TO_ONESELF: Final = {
    "clock": translatable("Your time is up: a bot plays on until you are back."),
    "vote": translatable("You were away: the others have voted for a bot to play on until you are back."),
    "back": translatable("You are back."),
}


class VoteRejected(Exception):
    """A vote that does not count: which sentence says why."""

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(key)


def electorate(table: Table, seat: int, now: datetime) -> frozenset[int]:
    """The seats that decide about a seat: those of the people who are here. A program need not be waited for."""
    about = table.seats[seat].owner
    return frozenset(
        other
        for other, row in enumerate(table.seats)
        if row.owner is not None
        and row.owner != about
        and row.substitute is None
        and table.presence.has_person(other, now)
    )


def may_be_voted_away(table: Table, seat: int, now: datetime) -> bool:
    """Whether somebody who ought to sit there is away; where a move may take days nobody need be there."""
    row = table.seats[seat]
    if table.clock.pace.is_correspondence:
        return False
    missing = row.bot is None and row.substitute is None and row.owner is not None
    return missing and not table.game.over and not table.is_waiting and not table.presence.is_here(seat, now)


async def vote(tables: Tables, table: Table, voters: Sequence[int], seat: int) -> None:
    """Vote for a bot to stand in on a seat; it does when more than half of the others who are here want it."""
    async with table.lock:
        now = tables.now()
        if not voters:
            raise VoteRejected("player")
        table.presence.touch(voters, now)
        if table.game.over or table.is_waiting:
            raise VoteRejected("over")
        if seat in voters:
            raise VoteRejected("self")
        if table.seats[seat].player or table.seats[seat].owner is None:
            raise VoteRejected("bot")
        if table.clock.pace.is_correspondence:
            raise VoteRejected("days")
        if not may_be_voted_away(table, seat, now):
            raise VoteRejected("here")
        votes = table.votes.setdefault(seat, set())
        votes.update(voters)
        voting = electorate(table, seat, now)
        if 2 * len(votes & voting) > len(voting):
            await tables.substitute(table, seat, VOTE, now)
        else:
            table.notify()
    tables.run_bots(table)


async def return_to_seat(tables: Tables, table: Table, seat: int, owner: str) -> None:
    """Give a seat back to its player; what the bot has said meanwhile counts, and what it is thinking of does not."""
    async with table.lock:
        while table.seats[seat].substitute is not None:
            if table.seats[seat].owner != owner:
                raise SeatLost
            note = Substitution(len(table.substitutions) + 1, tables.now(), table.version, seat, BACK)
            await tables.change_substitute(table, note, None)
        table.presence.touch([seat], tables.now())
    tables.update_presence(table)
    tables.run_bots(table)


async def present(
    tables: Tables,
    table: Table,
    seats: Sequence[int],
    stream: AsyncGenerator[bytes, None],
    *,
    program: bool = False,
) -> AsyncIterator[bytes]:
    """A stream, a page's or a program's, during which those seats are here."""
    table.presence.count_programs(seats if program else (), 1)
    tables.connect(table, seats)
    try:
        async for message in stream:
            yield message
    finally:
        await stream.aclose()
        table.presence.count_programs(seats if program else (), -1)
        tables.disconnect(table, seats)
