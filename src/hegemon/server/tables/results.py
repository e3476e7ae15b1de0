"""The results of the persons in a finished game, for statistics and for the deal of the day."""

from typing import Final

from hegemon.bots import BOTS
from hegemon.play.events import Played, TurnBegan
from hegemon.play.game import Game
from hegemon.rules.cards import DOMAINS, LETTERS
from hegemon.rules.position import Ending
from hegemon.rules.victory import points, side_of
from hegemon.server.db.schema import ResultRow, SeatRow
from hegemon.server.db.store import Store
from hegemon.server.tables.table import Table

#: The score of a win, to which the Domains are added.
WIN: Final = 10


async def save_results(store: Store, table: Table) -> None:
    """Save the results of a game that is over, once."""
    if not table.counted:
        await store.results.save(table.id, results_of(table))
        table.counted = True


def results_of(table: Table) -> list[ResultRow]:
    """A result for each seat that a person holds; imported games have none."""
    last = table.moves[-1].created_at
    assert last is not None, "saved moves have a time"
    record, result, events = table.game.record(), table.game.result, table.game.events
    assert result is not None, "the game is over"
    return [
        ResultRow(
            table.id,
            seat,
            row.owner,
            last,
            record.players,
            record.variant,
            record.teams,
            strongest_opponent(table.seats, seat),
            result.ending.name.lower(),
            seat in result.winners,
            result.domain,
            next(
                (
                    LETTERS.index(event.card[0])
                    for event in events
                    if isinstance(event, Played) and event.seat == seat
                ),
                None,
            ),
            score_of(table.game, seat),
            sum(isinstance(event, TurnBegan) and event.seat == seat for event in events),
        )
        for seat, row in enumerate(table.seats)
        if row.owner is not None
    ]


def strongest_opponent(seats: tuple[SeatRow, ...], seat: int) -> str:
    """The level of the strongest bot; empty if another person plays. The host's own bots are taken for strong."""
    bots = [row.bot for other, row in enumerate(seats) if other != seat]
    order = list(BOTS)
    return (
        max((bot or "" for bot in bots), key=lambda bot: order.index(bot) if bot in order else len(order))
        if None not in bots
        else ""
    )


def score_of(game: Game, seat: int) -> int:
    """The Domains in which the side of a seat has the majority at the end, and more for a win.

    A Hegemony counts as much as a majority in every Domain.
    """
    result, position = game.result, game.position
    assert result is not None, "the game is over"
    led = points(position, side_of(position, seat))
    if seat not in result.winners:
        return led
    return WIN + (DOMAINS if result.ending is Ending.HEGEMONY else led)
