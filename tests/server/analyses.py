"""A fake analysis that takes no time, with chances that favor the winner and some costly choices."""

from collections.abc import Iterator

from hegemon.analysis import Chances, Decision, Item, Luck
from hegemon.play.game import Game


def analyzed_at_once(game: Game) -> Iterator[Item]:
    """Every tenth real choice is a mistake, each a little worse than the one before, and every draw is lucky."""
    players, last = game.players, len(game.moves)
    assert game.result is not None
    winner = game.result.winners[0]
    for ply in range(last + 1):
        if ply:
            yield from _judged(game, ply)
        ahead = (1 / players) + (1 - 1 / players) * ply / last
        shares = tuple(ahead if seat == winner else (1 - ahead) / (players - 1) for seat in range(players))
        yield Chances(ply, shares, shares)


def _judged(game: Game, ply: int) -> Iterator[Item]:
    before, seat, choice = game.at(ply - 1), game.movers[ply - 1], game.moves[ply - 1]
    others = [other for other in before.choices_of(seat) if other != choice]
    if others and ply % 10 == 0:
        yield Decision(ply, seat, choice, others[0], 0.2, 0.1 + ply / 10_000, (others[0],))
    elif others:
        yield Decision(ply, seat, choice, choice, 0.4, 0.0, (choice,))
    if choice == ".":
        yield Luck(ply, seat, ply / 1000)
