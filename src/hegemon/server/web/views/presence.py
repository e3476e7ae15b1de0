"""Who is at a table, as a page tells it: who is here or away, who is thinking and for how long, and who looks on."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from hegemon.prose.translator import Translator
from hegemon.rules.position import Question
from hegemon.server.tables.substitutes import electorate, may_be_voted_away
from hegemon.server.tables.table import Table
from hegemon.server.texts import translatable
from hegemon.server.web.sse import in_milliseconds
from hegemon.server.web.views.durations import as_on_a_clock, time_control_text

#: What is told of somebody at the table; that a seat is open or a bot's stands beside its name anyway.
STATES: Final = {
    "open": "",
    "bot": "",
    "stand-in": translatable("a bot plays on"),
    "away": translatable("away"),
    "picking": translatable("has still to pick"),
    "thinking": translatable("is thinking"),
    "here": translatable("here"),
}

#: What nobody needs to be told of oneself.
_KNOWN_TO_ONESELF: Final = ("picking", "thinking", "here")


@dataclass(frozen=True)
class Attendant:
    """Somebody at a table."""

    seat: int
    state: str
    text: str
    until: int | None = None
    """When this player's time is up, as scripts count it, where it runs."""
    left: str = ""
    """How much time this player has, where that is to be told."""
    may_be_voted_away: bool = False
    voted: bool = False
    """Whether the reader has voted for a bot already."""
    votes: str = ""


@dataclass(frozen=True)
class Reader:
    """Who is told about those at a table, and when."""

    viewer: int
    own: tuple[int, ...]
    now: datetime
    live: bool
    """Whether a script shows the time that runs; what is drawn then stays the same while nothing happens."""


def state_of(table: Table, seat: int, to_move: tuple[int, ...]) -> str:
    """What is to be told of a seat before everything else."""
    row = table.seats[seat]
    if row.is_open:
        return "open"
    if row.substitute is not None:
        return "stand-in"
    if row.bot is None and seat not in table.presence.here:
        return "away"
    if seat in to_move:
        return "picking" if table.game.position.question == Question.DRAFT else "thinking"
    return "bot" if row.bot is not None else "here"


def attendant(table: Table, seat: int, to_move: tuple[int, ...], reader: Reader, tr: Translator) -> Attendant:
    """What is told of a seat to somebody who looks at the table."""
    state = state_of(table, seat, to_move)
    known = seat == reader.viewer and state in _KNOWN_TO_ONESELF
    until, left = time_of(table, seat, reader, tr)
    return Attendant(
        seat,
        state,
        tr.text(STATES[state]) if STATES[state] and not known else "",
        until,
        left,
        bool(reader.own) and may_be_voted_away(table, seat, reader.now),
        not table.presence.votes.get(seat, set()).isdisjoint(reader.own),
        votes_about(table, seat, reader.now, tr),
    )


def votes_about(table: Table, seat: int, now: datetime, tr: Translator) -> str:
    """How many of those who are here want a bot to play on for somebody who is away."""
    voters = electorate(table, seat, now) if table.presence.votes.get(seat) else frozenset()
    votes = table.presence.votes.get(seat, set()) & voters
    if not votes:
        return ""
    return tr.text("{number} of {all} want a bot to play on.", number=len(votes), all=len(voters))


def time_of(table: Table, seat: int, reader: Reader, tr: Translator) -> tuple[int | None, str]:
    """Until when somebody may think, and how long that is; whoever is not asked has what is left for the game."""
    left = table.clock.left(seat, reader.now)
    if left is None or table.seats[seat].player is not None or table.game.over:
        return None, ""
    deadline = table.clock.deadline(seat)
    if deadline is not None:
        return in_milliseconds(deadline), "" if reader.live else as_on_a_clock(left, tr)
    return None, as_on_a_clock(left, tr) if table.clock.control.base else ""


def attendants(table: Table, reader: Reader, tr: Translator) -> Mapping[int, Attendant]:
    """Everybody at a table; nobody is told of where somebody plays alone against bots, without a clock."""
    company = len({row.owner for row in table.seats if row.bot is None}) > 1
    to_move = table.to_move
    seats = range(table.game.players) if company or table.clock.control else ()
    return {seat: attendant(table, seat, to_move, reader, tr) for seat in seats}


def delay_text(rounds: int, tr: Translator) -> str:
    """What those who look on see of the hands, where it is more than everybody sees."""
    if not rounds:
        return ""
    return tr.numbered(
        "Whoever looks on sees all hands as they were {number} round ago.",
        "Whoever looks on sees all hands as they were {number} rounds ago.",
        rounds,
    )


def options_of(table: Table, reader: Reader, tr: Translator) -> dict[str, Any]:
    """What was agreed for the table: how long everybody may think, and what those see who look on, and how many do."""
    return {
        "time_control": time_control_text(table.clock.control, tr) if table.clock.control else "",
        "spectators": table.presence.spectators,
        "hands": delay_text(table.options.spectator_delay, tr) if not table.game.over else "",
        "all_hands": "" if reader.own else f"/games/{table.id}/hands",
    }
