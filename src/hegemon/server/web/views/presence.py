"""The presence and clocks of players, and the options of a table, as text."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Any, Final

from babel.dates import format_date

from hegemon.bots import seconds_per_turn
from hegemon.prose.translator import Translator
from hegemon.rules.position import Question
from hegemon.server.tables.plans import is_plannable
from hegemon.server.tables.substitutes import eligible_voters, may_be_voted_away
from hegemon.server.tables.table import Table
from hegemon.server.texts import translatable
from hegemon.server.web.sse import in_milliseconds
from hegemon.server.web.views.durations import remaining_time_text, time_control_text
from hegemon.views import PlayerPanel

#: The text of each state; open seats and bots are marked beside their names.
STATES: Final = {
    "open": "",
    "bot": "",
    "stand-in": translatable("a bot is playing"),
    "away": translatable("away"),
    "picking": translatable("still has to pick"),
    "thinking": translatable("is thinking"),
    "here": translatable("here"),
}

#: The states that readers do not see of themselves.
_HIDDEN_FROM_SELF: Final = ("picking", "thinking", "here")

#: The states of a person without a substitute; a vacation replaces them.
_ON_SEAT: Final = ("away", *_HIDDEN_FROM_SELF)


@dataclass(frozen=True)
class PlayerStatus:
    """A player at the table: presence, clock, and votes for a substitute."""

    seat: int
    state: str
    text: str
    until: int | None = None
    """The deadline in milliseconds, while the clock runs."""
    left: str = ""
    """The remaining time as text, where it is shown."""
    days: bool = False
    """Whether a clock is shown that may have days on it."""
    may_be_voted_away: bool = False
    prepares: bool = False
    """Whether the reader waits on this seat and can prepare the next turn."""
    voted: bool = False
    """Whether the reader has voted for a substitute."""
    votes: str = ""


@dataclass(frozen=True)
class Reader:
    viewer: int
    own: tuple[int, ...]
    now: datetime
    live: bool
    """Whether a script counts the clocks down: the text then stays the same between moves."""


def state_of(table: Table, seat: int, to_move: tuple[int, ...]) -> str:
    row = table.seats[seat]
    if row.is_open:
        return "open"
    if row.substitute is not None:
        return "stand-in"
    if row.bot is None and seat not in table.presence.present_seats:
        return "away"
    if seat in to_move:
        return "picking" if table.game.position.question == Question.DRAFT else "thinking"
    return "bot" if row.bot is not None else "here"


def player_status(
    table: Table, seat: int, to_move: tuple[int, ...], reader: Reader, tr: Translator
) -> PlayerStatus:
    state, text = state_of(table, seat, to_move), ""
    if state in _ON_SEAT and not table.game.over and (text := vacation_text(table, seat, reader.now, tr)):
        state = "vacation"
    is_hidden = seat == reader.viewer and state in _HIDDEN_FROM_SELF
    until, left = time_of(table, seat, reader, tr)
    return PlayerStatus(
        seat,
        state,
        text or (tr.text(STATES[state]) if STATES[state] and not is_hidden else ""),
        until,
        left,
        table.clock.control.is_correspondence and bool(until or left),
        bool(reader.own) and may_be_voted_away(table, seat, reader.now),
        seat == reader.viewer and table.seats[seat].acting_bot is None and is_plannable(table, seat),
        not table.presence.votes.get(seat, set()).isdisjoint(reader.own),
        votes_about(table, seat, reader.now, tr),
    )


def vacation_text(table: Table, seat: int, now: datetime, tr: Translator) -> str:
    """The last day of the vacation of a player; empty without one."""
    pause = table.clock.pause_at(seat, now)
    if pause is None:
        return ""
    last = (pause[1] - timedelta(microseconds=1)).date()
    return tr.text("on vacation until {date}", date=format_date(last, "medium", locale=tr.code))


def votes_about(table: Table, seat: int, now: datetime, tr: Translator) -> str:
    """The votes for a substitute, as text."""
    voters = eligible_voters(table, seat, now) if table.presence.votes.get(seat) else frozenset()
    votes = table.presence.votes.get(seat, set()) & voters
    if not votes:
        return ""
    return tr.text("{number} of {all} want a bot to take over.", number=len(votes), all=len(voters))


def time_of(table: Table, seat: int, reader: Reader, tr: Translator) -> tuple[int | None, str]:
    """When the time of a seat is up, if its clock runs, and the remaining time."""
    left = table.clock.time_left(seat, reader.now)
    if left is None or table.seats[seat].acting_bot is not None or table.game.over:
        return None, ""
    if table.clock.deadline(seat) is not None:
        if table.clock.pause_at(seat, reader.now) is not None:
            return None, remaining_time_text(left, tr)
        # A later vacation does not count: until it begins, this time stays the same.
        return in_milliseconds(reader.now + left), "" if reader.live else remaining_time_text(left, tr)
    return None, remaining_time_text(left, tr) if table.clock.control.base else ""


def player_statuses(table: Table, reader: Reader, tr: Translator) -> Mapping[int, PlayerStatus]:
    """The players by seat; empty for one person against bots without a clock."""
    has_company = len({row.owner for row in table.seats if row.bot is None}) > 1
    to_move = table.to_move
    seats = range(table.game.players) if has_company or table.clock.control else ()
    return {seat: player_status(table, seat, to_move, reader, tr) for seat in seats}


def waiting_text(panel: PlayerPanel, tr: Translator) -> str:
    """The player that others are waiting for; for a bot with a time limit, also the longest wait."""
    if not (panel.bot or panel.present or panel.substitute):
        return tr.text("Waiting for {name}…", name=panel.name)
    seconds = seconds_per_turn(panel.bot) if panel.bot else None
    if seconds is None:
        return tr.text("{name} is thinking…", name=panel.name)
    return tr.numbered(
        "{name} is thinking, up to {number} second…",
        "{name} is thinking, up to {number} seconds…",
        ceil(seconds),
        name=panel.name,
    )


def delay_text(rounds: int, tr: Translator) -> str:
    """The delay with which spectators see all hands; empty if they do not."""
    if not rounds:
        return ""
    return tr.numbered(
        "Spectators see all hands as they were {number} round ago.",
        "Spectators see all hands as they were {number} rounds ago.",
        rounds,
    )


def options_of(table: Table, reader: Reader, tr: Translator) -> dict[str, Any]:
    """The time control, the spectators and their delayed view, and the day or tournament to which it belongs."""
    return {
        "time_control": time_control_text(table.clock.control, tr) if table.clock.control else "",
        "spectators": table.presence.spectators,
        "hands": delay_text(table.options.spectator_delay, tr) if not table.game.over else "",
        "all_hands": "" if reader.own else f"/games/{table.id}/hands",
        "daily": table.options.daily,
        "tournament": table.options.tournament,
    }
