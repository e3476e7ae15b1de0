"""Seats: open, taken with an invitation, given to a bot by the host, or opened again.

Everything here runs under the lock of the table; seats are claimed in the database, as there may be several workers.
"""

import contextlib
import re
import secrets
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from hegemon.notation.errors import NotationError
from hegemon.prose.english import BOT_NAMES, PERSON_NAMES
from hegemon.prose.translator import Translator
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.rows import SeatRow, Summary
from hegemon.server.tables.chat import legible
from hegemon.server.tables.clock import TimeControl, read_time_control
from hegemon.server.tables.errors import SeatRejected, TableClosed
from hegemon.server.tables.names import check_names, skeleton
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.tables.table import Table
from hegemon.server.tables.vacations import refresh_vacations
from hegemon.server.texts import COLORS

MAX_NAME_LENGTH: Final = 24

#: Invisible marks: the grapheme joiner, Khmer vowels, and variation selectors.
_INVISIBLE_MARKS: Final = re.compile("[\u034f\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")

#: The variation selector that turns a symbol into an emoji.
_EMOJI_SELECTOR: Final = "\ufe0f"


def new_invite() -> str:
    return secrets.token_urlsafe(12)


def open_seat_row(name: str | None = None, color: int | None = None) -> SeatRow:
    return SeatRow(None, None, name, color, new_invite())


def clean_name(name: str, most: int = MAX_NAME_LENGTH) -> str:
    """A name on one line, truncated to a length; empty if nothing is visible."""
    shown = "".join(letter for before, letter in pairwise(f" {legible(name)}") if _is_visible(before, letter))
    cleaned = " ".join(shown.split())[:most].strip()
    return cleaned if skeleton(cleaned).strip() else ""


def _is_visible(before: str, letter: str) -> bool:
    """Whether a character of a name is visible, or turns the symbol before it into an emoji."""
    if letter == _EMOJI_SELECTOR and unicodedata.category(before) in ("So", "Sm", "Po"):
        return True
    return letter.isprintable() and not _INVISIBLE_MARKS.match(letter)


def shown_name(row: SeatRow, name: str, tr: Translator) -> str:
    """The name of a seat; translated if it was given by the server: to a bot, an open seat, or a former player."""
    return tr.player_name(name) if row.owner is None else name


def shown_names(table: Table, tr: Translator) -> tuple[str, ...]:
    return tuple(shown_name(row, name, tr) for row, name in zip(table.seats, table.game.names, strict=True))


def color_of(seats: Sequence[SeatRow], seat: int) -> int:
    color = seats[seat].color
    return seat if color is None else color


def free_color(seats: Sequence[SeatRow], seat: int, wanted: int | None) -> int:
    """The wanted color, unless another seat has it; otherwise a free one."""
    taken = {color_of(seats, other) for other in range(len(seats)) if other != seat}
    candidates: tuple[int, ...] = (color_of(seats, seat) if wanted is None else wanted, *range(len(COLORS)))
    free = set(range(len(COLORS))) - taken
    return next(color for color in candidates if color in free)


async def find_invited_seat(tables: TableRegistry, invite: str) -> tuple[Table, int]:
    """The table and the seat of an invitation, whether it has been used or not."""
    found = await tables.store.seats.find_invite(invite)
    if found is None:
        raise SeatRejected("unknown")
    game_id, seat = found
    table = await tables.load(game_id)
    if table.closed:
        raise TableClosed(table.id, table.seats)
    return table, seat


async def take_seat(
    tables: TableRegistry,
    table: Table,
    seat: int,
    invite: str,
    owner: str,
    name: str = "",
    color: int | None = None,
) -> None:
    """Take an open seat; only one of several concurrent calls succeeds. The same owner may repeat the call."""
    if await tables.store.moderation.is_removed(table.id, owner):
        raise SeatRejected("removed")
    async with table.lock:
        if table.seats[seat].invite != invite:
            await tables.reload(table)  # another worker may have opened the seat
        row = table.seats[seat]
        if row.owner == owner and row.invite == invite:
            return
        if table.game.over:
            raise SeatRejected("over")
        if table.seats_of(owner):
            raise SeatRejected("sitting")
        if not row.is_open or row.invite != invite:
            raise SeatRejected("used" if row.invite == invite else "unknown")
        occupant = replace(
            row,
            owner=owner,
            name=clean_name(name) or row.name or table.game.names[seat],
            color=free_color(table.seats, seat, color),
        )
        await check_names(tables.store, occupant.name or "")
        if await tables.store.seats.claim(table.id, seat, invite, occupant):
            table.set_seat(seat, occupant)
        else:
            await tables.reload(table)
            row = table.seats[seat]
            # It may have been claimed by an earlier request of the same owner, whose answer was lost.
            if row.owner != owner or row.invite != invite:
                raise SeatRejected("used")
        # The others must not be able to vote a player out before the page has loaded.
        table.presence.touch([seat], tables.now())
        await refresh_vacations(tables, table)
    tables.changed(table)


async def take_any_seat(
    tables: TableRegistry, table: Table, owner: str, name: str = "", color: int | None = None
) -> int:
    """Take any open seat of a public table; return its number."""
    if not table.public:
        raise SeatRejected("unknown")
    if own := table.seats_of(owner):
        return own[0]
    for seat in range(len(table.seats)):
        row = table.seats[seat]
        if row.is_open and row.invite is not None:
            try:
                await take_seat(tables, table, seat, row.invite, owner, name, color)
            except SeatRejected as error:
                if error.key not in ("used", "unknown"):
                    raise
            else:
                return seat
    raise SeatRejected("full")


@dataclass(frozen=True)
class Offer:
    """A public table with an open seat."""

    game: Summary
    variant: str
    teams: bool
    clock: TimeControl

    def matches(self, filters: Mapping[str, str]) -> bool:
        """Whether it matches the filters `players`, `variant` and `language`; empty ones match everything."""
        facts = {
            "players": str(len(self.game.seats)),
            "variant": self.variant,
            "language": self.game.options.language,
        }
        return all(not filters.get(name) or filters[name] == fact for name, fact in facts.items())


async def offers(tables: TableRegistry, filters: Mapping[str, str]) -> list[Offer]:
    """The public tables that match the filters, the most recent first."""
    found = []
    for game in await tables.store.games.in_lobby():
        with contextlib.suppress(NotationError):  # the options of a damaged game
            clock = read_time_control(game.options.clock)
            found.append(Offer(game, game.recorded["variant"], game.recorded["teams"], clock))
    return [offer for offer in found if offer.matches(filters)]


def is_host(table: Table, owner: str | None) -> bool:
    return owner is not None and owner == table.host


def seats_page_key(table: Table, owner: str | None, base_url: str) -> tuple[tuple[int, ...], str]:
    """What the page of seats depends on besides the table: the reader's seats, and for the host, the base of links."""
    return table.seats_of(owner or ""), base_url if is_host(table, owner) else ""


def may_change(table: Table, seat: int, owner: str | None) -> bool:
    """Whether an owner may give a seat away: the host any seat, players their own."""
    return owner is not None and owner in (table.host, table.seats[seat].owner)


def has_fixed_players(table: Table) -> bool:
    """Whether seats can no longer be reassigned: a rated game, tournament game or deal of the day has begun."""
    options = table.options
    return bool(options.rated or options.daily or options.tournament) and not table.is_waiting


async def reassign_seat(tables: TableRegistry, table: Table, seat: int, row: SeatRow, by: str | None) -> None:
    """Give a seat to a bot, or open it with a new invitation; its former player no longer sees the cards."""

    def reassigned(_: SeatRow) -> SeatRow:
        if not may_change(table, seat, by):
            raise SeatRejected("host")
        if table.game.over:
            raise SeatRejected("over")
        if has_fixed_players(table):
            kinds = ("daily", "tournament")
            raise SeatRejected(next((kind for kind in kinds if getattr(table.options, kind)), "rated"))
        return replace(row, color=free_color(table.seats, seat, row.color))

    await _change_seat(tables, table, seat, reassigned)
    tables.changed(table)


async def remove_player(tables: TableRegistry, table: Table, seat: int) -> None:
    """Give a seat to a bot, as the host of the server; its player can no longer take a seat at the table or host it."""
    if (owner := table.seats[seat].owner) is None or table.game.over:
        raise SeatRejected("over")
    await tables.store.moderation.remove(table.id, owner)
    if table.host == owner:
        table.host, table.webhook = None, None
    bot = SeatRow(tables.config.substitute_bot, None, BOT_NAMES[seat])
    await _change_seat(tables, table, seat, lambda row: replace(bot, color=row.color))
    tables.changed(table)


async def reset_name(tables: TableRegistry, table: Table, seat: int) -> None:
    """Remove the name of a player, as the host of the server."""
    await _change_seat(tables, table, seat, lambda row: replace(row, name=PERSON_NAMES[seat]))


async def rename_player(
    tables: TableRegistry, table: Table, seat: int, owner: str, name: str, color: int | None
) -> None:
    await check_names(tables.store, clean_name(name))

    def renamed(row: SeatRow) -> SeatRow:
        if row.owner != owner:
            raise SeatRejected("lost")
        return replace(
            row,
            name=clean_name(name) or table.game.names[seat],
            color=free_color(table.seats, seat, color),
        )

    await _change_seat(tables, table, seat, renamed)


async def _change_seat(
    tables: TableRegistry, table: Table, seat: int, change: Callable[[SeatRow], SeatRow]
) -> None:
    """Save a change of a seat; if another worker has changed the seat, reload it and try again."""
    async with table.lock:
        while True:
            before = table.seats[seat]
            row = change(before)
            try:
                await tables.store.seats.save(table.id, seat, before, row)
                break
            except ConflictError:
                await tables.reload(table)
        table.set_seat(seat, row)
    tables.announce(table)
