"""A match: players at a table, asked one after the other until the game is over."""

from collections.abc import Sequence

from hegemon.notation.record import Result
from hegemon.notation.table import TableError
from hegemon.play.game import Game
from hegemon.play.player import Player


def play_match(game: Game, players: Sequence[Player]) -> Result:
    """Let the players play a game to its end, by seat; a word that is not on offer is refused, as anybody's is."""
    if len(players) != game.players:
        raise TableError(f"{game.players} seats are at the table, and {len(players)} players came.")
    memories = [game.memory(seat) for seat in range(game.players)]
    told = [len(game.events)] * game.players
    while (result := game.result) is None:
        seat = game.seat
        memories[seat].see(game.events_seen_by(seat, since=told[seat]))
        told[seat] = len(game.events)
        game.play(players[seat].choose(game.view(seat), memories[seat], game.choices))
    return result
