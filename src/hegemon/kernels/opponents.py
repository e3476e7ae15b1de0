"""Opponents inside a batch: the seats that choose by themselves within a step."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

#: A function that chooses for some games: from their observations and masks, one action for each.
Policy = Callable[[Array, Array], Any]
#: An opponent: the name of a policy, a function, or None for a seat that the caller plays too.
Opponent = str | Policy | None

#: Who plays a seat: the caller; random choices; the heuristic policy; a function, the first of them.
OWN, CHANCE, HEURISTIC, ASKED = range(4)

#: The policies that a step can follow by itself.
POLICIES: Final = {"chance": CHANCE, "heuristic": HEURISTIC}

#: In place of an action: nothing happens in this game.
LEAVE: Final = -(1 << 62)


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
        # Opponents are listed clockwise from one's own seat.
        distances = (np.arange(players) - self.own_seats[:, None]) % players
        self.codes = np.array(codes, np.int64)[distances]

    def _code(self, opponent: Opponent) -> int:
        if opponent is None:
            return OWN
        if callable(opponent):
            if opponent not in self.functions:
                self.functions.append(opponent)
            return ASKED + self.functions.index(opponent)
        if opponent not in POLICIES:
            raise ValueError(
                f"There is no opponent {opponent!r} inside a batch, but {' and '.join(POLICIES)}, and functions "
                "from observations and masks to actions."
            )
        return POLICIES[opponent]
