"""Large samples of whole games, played by chance or sensibly, with a note of who said which words.

The games by chance are those of `random_play`, bit for bit; what is noted here beside the result costs time there
is no need to spend in plain random play.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

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

#: So many games are played in one go: between two goes one may stop.
PORTION: Final = 2000


@dataclass(frozen=True, slots=True)
class Sample:
    """The games of a series, and what was said in them."""

    results: Results
    marked: Array
    """For every game and seat the marks of all words that the seat said, one bit a mark."""
    said: Array
    """How often each word was said, over all games and seats."""

    @classmethod
    def of(cls, games: int) -> "Sample":
        """Room for so many games."""
        return cls(
            Results.of(games), np.zeros((games, MAX_PLAYERS), np.uint16), np.zeros(len(CHOICES), np.int64)
        )

    def __len__(self) -> int:
        return len(self.results)

    @classmethod
    def joined(cls, samples: Sequence["Sample"]) -> "Sample":
        """Several samples as one, one after the other."""
        arrays = zip(*(sample.results.arrays() for sample in samples), strict=True)
        return cls(
            Results(*map(np.concatenate, arrays)),
            np.concatenate([sample.marked for sample in samples]),
            np.sum([sample.said for sample in samples], axis=0),
        )


@kernel
def sample_game(
    position: Position, state: int, heuristic: bool, marks: Array, marked: Array, said: Array
) -> int:
    """Play a dealt game to its end and note what is said; returns the number of decisions."""
    decisions = 0
    while position.question != OVER:
        choices = legal(position)
        state = next_state(state)
        if heuristic:
            word = nth_bit(choices, 0)
            if choices != 1 << word:
                word = heuristic_action(position, choices, state)
                state = next_state(next_state(state))
        else:
            word = random_action(choices, state)
        marked[position.seat] |= marks[word]
        said[word] += 1
        decisions += 1
        apply(position, word)
    return decisions


def sample_records(
    empty: Array,
    table: Array,
    variant: int,
    seed: int,
    first: int,
    heuristic: bool,
    marks: Array,
    marked: Array,
    said: Array,
    winning: Array,
    ending: Array,
    domain: Array,
    rounds: Array,
    turns: Array,
    decisions: Array,
) -> None:
    """Play games one after the other on one table; every one begins as a copy of the empty one."""
    position = table[0]
    for game in range(len(winning)):
        table[0] = empty[0]
        state = set_up(position, variant, seed, first + game)
        decisions[game] = sample_game(position, state, heuristic, marks, marked[game], said)
        write_result(position, game, winning, ending, domain, rounds, turns)


@cache
def _compiled_sample() -> Any:
    return compiled(sample_records)


def sample_compiled(series: Series, marks: Array, *, heuristic: bool) -> Sample:
    """Play a series compiled, on one core, without the interpreter's lock."""
    sample = Sample.of(series.games)
    empty = to_records([series.empty_table()])
    _compiled_sample()(
        empty, empty.copy(), series.variant, series.seed, series.first, heuristic, marks,
        sample.marked, sample.said, *sample.results.arrays(),
    )  # fmt: skip
    return sample


def sample_interpreted(series: Series, marks: Array, *, heuristic: bool) -> Sample:
    """Play a series in the interpreter: the same games, slowly, and without Numba."""
    sample = Sample.of(series.games)
    *arrays, decisions = sample.results.arrays()
    for game in range(series.games):
        position = series.empty_table()
        state = set_up(position, series.variant, series.seed, series.first + game)
        decisions[game] = sample_game(position, state, heuristic, marks, sample.marked[game], sample.said)
        write_result(position, game, *arrays)
    return sample


def portions(series: Series, size: int) -> Iterator[Series]:
    """The same games in series of at most so many."""
    for begin in range(0, series.games, size):
        yield replace(series, games=min(size, series.games - begin), first=series.first + begin)


def sample_series(
    series: Series,
    marks: Array,
    *,
    heuristic: bool,
    cores: int = 1,
    tell: Callable[[Sample], None] = lambda sample: None,
) -> None:
    """Play a series as fast as so many cores can; `tell` is handed every portion, in the order of the games.

    An interrupt ends it with the portions that were told so far.
    """
    play = sample_compiled if can_compile() else sample_interpreted
    play(replace(series, games=0), marks, heuristic=heuristic)  # compile before the cores part
    pool = ThreadPoolExecutor(cores)
    try:
        parts = portions(series, PORTION)
        for sample in pool.map(lambda part: play(part, marks, heuristic=heuristic), parts):
            tell(sample)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
