"""Who is at a table, as a page tells it: who is here or away, who is thinking and for how long, and who looks on."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from hegemon.prose.speech import Speech
from hegemon.rules.position import Question
from hegemon.server.absence import electorate, may_be_voted_away
from hegemon.server.seats import colour_of
from hegemon.server.tables import Table
from hegemon.server.texts import translatable
from hegemon.server.times import as_on_a_clock
from hegemon.server.visitor import Visitor

#: What is told of somebody at the table.
STATES: Final = {
    "open": translatable("nobody sits here"),
    "stand-in": translatable("away, a bot plays on"),
    "away": translatable("away"),
    "picking": translatable("has still to pick"),
    "thinking": translatable("is thinking"),
    "bot": translatable("bot"),
    "here": translatable("here"),
}


@dataclass(frozen=True)
class Attendant:
    """Somebody at a table."""

    seat: int
    name: str
    colour: int
    state: str
    text: str
    left: str = ""
    """How much time this player has, where there is a clock."""
    seconds: int = 0
    running: bool = False
    """Whether the time runs now."""
    may_be_voted_away: bool = False
    votes: str = ""


def state_of(table: Table, seat: int) -> str:
    """What is to be told of a seat before everything else."""
    row = table.seats[seat]
    if row.is_open:
        return "open"
    if row.stand_in is not None:
        return "stand-in"
    if row.bot is None and seat not in table.here:
        return "away"
    if seat in table.asked:
        return "picking" if table.game.view(seat).question == Question.DRAFT else "thinking"
    return "bot" if row.bot is not None else "here"


def attendant(table: Table, seat: int, visitor: Visitor, now: datetime, said: Speech) -> Attendant:
    """What is told of a seat to somebody who looks at the table."""
    state = state_of(table, seat)
    left = table.clock.left(seat, now) if table.seats[seat].bot is None and not table.game.over else None
    plays = bool(table.seats_of(visitor.holder or ""))
    votes = table.votes.get(seat, set()) & (voters := electorate(table, seat, now))
    return Attendant(
        seat,
        table.game.names[seat],
        colour_of(table.seats, seat),
        state,
        said.text(STATES[state]),
        as_on_a_clock(left, said) if left is not None else "",
        int(left.total_seconds()) if left is not None else 0,
        table.clock.deadline(seat) is not None,
        plays and may_be_voted_away(table, seat, now),
        said.text("{number} of {all} want a bot to play on.", number=len(votes), all=len(voters))
        if votes
        else "",
    )


def hands_in_words(rounds: int, said: Speech) -> str:
    """What those who look on see of the hands, where it is more than everybody sees."""
    if not rounds:
        return ""
    return said.numbered(
        "Whoever looks on sees all hands as they were {number} round ago.",
        "Whoever looks on sees all hands as they were {number} rounds ago.",
        rounds,
    )


def attendance(table: Table, visitor: Visitor, now: datetime, said: Speech) -> dict[str, Any]:
    """Everybody at a table; nobody is told of where somebody plays alone against bots, without a clock."""
    company = len({row.holder for row in table.seats if row.bot is None}) > 1
    rounds = table.terms.hands_after
    seats = range(table.game.players) if company or table.clock.pace else ()
    return {
        "rows": [attendant(table, seat, visitor, now, said) for seat in seats],
        "onlookers": table.presence.onlookers,
        "hands": hands_in_words(rounds, said) if not table.game.over else "",
        "all_hands": "" if table.seats_of(visitor.holder or "") else f"/games/{table.id}/hands",
    }
