"""Transcripts of random games: all positions with their legal actions and the chosen one."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from hegemon.kernels.bits import random_action
from hegemon.kernels.compiler import compiled
from hegemon.kernels.dtype import POSITION_DTYPE, to_records
from hegemon.kernels.random_play import Array, Series, set_up
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import OVER
from hegemon.rules.shuffle import next_state

# The initial capacity in decisions; a longer game is played again with twice the capacity.
_INITIAL_CAPACITY: Final = 1024


@dataclass(frozen=True, slots=True)
class Transcript:
    """One game: entry `k` is decision `k`; `positions` also has the final position."""

    positions: Array
    choices: Array
    """The legal actions, one bit each."""
    actions: Array


def transcribe(
    table: Array, variant: int, seed: int, number: int, positions: Array, choices: Array, actions: Array
) -> int:
    """Play and write one game; return the number of decisions, or -1 if they do not fit."""
    position = table[0]
    state = set_up(position, variant, seed, number)
    decisions = 0
    while position.question != OVER:
        if decisions == len(actions):
            return -1
        state = next_state(state)
        offered = legal(position)
        action = random_action(offered, state)
        positions[decisions] = position
        choices[decisions] = offered
        actions[decisions] = action
        apply(position, action)
        decisions += 1
    positions[decisions] = position
    return decisions


def transcripts(series: Series) -> Iterator[Transcript]:
    empty = to_records([series.empty_position()])
    capacity = _INITIAL_CAPACITY
    for number in range(series.first, series.first + series.games):
        decisions = -1
        while decisions < 0:
            positions = np.zeros(capacity + 1, POSITION_DTYPE)
            choices = np.zeros(capacity, np.int64)
            actions = np.zeros(capacity, np.uint8)
            decisions = compiled(transcribe)(
                empty.copy(), series.variant, series.seed, number, positions, choices, actions
            )
            if decisions < 0:
                capacity *= 2
        yield Transcript(positions[: decisions + 1], choices[:decisions].view(np.uint64), actions[:decisions])
