"""The registry of bots by name: ours, and those that other packages bring by an entry point."""

import re
from collections.abc import Callable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from hegemon.bots.chance import Chance
from hegemon.bots.greedy import Greedy
from hegemon.bots.search import Search
from hegemon.notation.errors import quoted
from hegemon.notation.setup import SetupError
from hegemon.play.player import Player

Maker = Callable[[int], Player]

#: The group of entry points by which a package brings bots of its own.
ENTRY_POINTS: Final = "hegemon.bots"


#: Every bot by its name, the levels for people last; the same seed plays the same game again.
BOTS: Final[dict[str, Maker]] = {
    "chance": Chance,
    "greedy": Greedy,
    "search": Search,
    "easy": lambda seed: Search(seed, iterations=8),
    "normal": lambda seed: Search(seed, iterations=200, seconds=0.9, turn_seconds=0.9),
    "hard": lambda seed: Search(seed, iterations=5_000, seconds=0.9, turn_seconds=1.8),
    "expert": lambda seed: Search(seed, iterations=50_000, seconds=2.8, turn_seconds=2.8),
}


@cache
def seconds_a_turn(name: str) -> float | None:
    """The time that a bot takes for a turn at most; None for one that has no such limit."""
    return getattr(BOTS[name](0), "turn_seconds", None) if name in BOTS else None


_SEARCH: Final = re.compile(
    r"search:(?:(?P<iterations>[1-9][0-9]{0,8})|(?P<seconds>[0-9]{1,4}(\.[0-9]{1,6})?)s)"
)


@cache
def entry_point_bots() -> dict[str, EntryPoint]:
    """The bots of other packages, by name; they cannot replace ours."""
    return {point.name: point for point in entry_points(group=ENTRY_POINTS) if point.name not in BOTS}


def bot_names() -> tuple[str, ...]:
    return (*BOTS, *entry_point_bots())


def make_bot(name: str, seed: int = 0) -> Player:
    """The bot of a name; `search:500` thinks for 500 iterations, `search:0.1s` for a tenth of a second."""
    if name in BOTS:
        return BOTS[name](seed)
    spec = _SEARCH.fullmatch(name)
    if spec and spec["iterations"]:
        return Search(seed, iterations=int(spec["iterations"]))
    if spec and float(spec["seconds"]) > 0:
        return Search(seed, seconds=float(spec["seconds"]))
    if point := entry_point_bots().get(name):
        try:
            maker: Maker = point.load()
            return maker(seed)
        except Exception as error:
            raise SetupError(
                "The bot {name} of another package cannot be created: {error}",
                name=name,
                error=f"{type(error).__name__}: {error}",
            ) from error
    raise SetupError(
        "There is no bot {name}; the bots are {bots}, and search:500 or search:0.1s for a search with that many "
        "iterations or seconds.",
        name=quoted(name),
        bots=", ".join(bot_names()),
    )
