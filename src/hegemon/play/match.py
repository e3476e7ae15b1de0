"""A match: players at a table, asked one after the other until the game is over."""

from collections.abc import Sequence

from hegemon.notation.record import Result
from hegemon.notation.setup import SetupError
from hegemon.play.game import Game
from hegemon.play.player import Player


def play_match(game: Game, players: Sequence[Player]) -> Result:
    """Let the players play a game to its end, by seat; a word that is not on offer is refused, as anybody's is."""
    if len(players) != game.players:
        raise SetupError(f"{game.players} seats are at the table, and {len(players)} players came.")
    while (result := game.result) is None:
        seat = game.seat
        game.play(players[seat].choose(game.view(seat), game.memory(seat), game.choices))
    return result
