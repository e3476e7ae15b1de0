"""The registry of bots by name: built-in bots, entry points of other packages, classes and programs."""

import re
import sys
from collections.abc import Callable, Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Final

from hegemon.bots.chance import Chance
from hegemon.bots.greedy import Greedy
from hegemon.bots.learned import Learned, LearnedSearch, shipped_network
from hegemon.bots.program import CHOICE_TIMEOUT, Program
from hegemon.bots.search import Search
from hegemon.notation.errors import quoted
from hegemon.notation.setup import SetupError
from hegemon.play.player import Player

BotFactory = Callable[[int], Player]

#: The entry point group in which packages register bots.
ENTRY_POINTS: Final = "hegemon.bots"


#: The difficulty levels, from the weakest to the strongest: a small network that was trained briefly, then the large
#: one, at falling temperatures; the two strongest levels search.
LEVELS: Final[dict[str, BotFactory]] = {
    "beginner": lambda seed: Learned(seed, network=shipped_network("learner"), temperature=2.6),
    "easy": lambda seed: Learned(seed, network=shipped_network("learner"), temperature=1.6),
    "normal": lambda seed: Learned(seed, temperature=2.4),
    "hard": lambda seed: Learned(seed, temperature=1.75),
    "expert": lambda seed: LearnedSearch(seed, iterations=300, seconds=0.9, turn_seconds=0.9),
    "champion": lambda seed: LearnedSearch(seed, iterations=50_000, seconds=2.8, turn_seconds=2.8),
}

#: The built-in bots by name, the levels last. A bot with the same seed makes the same choices.
BOTS: Final[dict[str, BotFactory]] = {
    "chance": Chance,
    "greedy": Greedy,
    "search": Search,
    "learned": Learned,
    **LEVELS,
}

#: The bots that accept a limit of iterations or seconds.
_SEARCHES: Final[dict[str, Callable[..., Player]]] = {"search": Search, "learned": LearnedSearch}


@cache
def seconds_per_turn(name: str) -> float | None:
    """The time limit of a bot for a turn, or None."""
    return getattr(BOTS[name](0), "turn_seconds", None) if name in BOTS else None


_SEARCH: Final = re.compile(
    r"(?P<search>search|learned):(?:(?P<iterations>[1-9][0-9]{0,8})|(?P<seconds>[0-9]{1,4}(\.[0-9]{1,6})?)s)"
)
#: An importable class or function: `package.module:Class`.
_CLASS: Final = re.compile(r"(?P<module>[^\W\d]\w*(\.[^\W\d]\w*)*):[^\W\d]\w*(\.[^\W\d]\w*)*")

#: A program that implements the bot protocol, with an optional time limit per choice.
_PROGRAM: Final = re.compile(r"program:(?:(?P<seconds>[0-9]{1,4}(\.[0-9]{1,6})?)s:)?(?P<command>.+)")


@cache
def entry_point_bots() -> dict[str, EntryPoint]:
    """The bots of other packages by name; they cannot replace built-in ones."""
    return {point.name: point for point in entry_points(group=ENTRY_POINTS) if point.name not in BOTS}


def bot_names() -> tuple[str, ...]:
    return (*BOTS, *entry_point_bots())


def specifies_code(name: str) -> bool:
    """Whether a name is code to run, a class or a program; accept such names only from the local user."""
    if _PROGRAM.fullmatch(name):
        return True
    found = _CLASS.fullmatch(name)
    return found is not None and found["module"] not in BOTS


def is_third_party(name: str) -> bool:
    """Whether a bot is not built in: an entry point of another package, a class or a program."""
    return name in entry_point_bots() or specifies_code(name)


def make_bot(name: str, seed: int = 0) -> Player:
    """Create a bot by name.

    `search:500` searches for 500 iterations, `learned:0.1s` for a tenth of a second. `package.module:Class` is called
    with the seed, and `program:COMMAND` or `program:5s:COMMAND` starts a program that implements the bot protocol.
    """
    if name in BOTS:
        return BOTS[name](seed)
    spec = _SEARCH.fullmatch(name)
    if spec and spec["iterations"]:
        return _SEARCHES[spec["search"]](seed, iterations=int(spec["iterations"]))
    if spec and float(spec["seconds"]) > 0:
        return _SEARCHES[spec["search"]](seed, seconds=float(spec["seconds"]))
    if program := _PROGRAM.fullmatch(name):
        return Program(program["command"], seed, seconds=float(program["seconds"] or CHOICE_TIMEOUT))
    point = entry_point_bots().get(name)
    if point is None and specifies_code(name):
        point = EntryPoint(name, name, ENTRY_POINTS)
        if (here := str(Path.cwd())) not in sys.path:
            sys.path.append(here)  # for an installed command, the working directory is not on the path
    if point is not None:
        try:
            factory: BotFactory = point.load()
            return factory(seed)
        except Exception as error:
            raise SetupError(
                "The bot {name} of another package cannot be created: {error}",
                name=name,
                error=f"{type(error).__name__}: {error}",
            ) from error
    raise SetupError(
        "There is no bot {name}; the bots are {bots}, and search:500 or learned:0.1s for a search with that many "
        "iterations or seconds.",
        name=quoted(name),
        bots=", ".join(bot_names()),
    )


def warm_up(names: Iterable[str] = BOTS, *, wait: bool = True) -> None:
    """Compile the kernels of bots ahead of their first choice; in the background with `wait=False`.

    Compiled code is cached on disk. If it has to be compiled, a line on standard error says so.
    """
    kernels = {bot.kernel for bot in map(make_bot, names) if isinstance(bot, Search)}
    for kernel in kernels:
        kernel.start()
    if wait:
        for kernel in kernels:
            kernel.wait()
