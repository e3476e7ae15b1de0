"""python-chess: legal moves, pick one, push it."""

import random
from importlib.metadata import version

import chess
from stopwatch import Tally, main

uniform = random.random


def one_game() -> Tally:
    """A game to mate, stalemate or a draw that needs no claim.

    An empty list of moves indicates mate or stalemate, which is faster than calling `is_game_over` as well.
    """
    decisions = 0
    board = chess.Board()
    while True:
        moves = list(board.legal_moves)
        if (
            not moves
            or board.is_insufficient_material()
            or board.is_seventyfive_moves()
            or board.is_fivefold_repetition()
        ):
            return Tally(decisions, 1)
        board.push(moves[int(uniform() * len(moves))])
        decisions += 1


if __name__ == "__main__":
    main(version("chess"), {"random": lambda: one_game})
