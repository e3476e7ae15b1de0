"""PufferLib's Triple Triad: 4096 games in parallel in C, with legal actions.

A step of the environment is one choice of one player (select a card, or place it). The opponent's reply in the same
step is not counted; the step that begins a new game is.
"""

import os
import sys
from collections.abc import Callable

import numba as nb
import numpy as np

sys.setdlopenflags(os.RTLD_LAZY)  # its drawing library is missing, and only needed for drawing

import pufferlib  # noqa: E402  # after the flag above
from pufferlib.ocean.tripletriad.tripletriad import TripleTriad  # noqa: E402  # after the flag above
from stopwatch import Tally, main  # noqa: E402  # after the flag above

GAMES = 4096

# The offsets in an observation that determine the legal actions.
TAKEN = 9 + 5  # nine cells of the board, 1 where a card lies
SELECTED = 24  # the card in hand that was selected, or -1
PLACED = 104  # five cards in hand, 0 while they are there

CARDS, CELLS = 5, 9


@nb.njit
def pick_legal(observations: np.ndarray, actions: np.ndarray) -> None:
    """A uniformly random legal action for every game: select a remaining card, then place it on a free cell."""
    for game in range(len(observations)):
        observation = observations[game]
        if observation[SELECTED] < 0:
            first, options = 0, observation[PLACED : PLACED + CARDS]
        else:
            first, options = CARDS, observation[TAKEN : TAKEN + CELLS]
        free = 0
        for option in options:
            free += option == 0
        choice = int(np.random.random() * free)
        for index in range(len(options)):
            if options[index] == 0:
                if choice == 0:
                    actions[game] = first + index
                    break
                choice -= 1


def triple_triad() -> Callable[[], Tally]:
    """Pick and step."""
    env = TripleTriad(num_envs=GAMES, report_interval=1_000_000)
    env.reset(seed=1)
    actions = np.zeros(GAMES, np.int32)

    def step() -> Tally:
        pick_legal(env.observations, actions)
        env.step(actions)
        return Tally(GAMES, np.count_nonzero(env.terminals))

    return step


if __name__ == "__main__":
    main(str(pufferlib.__version__), {"tripletriad": triple_triad})
