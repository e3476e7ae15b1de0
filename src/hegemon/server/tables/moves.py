"""Submitting moves: exactly once, in order, on disk before they count."""

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec

from hegemon.notation.errors import NotationError
from hegemon.play.legality import IllegalMoveError
from hegemon.play.selection import text_of_choice
from hegemon.rules.engine import apply
from hegemon.rules.position import Question
from hegemon.server.db.errors import ConflictError
from hegemon.server.db.rows import UNDO, MoveRow, SeatRow
from hegemon.server.metrics import MOVES
from hegemon.server.tables.errors import GameNotStarted, SeatLost, SeatSubstituted, StaleVersionError
from hegemon.server.tables.substitutes import has_substitute
from hegemon.server.tables.table import Table

if TYPE_CHECKING:
    from hegemon.server.tables.registry import TableRegistry

Parameters = ParamSpec("Parameters")


def _counted(
    submit: Callable[Parameters, Awaitable[int]],
) -> Callable[Parameters, Coroutine[None, None, int]]:
    """Count accepted and rejected moves."""

    @wraps(submit)
    async def counted(*arguments: Parameters.args, **options: Parameters.kwargs) -> int:
        try:
            version = await submit(*arguments, **options)
        except Exception:
            MOVES.add("rejected")
            raise
        MOVES.add("accepted")
        return version

    return counted


@_counted
async def submit_move(
    tables: "TableRegistry",
    table: Table,
    seat: int,
    choice: str | Sequence[str],
    version: int,
    idempotency_key: str | None,
    occupant: SeatRow | None = None,
) -> int:
    """Play a choice or a set of cards, or undo; return the new version. A repeated idempotency key counts once.

    Raises StaleVersionError for a version that is no longer open, GameNotStarted at a table with an open seat,
    SeatSubstituted for a player who is out of time or has a substitute, SeatLost if the occupant has changed, and
    IllegalMoveError. Bots have no idempotency key.
    """
    text = text_of_choice(choice)
    async with table.lock:
        is_current = not tables.cluster.has_others
        while True:
            try:
                saved = await _check(tables, table, seat, choice, text, version, idempotency_key, occupant)
                if saved is not None:
                    return saved
                move = MoveRow(table.version + 1, seat, text, idempotency_key, tables.now())
                await tables.store.moves.append(
                    table.id, move, finished=ends_game(table, seat, text), occupant=table.seats[seat]
                )
                break
            except ConflictError:
                await tables.reload(table)
            except (StaleVersionError, SeatLost, IllegalMoveError, NotationError):
                if is_current:
                    raise
                await tables.reload(table)  # the table may lack changes of another worker
            is_current = True
        table.apply_move(move)
        await tables.record_result_if_over(table)
    tables.changed(table)
    return move.version


async def _check(
    tables: "TableRegistry",
    table: Table,
    seat: int,
    choice: str | Sequence[str],
    text: str,
    version: int,
    idempotency_key: str | None,
    occupant: SeatRow | None,
) -> int | None:
    """Raise the errors of `submit_move`; return the version of a move that has already been played with this key."""
    if idempotency_key is not None and await has_substitute(tables, table, seat, tables.now()):
        if (saved := version_of_key(table, seat, text, idempotency_key)) is not None:
            return saved
        raise SeatSubstituted
    if occupant is not None and not occupant.same_occupant(table.seats[seat]):
        raise SeatLost
    if (saved := version_of_key(table, seat, text, idempotency_key)) is not None:
        return saved
    if table.is_waiting:
        raise GameNotStarted
    if table.closed or not table.accepts_version(seat, version):
        raise StaleVersionError
    table.check_move(seat, choice)
    return None


def version_of_key(table: Table, seat: int, choice: str, idempotency_key: str | None) -> int | None:
    """The version after the move with that key; raises StaleVersionError if the key belongs to another move.

    This happens if a player has the same table open on several pages, which use the same key for the next move.
    """
    move = table.idempotency_keys.get(idempotency_key) if idempotency_key is not None else None
    if move is None:
        return None
    if (move.seat, move.choice) != (seat, choice):
        raise StaleVersionError
    return move.version


def ends_game(table: Table, seat: int, choice: str) -> bool:
    if choice == UNDO:
        return False
    position = table.game.position
    position.seat = seat
    for action in table.game.actions_of(choice, seat):
        apply(position, action)
    return position.question == Question.OVER
