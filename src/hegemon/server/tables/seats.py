"""The life of a seat: open, taken by whoever has the invitation, given to a bot by the host, or opened again.

Everything here is done under the lock of the table, so that of two things at once one comes first; and a seat is
claimed in the store itself, so that this holds for several servers too.
"""

import secrets
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

import msgspec

from hegemon.play.game import Game
from hegemon.server.db.database import ConflictError
from hegemon.server.db.schema import SeatRow, Summary
from hegemon.server.tables.registry import Table, Tables
from hegemon.server.texts import COLORS

Item = TypeVar("Item")

#: The longest name that a player can have.
MAX_NAME_LENGTH: Final = 24

#: The names of bots without one, by seat.
BOT_NAMES: Final = ("Pericles", "Zenobia", "Ashoka", "Livia")


class SeatRejected(Exception):
    """A seat that cannot be taken or changed: which sentence says why."""

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(key)


def new_invite() -> str:
    """The secret part of an invitation."""
    return secrets.token_urlsafe(12)


def open_seat_row(name: str | None = None, color: int | None = None) -> SeatRow:
    """A seat that waits for somebody, with an invitation of its own."""
    return SeatRow(None, None, name, color, new_invite())


def clean_name(name: str) -> str:
    """A name as it is shown: one line, not too long."""
    return " ".join("".join(letter for letter in name if letter.isprintable()).split())[
        :MAX_NAME_LENGTH
    ].strip()


def color_of(seats: Sequence[SeatRow], seat: int) -> int:
    """The color of a seat."""
    color = seats[seat].color
    return seat if color is None else color


def free_color(seats: Sequence[SeatRow], seat: int, wanted: int | None) -> int:
    """The color that somebody wants, if nobody else at the table has it; otherwise one that is free."""
    taken = {color_of(seats, other) for other in range(len(seats)) if other != seat}
    wishes: tuple[int, ...] = (color_of(seats, seat) if wanted is None else wanted, *range(len(COLORS)))
    free = set(range(len(COLORS))) - taken
    return next(color for color in wishes if color in free)


# ------------------------------------------------------------------ sitting down


async def invited(tables: Tables, invite: str) -> tuple[Table, int]:
    """The table and the seat that an invitation is, or was, for."""
    found = await tables.store.seats.find_invite(invite)
    if found is None:
        raise SeatRejected("unknown")
    game_id, seat = found
    return await tables.table(game_id), seat


async def take_seat(
    tables: Tables,
    table: Table,
    seat: int,
    invite: str,
    owner: str,
    name: str = "",
    color: int | None = None,
) -> None:
    """Somebody takes an open seat. Of several who try at once one sits there; the same one twice counts once."""
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
        if not await tables.store.seats.claim(table.id, seat, invite, occupant):
            await tables.reload(table)
            raise SeatRejected("used")
        table.take_seat(seat, occupant)
    tables.run_bots(table)


async def take_any_seat(tables: Tables, table: Table, owner: str, name: str = "") -> int:
    """Somebody takes any open seat of a table in the lobby; says which."""
    if not table.public:
        raise SeatRejected("unknown")
    if own := table.seats_of(owner):
        return own[0]
    for seat in range(len(table.seats)):
        row = table.seats[seat]
        if row.is_open and row.invite is not None:
            try:
                await take_seat(tables, table, seat, row.invite, owner, name)
            except SeatRejected as error:
                if error.key not in ("used", "unknown"):
                    raise
            else:
                return seat
    raise SeatRejected("full")


@dataclass(frozen=True)
class Offer:
    """A table in the lobby, with an open seat."""

    game: Summary
    variant: str
    teams: bool

    def fits(self, wishes: Mapping[str, str]) -> bool:
        """Whether it is as somebody wishes: `players`, `variant` and `language`; an empty wish is none."""
        facts = {
            "players": str(len(self.game.seats)),
            "variant": self.variant,
            "language": self.game.options.language,
        }
        return all(not wishes.get(name) or wishes[name] == fact for name, fact in facts.items())


async def offers(tables: Tables, wishes: Mapping[str, str]) -> list[Offer]:
    """The tables of the lobby that are as somebody wishes, the latest first."""
    found = []
    for game in await tables.store.games.in_lobby():
        record = tomllib.loads(game.record)
        found.append(Offer(game, record["variant"], record["teams"]))
    return [offer for offer in found if offer.fits(wishes)]


# ------------------------------------------------------------------ what the host does


def is_host(table: Table, owner: str | None) -> bool:
    """Whether somebody laid that table."""
    return owner is not None and owner == table.host


def may_change(table: Table, seat: int, owner: str | None) -> bool:
    """Whether somebody may give that seat away: the host any, and everybody their own."""
    return owner is not None and owner in (table.host, table.seats[seat].owner)


async def reassign_seat(tables: Tables, table: Table, seat: int, row: SeatRow, by: str | None) -> None:
    """Give a seat to a bot, or to whoever comes by a new invitation; whoever sat there sees its cards no longer.

    The game goes on from the same question, in the middle of an effect too.
    """
    async with table.lock:
        if not may_change(table, seat, by):
            raise SeatRejected("host")
        if table.game.over:
            raise SeatRejected("over")
        row = replace(row, color=free_color(table.seats, seat, row.color))
        await tables.store.seats.save(table.id, seat, row)
        table.take_seat(seat, row)
    tables.run_bots(table)


async def call(tables: Tables, table: Table, seat: int, owner: str, name: str, color: int | None) -> None:
    """Somebody takes another name or color."""
    async with table.lock:
        row = table.seats[seat]
        if row.owner != owner:
            raise SeatRejected("lost")
        row = replace(
            row,
            name=clean_name(name) or table.game.names[seat],
            color=free_color(table.seats, seat, color),
        )
        await tables.store.seats.save(table.id, seat, row)
        table.take_seat(seat, row)


# ------------------------------------------------------------------ another game


def score_after(table: Table) -> tuple[int, ...]:
    """How many games of the series each seat has won, with this one if it is over."""
    before = table.options.score or (0,) * table.game.players
    result = table.game.result
    winners = result.winners if result is not None else ()
    return tuple(wins + (seat in winners) for seat, wins in enumerate(before))


async def rematch(tables: Tables, table: Table) -> str:
    """The game that follows this one: everybody moves up by one seat, so that another is the First Player.

    However many ask for it, there is only one; everybody who watches this table is told.
    """
    async with table.lock:
        if table.next_game is None:
            if not table.game.over:
                raise SeatRejected("going-on")
            try:
                table.next_game = await _lay_following(tables, table)
            except ConflictError:
                await tables.reload(table)
            table.notify()
        assert table.next_game is not None, "the store has it"
        return table.next_game


async def _lay_following(tables: Tables, table: Table) -> str:
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
            substitute=None if seat in table.here else row.substitute,
        )
        for seat, row in ((seat, table.seats[seat]) for seat in moved)
    ]
    following = await tables.open(
        game, rows, host=table.host, options=options, public=table.public, previous_game=table.id
    )
    await tables.store.outbox.copy_webhook(table.id, following)
    return following


def rotated(items: Sequence[Item]) -> tuple[Item, ...]:
    """The same in a circle, with the second first."""
    return (*items[1:], *items[:1])
