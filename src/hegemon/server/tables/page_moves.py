"""Moves that are submitted from a page: a choice, the choice of its target, and forced choices.

All of them are ordinary moves. Programs make every choice themselves.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from hegemon.play.selection import text_of_choice
from hegemon.rules.actions import CHOICES, END
from hegemon.server.db.rows import UNDO, SeatRow
from hegemon.server.tables.errors import SeatLost, StaleVersionError
from hegemon.server.tables.moves import submit_move
from hegemon.server.tables.table import Table

if TYPE_CHECKING:
    from hegemon.server.tables.registry import TableRegistry

#: Separates an effect from the Domain that is its target: `e+1 M`.
TARGET_SEPARATOR: Final = " "


async def submit_choice(
    tables: "TableRegistry",
    table: Table,
    seat: int,
    choice: str | Sequence[str],
    version: int,
    idempotency_key: str,
    occupant: SeatRow,
    *,
    play_forced: bool,
) -> None:
    """Play a choice, perhaps with its target, or undo.

    With `play_forced`, the forced choices up to the next decision are played as well.
    """
    first, _, target = choice.partition(TARGET_SEPARATOR) if isinstance(choice, str) else (choice, "", "")
    if target and table.accepts_version(seat, version):
        game = table.game.copy()  # neither choice counts if one is illegal
        game.play(first, seat)
        game.play(target, seat)

    async def submit(part: str | Sequence[str], version: int) -> int:
        key = idempotency_key if version == started else f"{idempotency_key[:50]}.{version}"
        return await submit_move(tables, table, seat, part, version, key, occupant)

    started = version
    version = await submit(first, version)
    if target:
        version = await submit(target, version)
    while play_forced and version == table.version:
        following = _next_undo(table, seat) if first == UNDO else _next_forced_choice(table, seat)
        if following is None:
            return
        try:
            version = await submit(following, version)
        except (StaleVersionError, SeatLost):  # the time is up, or another move was first
            return


def forced_choice(table: Table, seat: int) -> str | None:
    """A seat's only choice, unless it ends the turn or the player has just undone it."""
    last = next((move.choice for move in reversed(table.moves) if move.seat == seat), None)
    only = _only_choice(table, seat)
    return only if only != CHOICES[END] and last != UNDO else None


def _only_choice(table: Table, seat: int) -> str | None:
    """A seat's only choice, which may be a set of all cards; None if there is a decision to make."""
    selection, choices = table.game.selection(seat), table.snapshot.choices_of(seat)
    if selection is not None and selection.number > 1:
        forced = len(selection.cards) == selection.number
        return text_of_choice([*selection.cards]) if forced else None
    return choices[0] if len(choices) == 1 else None


def _next_forced_choice(table: Table, seat: int) -> str | None:
    """The forced choice that follows a decision; ends the turn only if the player could no longer undo."""
    if table.snapshot.choices_of(seat) == (CHOICES[END],):
        return None if table.may_undo(seat) else CHOICES[END]
    return forced_choice(table, seat)


def _next_undo(table: Table, seat: int) -> str | None:
    """Another undo, if the move that was undone was forced."""
    return UNDO if _only_choice(table, seat) is not None and table.may_undo(seat) else None
