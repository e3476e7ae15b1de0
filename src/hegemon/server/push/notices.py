"""Notices: it is a player's turn, a game has started, or a player's time is running out.

Notices are derived from the state of the table, and contain only what any spectator could see there.
"""

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from hegemon.prose.translator import Translator
from hegemon.server.tables.seats import shown_names
from hegemon.server.tables.table import Table
from hegemon.server.texts import translatable

TURN: Final = "turn"
BEGINS: Final = "begins"
REMINDER: Final = "reminder"

#: The titles of notices by kind, in ascending priority: of the wanted kinds that apply, only the last is shown.
TITLES: Final = {
    BEGINS: translatable("The game has started"),
    TURN: translatable("It is your turn"),
    REMINDER: translatable("Your time is running out"),
}

#: The delay of a notice to a player who has a page open, and will see the event there.
OPEN_PAGE_DELAY: Final = timedelta(seconds=30)

#: How long a push service tries to deliver a notice of a game without deadlines.
_LIFETIME: Final = timedelta(days=1)
_MAX_LIFETIME: Final = timedelta(days=14)


@dataclass(frozen=True)
class Notice:
    kind: str
    seat: int
    number: int = 0
    """The turn that the notice is about."""
    at: datetime | None = None
    """When the player is reminded; changes with the deadline."""

    @property
    def key(self) -> str:
        """A key that changes with the subject of the notice; the key of a reminder begins with that of its turn."""
        if self.at is None:
            return f"{self.kind}-{self.seat + 1}-{self.number}"
        return f"{TURN}-{self.seat + 1}-{self.number}-{int(self.at.timestamp())}"


def notice_for(table: Table, owner: str, kinds: Collection[str], now: datetime) -> Notice | None:
    """The notice of the wanted kinds that currently applies to an owner."""
    applying = {notice.kind: notice for notice in notices_of(table, owner, now)}
    return next((applying[kind] for kind in reversed(TITLES) if kind in kinds and kind in applying), None)


def notices_of(table: Table, owner: str, now: datetime) -> Iterator[Notice]:
    """All notices that currently apply to an owner; none if no other people play at the table."""
    is_alone = not table.options.tournament and all(row.owner in (None, owner) for row in table.seats)
    if table.game.over or table.closed or table.is_waiting or is_alone:
        return
    for seat in table.seats_of(owner):
        if table.seats[seat].substitute is not None:
            continue
        if all(move.seat != seat for move in table.moves):
            yield Notice(BEGINS, seat)
        if seat in table.to_move:
            number = turn_number(table, seat)
            yield Notice(TURN, seat, number)
            at = reminder_time(table, seat)
            if at is not None and at <= now:
                yield Notice(REMINDER, seat, number, at)


def turn_number(table: Table, seat: int) -> int:
    """The version at which the turn of a seat began: another seat's last move, or its own last pick in the draft."""
    drafting = table.snapshot.is_draft
    return next(
        (
            version
            for version in range(table.version, 0, -1)
            if (table.moves[version - 1].seat == seat) == drafting
        ),
        0,
    )


def reminder_time(table: Table, seat: int) -> datetime | None:
    """When the seat to move is reminded, in a correspondence game."""
    control = table.clock.control
    deadline = table.clock.deadline(seat) if control.is_correspondence else None
    return None if deadline is None else deadline - control.reminder_lead


def next_reminder(table: Table, now: datetime) -> datetime | None:
    """When the next reminder at a table is due."""
    if not table.clock.control.is_correspondence:
        return None
    times = (reminder_time(table, seat) for seat in table.to_move if table.seats[seat].owner is not None)
    return min((at for at in times if at is not None and at > now), default=None)


def changed_at(table: Table) -> datetime | None:
    """When the last move was made, or the game began."""
    return table.moves[-1].created_at if table.moves else table.started_at


def due_at(table: Table, notice: Notice, chosen_at: datetime, now: datetime) -> datetime | None:
    """When to send a notice to a device; None if its owner knows already, or no longer expects it.

    That is the case if the kinds of notices were chosen after the event, or the player was present when the game began.
    """
    changed = table.started_at if notice.kind == BEGINS else changed_at(table)
    is_present = table.presence.has_person(notice.seat, now)
    if notice.kind == REMINDER:
        return now
    if (changed is not None and changed < chosen_at) or (is_present and notice.kind == BEGINS):
        return None
    return now + OPEN_PAGE_DELAY if is_present else now


def lifetime(table: Table, notice: Notice | None, now: datetime) -> int:
    """How many seconds a push service tries to deliver a notice; the maximum for a withdrawal."""
    if notice is None:
        return int(_MAX_LIFETIME.total_seconds())
    deadline = table.clock.deadline(notice.seat)
    time = deadline - now if deadline is not None else _LIFETIME
    return max(0, int(min(time, _MAX_LIFETIME).total_seconds()))


def payload(table: Table, notice: Notice | None, tr: Translator) -> str:
    """The message for the service worker: a title and a text to show, or for None, the withdrawal of a notice.

    The deadline is formatted on the device, which knows its time zone.
    """
    facts: dict[str, Any] = {"tag": f"/games/{table.id}"}
    if notice is None:
        return json.dumps(facts | {"title": tr.text("This turn is over."), "close": True})
    facts |= {"title": tr.text(TITLES[notice.kind]), "body": " · ".join(shown_names(table, tr))}
    deadline = table.clock.deadline(notice.seat)
    if deadline is not None:
        facts |= {
            "until": deadline.isoformat(),
            "sentence": tr.text("You have until {time}.", time="{time}"),
            "language": tr.code,
        }
    return json.dumps(facts, ensure_ascii=False)
