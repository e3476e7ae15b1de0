"""Large samples of whole games, played randomly or by the heuristic policy, with the actions that were chosen.

The random games are those of `random_play`, bit for bit; what is recorded here beside the result costs time that plain
random play need not spend.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from hegemon.kernels.bits import nth_bit, random_action
from hegemon.kernels.compiler import can_compile, compiled, kernel
from hegemon.kernels.dtype import to_records
from hegemon.kernels.policy import heuristic_action
from hegemon.kernels.random_play import Array, Results, Series, set_up, write_result
from hegemon.rules.actions import CHOICES
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import MAX_PLAYERS, OVER, Position
from hegemon.rules.shuffle import next_state

#: Games between two reports; a sample can be interrupted after each.
CHUNK: Final = 2000


@dataclass(frozen=True, slots=True)
class Sample:
    """The games of a series, and the actions that were chosen in them."""

    results: Results
    marked: Array
    """For every game and seat the marks of all actions that the seat chose, one bit a mark."""
    counts: Array
    """How often each action was chosen, over all games and seats."""

    @classmethod
    def of(cls, games: int) -> "Sample":
        return cls(
            Results.of(games), np.zeros((games, MAX_PLAYERS), np.uint16), np.zeros(len(CHOICES), np.int64)
        )

    def __len__(self) -> int:
        return len(self.results)

    @classmethod
    def joined(cls, samples: Sequence["Sample"]) -> "Sample":
        """Several samples as one."""
        arrays = zip(*(sample.results.arrays() for sample in samples), strict=True)
        return cls(
            Results(*map(np.concatenate, arrays)),
            np.concatenate([sample.marked for sample in samples]),
            np.sum([sample.counts for sample in samples], axis=0),
        )


@kernel
def sample_game(
    position: Position, state: int, heuristic: bool, marks: Array, marked: Array, counts: Array
) -> int:
    """Play a dealt game to its end and record the actions; returns the number of decisions."""
    decisions = 0
    while position.question != OVER:
        choices = legal(position)
        state = next_state(state)
        if heuristic:
            action = nth_bit(choices, 0)
            if choices != 1 << action:
                action = heuristic_action(position, choices, state)
                state = next_state(next_state(state))
        else:
            action = random_action(choices, state)
        marked[position.seat] |= marks[action]
        counts[action] += 1
        decisions += 1
        apply(position, action)
    return decisions


def sample_records(
    empty: Array, table: Array, variant: int, seed: int, first: int, heuristic: bool, marks: Array,
    marked: Array, counts: Array, winning: Array, ending: Array, domain: Array, rounds: Array, turns: Array,
    decisions: Array,
) -> None:  # fmt: skip
    """Play games one after the other in one record; each begins as a copy of the empty position."""
    position = table[0]
    for game in range(len(winning)):
        table[0] = empty[0]
        state = set_up(position, variant, seed, first + game)
        decisions[game] = sample_game(position, state, heuristic, marks, marked[game], counts)
        write_result(position, game, winning, ending, domain, rounds, turns)


def sample_compiled(series: Series, marks: Array, *, heuristic: bool) -> Sample:
    """Play a series compiled, on one core, without the interpreter lock."""
    sample = Sample.of(series.games)
    empty = to_records([series.empty_position()])
    compiled(sample_records)(
        empty, empty.copy(), series.variant, series.seed, series.first, heuristic, marks,
        sample.marked, sample.counts, *sample.results.arrays(),
    )  # fmt: skip
    return sample


def sample_interpreted(series: Series, marks: Array, *, heuristic: bool) -> Sample:
    """Play the same games in the interpreter."""
    sample = Sample.of(series.games)
    *arrays, decisions = sample.results.arrays()
    for game in range(series.games):
        position = series.empty_position()
        state = set_up(position, series.variant, series.seed, series.first + game)
        decisions[game] = sample_game(position, state, heuristic, marks, sample.marked[game], sample.counts)
        write_result(position, game, *arrays)
    return sample


def chunks(series: Series, size: int) -> Iterator[Series]:
    """The same games in shorter series."""
    for begin in range(0, series.games, size):
        yield replace(series, games=min(size, series.games - begin), first=series.first + begin)


def sample_series(
    series: Series,
    marks: Array,
    *,
    heuristic: bool,
    cores: int = 1,
    report: Callable[[Sample], None] = lambda sample: None,
) -> None:
    """Play a series on several cores, and report every chunk in the order of the games."""
    play = sample_compiled if can_compile() else sample_interpreted
    play(replace(series, games=0), marks, heuristic=heuristic)  # compile before the cores part
    pool = ThreadPoolExecutor(cores)
    try:
        parts = chunks(series, CHUNK)
        for sample in pool.map(lambda part: play(part, marks, heuristic=heuristic), parts):
            report(sample)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
