"""Catanatron: four of its random players in its own loop."""

from importlib.metadata import version

from catanatron import Color, Game, RandomPlayer
from stopwatch import Tally, main


def one_game() -> Tally:
    """A game to ten victory points, or to Catanatron's limit of turns."""
    game = Game([RandomPlayer(color) for color in Color])
    game.play()
    return Tally(len(game.state.actions), 1)


if __name__ == "__main__":
    main(version("catanatron"), {"random": lambda: one_game})
