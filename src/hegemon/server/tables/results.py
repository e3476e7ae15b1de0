"""The results of people in finished games, for statistics and for the deal of the day."""

import asyncio
import logging
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from sqlalchemy.exc import SQLAlchemyError

from hegemon.bots import BOTS
from hegemon.notation.record import read_record
from hegemon.play.events import Played, TurnBegan
from hegemon.play.game import Game
from hegemon.rules.cards import DOMAINS, LETTERS
from hegemon.rules.position import Ending
from hegemon.rules.victory import points, side_of
from hegemon.server.db.errors import StorageError
from hegemon.server.db.rows import UNDO, GameRow, MoveRow, ResultRow, SeatRow, in_utc
from hegemon.server.db.store import Store
from hegemon.server.tables.table import RESIGNED, Table, seats_with_substitute

if TYPE_CHECKING:
    from hegemon.server.tables.registry import TableRegistry

#: The score of a win, to which the number of Domains is added.
WIN_SCORE: Final = 10

#: The name of the background task that counts games from before results were saved.
COUNTING: Final = "results"

#: The number of games counted at a time, and the seconds between games and between searches for them.
_MAX_COUNTED: Final = 100
_GAME_INTERVAL: Final = 0.05
_INTERVAL: Final = 60 * 60

_LOG: Final = logging.getLogger("hegemon.server")


async def save_results(store: Store, table: Table) -> None:
    """Save the results of a finished game; only the first call has an effect."""
    if table.counted:
        return
    rows: list[ResultRow] = []
    if not table.options.origin:
        last = table.moves[-1].created_at
        assert last is not None, "saved moves have a time"
        rows = results_of(table.id, table.game, table.seats, last, table.resigned)
    await store.results.save(table.id, rows)
    table.counted = True


def results_of(
    game_id: str,
    game: Game,
    seats: Sequence[SeatRow],
    finished_at: datetime,
    resigned: Collection[int] = (),
) -> list[ResultRow]:
    """The results of all people who held exactly one seat; players who share a device cannot be distinguished.

    A player who has resigned has not won, even if the bot that played on did.
    """
    owners = [row.owner for row in seats]
    counted = {seat: owner for seat, owner in enumerate(owners) if owner and owners.count(owner) == 1}
    if not counted:
        return []
    record, result = game.record(), game.result
    assert result is not None, "the game is over"
    return [
        ResultRow(
            game_id,
            seat,
            owner,
            finished_at,
            record.players,
            record.variant,
            record.teams,
            strongest_opponent(game, seats, seat),
            result.ending.name.lower(),
            seat in result.winners and seat not in resigned,
            result.domain,
            opening_of(game, seat),
            score_of(game, seat),
            sum(isinstance(event, TurnBegan) and event.seat == seat for event in game.events),
            name=seats[seat].name or record.names[seat],
        )
        for seat, owner in counted.items()
    ]


def opening_of(game: Game, seat: int) -> int | None:
    """The Domain of the first card that a seat played; None if it played none."""
    played = (event.card for event in game.events if isinstance(event, Played) and event.seat == seat)
    card = next(played, None)
    return LETTERS.index(card[0]) if card is not None else None


def strongest_opponent(game: Game, seats: Sequence[SeatRow], seat: int) -> str:
    """The level of the strongest bot on another side; empty if a person is there.

    Bots that the host of the server has allowed are assumed to be the strongest.
    """
    position, order = game.position, list(BOTS)
    bots = [row.bot for other, row in enumerate(seats) if side_of(position, other) != side_of(position, seat)]
    named = [bot for bot in bots if bot is not None]
    if len(named) < len(bots):
        return ""
    return max(named, key=lambda bot: order.index(bot) if bot in order else len(order))


def score_of(game: Game, seat: int) -> int:
    """The Domains in which the side of a seat has the majority at the end, and more for a win.

    A Hegemony counts as much as a majority in every Domain.
    """
    result, position = game.result, game.position
    assert result is not None, "the game is over"
    majorities = points(position, side_of(position, seat))
    if seat not in result.winners:
        return majorities
    return WIN_SCORE + (DOMAINS if result.ending is Ending.HEGEMONY else majorities)


# ------------------------------------------------------------------ games that were over before


def start_counting(tables: "TableRegistry") -> None:
    """Start saving the results of earlier games, slowly enough not to delay requests."""
    tables.start_owned_task(COUNTING, lambda: _keep_counting(tables))


async def _keep_counting(tables: "TableRegistry") -> None:
    while True:
        await count_games(tables.store)
        tables.background.report_success(COUNTING)
        await asyncio.sleep(_INTERVAL)


async def count_games(store: Store, pause: float = _GAME_INTERVAL) -> None:
    """Save the results of all finished games that have none yet; damaged games are skipped."""
    while found := await store.results.uncounted(_MAX_COUNTED):
        for game_id in found:
            rows: list[ResultRow] = []
            try:
                row = await store.games.load(game_id)
                if row is not None and not row.options.origin:
                    rows = await asyncio.to_thread(_results_of_row, row)
            except (SQLAlchemyError, StorageError):
                raise
            except Exception:
                _LOG.exception("a game could not be counted", extra={"facts": {"game": game_id}})
            await store.results.save(game_id, rows)
            await asyncio.sleep(pause)


def _results_of_row(row: GameRow) -> list[ResultRow]:
    game = play_moves(Game.from_record(read_record(row.record)), row.moves)
    resigned = seats_with_substitute(row.seats, row.substitutions, RESIGNED)
    return results_of(row.id, game, row.seats, in_utc(row.updated_at), resigned)


def play_moves(game: Game, moves: Iterable[MoveRow]) -> Game:
    """The game after saved moves."""
    for move in moves:
        if move.choice == UNDO:
            game.undo(move.seat)
        else:
            game.play(move.choice, move.seat)
    return game
