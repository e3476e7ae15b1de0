"""The registry of bots by name: ours, those that other packages bring by an entry point, classes and programs."""

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

Maker = Callable[[int], Player]

#: The group of entry points by which a package brings bots of its own.
ENTRY_POINTS: Final = "hegemon.bots"


#: The levels for people, from the weakest to the strongest: a small network that has just learned the game, then the
#: large one. The weaker ones are less sure what is best, and the strongest two search.
LEVELS: Final[dict[str, Maker]] = {
    "beginner": lambda seed: Learned(seed, network=shipped_network("learner"), temperature=2.7),
    "easy": lambda seed: Learned(seed, network=shipped_network("learner"), temperature=1.4),
    "normal": lambda seed: Learned(seed, temperature=2.4),
    "hard": lambda seed: Learned(seed, temperature=1.8),
    "expert": lambda seed: LearnedSearch(seed, iterations=300, seconds=0.9, turn_seconds=0.9),
    "champion": lambda seed: LearnedSearch(seed, iterations=50_000, seconds=2.8, turn_seconds=2.8),
}

#: Every bot by its name, the levels for people last; the same seed plays the same game again.
BOTS: Final[dict[str, Maker]] = {
    "chance": Chance,
    "greedy": Greedy,
    "search": Search,
    "learned": Learned,
    **LEVELS,
}

#: The bots that can be given iterations or seconds to think.
_THINKERS: Final[dict[str, Callable[..., Player]]] = {"search": Search, "learned": LearnedSearch}


@cache
def seconds_a_turn(name: str) -> float | None:
    """The time that a bot takes for a turn at most; None for one that has no such limit."""
    return getattr(BOTS[name](0), "turn_seconds", None) if name in BOTS else None


_THINKING: Final = re.compile(
    r"(?P<thinker>search|learned):(?:(?P<iterations>[1-9][0-9]{0,8})|(?P<seconds>[0-9]{1,4}(\.[0-9]{1,6})?)s)"
)
#: A class, or a function, of a module that can be imported: `package.module:Class`.
_CLASS: Final = re.compile(r"(?P<module>[^\W\d]\w*(\.[^\W\d]\w*)*):[^\W\d]\w*(\.[^\W\d]\w*)*")

#: A program that speaks the protocol of bots, perhaps with the seconds that it has for a choice.
_PROGRAM: Final = re.compile(r"program:(?:(?P<seconds>[0-9]{1,4}(\.[0-9]{1,6})?)s:)?(?P<command>.+)")


@cache
def entry_point_bots() -> dict[str, EntryPoint]:
    """The bots of other packages, by name; they cannot replace ours."""
    return {point.name: point for point in entry_points(group=ENTRY_POINTS) if point.name not in BOTS}


def bot_names() -> tuple[str, ...]:
    return (*BOTS, *entry_point_bots())


def names_code(name: str) -> bool:
    """Whether a name says which code to run, a class or a program: it must come from the user of this machine."""
    if _PROGRAM.fullmatch(name):
        return True
    found = _CLASS.fullmatch(name)
    return found is not None and found["module"] not in BOTS


def is_foreign(name: str) -> bool:
    """Whether the bot of a name is not ours."""
    return name in entry_point_bots() or names_code(name)


def make_bot(name: str, seed: int = 0) -> Player:
    """The bot of a name.

    `search:500` thinks for 500 iterations, `learned:0.1s` for a tenth of a second. `package.module:Class` is called
    with the seed, and `program:COMMAND` or `program:5s:COMMAND` starts a program that speaks the protocol of bots.
    """
    if name in BOTS:
        return BOTS[name](seed)
    spec = _THINKING.fullmatch(name)
    if spec and spec["iterations"]:
        return _THINKERS[spec["thinker"]](seed, iterations=int(spec["iterations"]))
    if spec and float(spec["seconds"]) > 0:
        return _THINKERS[spec["thinker"]](seed, seconds=float(spec["seconds"]))
    if program := _PROGRAM.fullmatch(name):
        return Program(program["command"], seed, seconds=float(program["seconds"] or CHOICE_TIMEOUT))
    point = entry_point_bots().get(name)
    if point is None and names_code(name):
        point = EntryPoint(name, name, ENTRY_POINTS)
        if (here := str(Path.cwd())) not in sys.path:
            sys.path.append(here)  # an installed command does not look into the working directory
    if point is not None:
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
        "There is no bot {name}; the bots are {bots}, and search:500 or learned:0.1s for a search with that many "
        "iterations or seconds.",
        name=quoted(name),
        bots=", ".join(bot_names()),
    )


def warm_up(names: Iterable[str] = BOTS, *, wait: bool = True) -> None:
    """Compile what bots need, so that none has to think slowly at first; in the background with `wait=False`.

    What is compiled is cached on disk, so this takes long only once; a line on standard error says when it does.
    """
    kernels = {bot.kernel for bot in map(make_bot, names) if isinstance(bot, Search)}
    for kernel in kernels:
        kernel.start()
    if wait:
        for kernel in kernels:
            kernel.wait()
