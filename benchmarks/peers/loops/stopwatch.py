"""The one clock for every loop, ours and the peers'.

A loop script calls `main` with its loops by name. Each is a function that sets up and returns another one, which plays
a portion (one whole game, a batch of steps, a few hundred rollouts) and returns its `Tally`. The script is called as
`python SCRIPT LOOP SECONDS` and prints one line of JSON.
"""

import json
import sys
from collections.abc import Callable, Mapping
from time import perf_counter, process_time
from typing import NamedTuple


class Tally(NamedTuple):
    """The counts of a portion."""

    decisions: float
    """Choices that players made, including forced ones."""
    games: float
    chance: float = 0
    """Chance moves, for peers that play shuffles and draws as moves."""


def measure(portion: Callable[[], Tally], seconds: float) -> dict[str, float]:
    """Play portions for a number of seconds, after an uncounted warm-up portion."""
    portion()
    decisions = games = chance = elapsed = 0.0
    began, began_cpu = perf_counter(), process_time()
    while elapsed < seconds:
        tally = portion()
        decisions += tally.decisions
        games += tally.games
        chance += tally.chance
        elapsed = perf_counter() - began
    cpu = process_time() - began_cpu
    return {"decisions": decisions, "games": games, "chance": chance, "seconds": elapsed, "cpu": cpu}


def main(version: str, loops: Mapping[str, Callable[[], Callable[[], Tally]]]) -> None:
    """Measure the loop that the command line names, and print one line of JSON."""
    name, seconds = sys.argv[1], float(sys.argv[2])
    if name not in loops:
        sys.exit(f"no loop {name!r} here; there are {', '.join(loops)}")
    print(json.dumps({**measure(loops[name](), seconds), "version": version}))
