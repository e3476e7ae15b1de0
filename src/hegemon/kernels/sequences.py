"""Perft: the number of legal sequences of actions from a position.

The number is a fingerprint of the rules: an extra legal action, or a wrong effect, changes it.
"""

import numpy as np

from hegemon.kernels.bits import count_bits, nth_bit
from hegemon.kernels.compiler import can_compile, compiled
from hegemon.kernels.dtype import to_records
from hegemon.kernels.random_play import Array
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import Position


def count_sequences(line: Array, open_choices: Array, depth: int) -> int:
    """Count the sequences of `depth` actions from the first position of an array of `depth` positions."""
    sequences = 0
    at = 0
    open_choices[0] = legal(line[0])
    while at >= 0:
        if at == depth - 1:  # the last actions are counted without being applied
            sequences += count_bits(open_choices[at])
            at -= 1
        elif open_choices[at] == 0:
            at -= 1
        else:
            action = nth_bit(open_choices[at], 0)
            open_choices[at] &= open_choices[at] - 1
            line[at + 1] = line[at]
            apply(line[at + 1], action)
            at += 1
            open_choices[at] = legal(line[at])
    return sequences


def perft_compiled(position: Position, depth: int) -> int:
    if depth < 1:
        return perft_interpreted(position, depth)
    line = to_records([position] * depth)
    return int(compiled(count_sequences)(line, np.zeros(depth, np.int64), depth))


def perft_interpreted(position: Position, depth: int) -> int:
    if depth < 0:
        raise ValueError(f"sequences have a length of 0 or more, not {depth}")
    if depth == 0:
        return 1
    choices = legal(position)
    if depth == 1:
        return count_bits(choices)
    return sum(perft_interpreted(after, depth - 1) for after in successors(position, choices).values())


def successors(position: Position, choices: int) -> dict[int, Position]:
    """The position after each action, in order."""
    following = {}
    for n in range(count_bits(choices)):
        action = nth_bit(choices, n)
        following[action] = position.copy()
        apply(following[action], action)
    return following


def divide(position: Position, depth: int) -> dict[int, int]:
    """The number of sequences of `depth` actions that begin with each legal action."""
    if depth < 1:
        raise ValueError(f"sequences that begin with an action have a length of 1 or more, not {depth}")
    after = successors(position, legal(position))
    return {action: perft(following, depth - 1) for action, following in after.items()}


def perft(position: Position, depth: int) -> int:
    """The number of legal sequences of `depth` actions from a position; a sequence ends where the game does."""
    return perft_compiled(position, depth) if can_compile() else perft_interpreted(position, depth)
