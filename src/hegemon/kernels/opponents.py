"""Opponents in a batch: seats whose actions are part of a step."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

#: A function from observations and masks of some games to one action for each of them.
Policy = Callable[[Array, Array], Any]
#: An opponent: the name of a built-in policy, a function, or None for a seat that the caller plays.
Opponent = str | Policy | None

#: Codes of who plays a seat: the caller, the random policy, the heuristic policy, or the first of the functions.
OWN, CHANCE, HEURISTIC, FUNCTION = range(4)

#: The built-in policies.
POLICIES: Final = {"chance": CHANCE, "heuristic": HEURISTIC}

#: A value in place of an action: skip this game.
SKIP: Final = -(1 << 62)


class Seating:
    """Who plays each seat of each game."""

    def __init__(
        self,
        games: int,
        players: int,
        opponents: Opponent | Sequence[Opponent],
        own_seats: Sequence[int] | Array | None,
    ) -> None:
        if isinstance(opponents, str) or not isinstance(opponents, Sequence):
            opponents = (opponents,) * (players - 1)
        if len(opponents) != players - 1:
            raise ValueError(f"{players} players have {players - 1} opponents, not {len(opponents)}.")
        self.functions: list[Policy] = []
        codes = [OWN, *map(self._code, opponents)]
        seats = np.arange(games) % players if own_seats is None else np.asarray(own_seats)
        if (
            seats.shape != (games,)
            or seats.dtype.kind not in "iu"
            or not ((seats >= 0) & (seats < players)).all()
        ):
            raise ValueError(f"Own seats are {games} numbers from 0 to {players - 1}, one for each game.")
        self.own_seats = seats.astype(np.int64)
        # Opponents are listed clockwise from the caller's seat.
        distances = (np.arange(players) - self.own_seats[:, None]) % players
        self.codes = np.array(codes, np.int64)[distances]

    def _code(self, opponent: Opponent) -> int:
        if opponent is None:
            return OWN
        if callable(opponent):
            if opponent not in self.functions:
                self.functions.append(opponent)
            return FUNCTION + self.functions.index(opponent)
        if opponent not in POLICIES:
            raise ValueError(
                f"There is no opponent {opponent!r} inside a batch, but {' and '.join(POLICIES)}, and functions "
                "from observations and masks to actions."
            )
        return POLICIES[opponent]
