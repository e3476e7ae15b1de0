"""Perft: how many different sequences of choices can follow a position.

The number is a fingerprint of the rules: a rule that offers one choice too many, or applies one wrongly, changes it.
"""

from functools import cache
from typing import Any

import numpy as np

from hegemon.kernels.bits import count_bits, nth_bit
from hegemon.kernels.compiler import can_compile, compiled
from hegemon.kernels.dtype import to_records
from hegemon.kernels.random_play import Array
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import Position


def count_sequences(line: Array, open_choices: Array, depth: int) -> int:
    """Count the sequences of `depth` choices from the first position of a line that has room for `depth` positions."""
    sequences = 0
    at = 0
    open_choices[0] = legal(line[0])
    while at >= 0:
        if at == depth - 1:  # the last choices need not be made to be counted
            sequences += count_bits(open_choices[at])
            at -= 1
        elif open_choices[at] == 0:
            at -= 1
        else:
            word = nth_bit(open_choices[at], 0)
            open_choices[at] &= open_choices[at] - 1
            line[at + 1] = line[at]
            apply(line[at + 1], word)
            at += 1
            open_choices[at] = legal(line[at])
    return sequences


@cache
def _compiled_count() -> Any:
    return compiled(count_sequences)


def perft_compiled(position: Position, depth: int) -> int:
    """Perft by the compiled rules."""
    if depth < 1:
        return perft_interpreted(position, depth)
    line = to_records([position] * depth)
    return int(_compiled_count()(line, np.zeros(depth, np.int64), depth))


def perft_interpreted(position: Position, depth: int) -> int:
    """Perft by the rules as they stand."""
    if depth < 0:
        raise ValueError(f"sequences have a length of 0 or more, not {depth}")
    if depth == 0:
        return 1
    choices = legal(position)
    if depth == 1:
        return count_bits(choices)
    return sum(perft_interpreted(after, depth - 1) for after in successors(position, choices).values())


def successors(position: Position, choices: int) -> dict[int, Position]:
    """For each of the choices, in word order, the position that follows it."""
    following = {}
    for n in range(count_bits(choices)):
        word = nth_bit(choices, n)
        following[word] = position.copy()
        apply(following[word], word)
    return following


def divide(position: Position, depth: int) -> dict[int, int]:
    """For each legal word, in word order, how many sequences of `depth` choices begin with it."""
    if depth < 1:
        raise ValueError(f"sequences that begin with a word have a length of 1 or more, not {depth}")
    return {word: perft(after, depth - 1) for word, after in successors(position, legal(position)).items()}


def perft(position: Position, depth: int) -> int:
    """How many legal sequences of `depth` choices follow a position; a sequence ends where the game does."""
    return perft_compiled(position, depth) if can_compile() else perft_interpreted(position, depth)
