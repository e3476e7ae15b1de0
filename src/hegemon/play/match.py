"""A match: players play a game to its end."""

from collections.abc import Sequence

from hegemon.notation.record import Result
from hegemon.notation.setup import SetupError
from hegemon.play.game import Game
from hegemon.play.player import Player


def play_match(game: Game, players: Sequence[Player]) -> Result:
    """Play a game to its end with one player per seat; an illegal choice raises an IllegalMoveError."""
    if len(players) != game.players:
        raise SetupError(
            "A game with {seats} seats needs as many players, not {players}.",
            seats=game.players,
            players=len(players),
        )
    while (result := game.result) is None:
        seat = game.seat
        game.play(players[seat].choose(game.view(seat), game.memory(seat), game.choices))
    return result
