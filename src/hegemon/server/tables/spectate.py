"""The delayed view: a game as it was some rounds ago, which spectators may see with all hands open.

They see the whole table at the start of an earlier turn, never earlier hands with the current table. Which turn
depends only on the number of turns that have begun, and on nothing that was drawn or chosen since.
"""

from typing import Final

from hegemon.play.game import Game

#: The delays to choose from, in rounds.
DELAYS: Final = (1, 2, 4)


def delayed_ply(game: Game, rounds: int) -> int | None:
    """The number of moves at the start of the turn that began that many rounds ago; None if there is none.

    A move that begins a turn cannot be undone, so this number never decreases.
    """
    starts, turns = game.turn_starts, rounds * game.players
    return starts[-1 - turns] if len(starts) > turns else None
