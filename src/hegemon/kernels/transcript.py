"""A game played by chance and written down: every position, what was legal in it, and what was chosen."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np

from hegemon.kernels.bits import random_action
from hegemon.kernels.compiler import compiled
from hegemon.kernels.dtype import POSITION_DTYPE, to_records
from hegemon.kernels.random_play import Array, Series, set_up
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import OVER
from hegemon.rules.shuffle import next_state

# How many decisions there is room for at first; a game that is longer gets twice as much room.
_ROOM: Final = 1024


@dataclass(frozen=True, slots=True)
class Transcript:
    """One game: entry `k` tells of decision `k`, and one position more stands at the end."""

    positions: Array
    choices: Array
    """The legal choices as a set, one bit a word."""
    words: Array


def transcribe(
    table: Array, variant: int, seed: int, number: int, positions: Array, choices: Array, words: Array
) -> int:
    """Play one game on an empty table and write it down; returns the number of decisions, or -1 if room was short."""
    position = table[0]
    state = set_up(position, variant, seed, number)
    decisions = 0
    while position.question != OVER:
        if decisions == len(words):
            return -1
        state = next_state(state)
        offered = legal(position)
        word = random_action(offered, state)
        positions[decisions] = position
        choices[decisions] = offered
        words[decisions] = word
        apply(position, word)
        decisions += 1
    positions[decisions] = position
    return decisions


@cache
def _compiled_transcribe() -> Any:
    return compiled(transcribe)


def transcripts(series: Series) -> Iterator[Transcript]:
    """The games of a series, played compiled and written down."""
    empty = to_records([series.empty_table()])
    room = _ROOM
    for number in range(series.first, series.first + series.games):
        decisions = -1
        while decisions < 0:
            positions = np.zeros(room + 1, POSITION_DTYPE)
            choices = np.zeros(room, np.int64)
            words = np.zeros(room, np.uint8)
            decisions = _compiled_transcribe()(
                empty.copy(), series.variant, series.seed, number, positions, choices, words
            )
            if decisions < 0:
                room *= 2
        yield Transcript(positions[: decisions + 1], choices[:decisions].view(np.uint64), words[:decisions])
