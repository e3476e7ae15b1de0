"""The one table of all bots: ours, the levels for people, and those that come from outside by an entry point."""

import re
from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from hegemon.bots.chance import Chance
from hegemon.bots.greedy import Greedy
from hegemon.bots.search import Search
from hegemon.notation.setup import SetupError
from hegemon.play.player import Player

Maker = Callable[[int], Player]

#: The group of entry points by which a package brings bots of its own.
ENTRY_POINTS: Final = "hegemon.bots"


def easy(seed: int) -> Player:
    """Thinks a few moves through."""
    return Search(seed, iterations=8)


def normal(seed: int) -> Player:
    """Thinks for a moment."""
    return Search(seed, iterations=200, seconds=0.9)


def hard(seed: int) -> Player:
    """Thinks for a part of a second."""
    return Search(seed, iterations=5_000, seconds=0.9)


def expert(seed: int) -> Player:
    """Thinks for some seconds."""
    return Search(seed, iterations=50_000, seconds=2.8)


#: Every bot by its name; each is made from a seed and plays the same game again from the same seed.
BOTS: Final[dict[str, Maker]] = {
    "chance": Chance,
    "greedy": Greedy,
    "search": Search,
    "easy": easy,
    "normal": normal,
    "hard": hard,
    "expert": expert,
}

_SEARCH: Final = re.compile(
    r"search:(?:(?P<iterations>[1-9][0-9]{0,8})|(?P<seconds>[0-9]{1,4}(\.[0-9]{1,6})?)s)"
)


@cache
def entry_point_bots() -> dict[str, EntryPoint]:
    """The bots of other packages, by name; none of ours can be replaced."""
    return {point.name: point for point in entry_points(group=ENTRY_POINTS) if point.name not in BOTS}


def bot_names() -> tuple[str, ...]:
    """The name of every bot that can be asked for."""
    return (*BOTS, *entry_point_bots())


def make_entry_point_bot(point: EntryPoint, seed: int) -> Player:
    """The bot of another package, seeded; what is wrong with it is told by its name."""
    try:
        maker: Maker = point.load()
        return maker(seed)
    except Exception as error:
        raise SetupError(
            f"The bot {point.name} of another package cannot be made: {type(error).__name__}: {error}"
        ) from error


def make_bot(name: str, seed: int = 0) -> Player:
    """The bot of that name, seeded; `search:500` thinks for 500 iterations, `search:0.1s` for a tenth of a second."""
    if name in BOTS:
        return BOTS[name](seed)
    spec = _SEARCH.fullmatch(name)
    if spec and spec["iterations"]:
        return Search(seed, iterations=int(spec["iterations"]))
    if spec and float(spec["seconds"]) > 0:
        return Search(seed, seconds=float(spec["seconds"]))
    if name in entry_point_bots():
        return make_entry_point_bot(entry_point_bots()[name], seed)
    raise SetupError(
        f'There is no bot "{name[:40]}"; the bots are {", ".join(bot_names())}, '
        "and search:500 or search:0.1s for a search of so many iterations or seconds."
    )
