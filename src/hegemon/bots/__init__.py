"""Bots, by name in one table. A bot is a `Player`: it gets a view, a memory and the words on offer, nothing else."""

from collections.abc import Callable
from typing import Final

from hegemon.bots.chance import Chance
from hegemon.bots.greedy import Greedy
from hegemon.notation.table import TableError
from hegemon.play.player import Player

__all__ = ["BOTS", "Chance", "Greedy", "make_bot"]

#: Every bot by its name; each is made from a seed and plays the same game again from the same seed.
BOTS: Final[dict[str, Callable[[int], Player]]] = {
    "chance": Chance,
    "greedy": Greedy,
}


def make_bot(name: str, seed: int = 0) -> Player:
    """The bot of that name, seeded."""
    if name not in BOTS:
        raise TableError(f'There is no bot "{name[:40]}"; the bots are {", ".join(BOTS)}.')
    return BOTS[name](seed)
