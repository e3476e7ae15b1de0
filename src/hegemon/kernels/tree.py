"""The search tree: information-set Monte Carlo tree search.

Every iteration imagines the unseen cards, walks down the one tree along actions that are legal in what it imagined,
adds a node, plays the game out by the heuristic policy, and credits every node on the way with what its chooser got.
"""

from math import sqrt
from typing import Any, Final, NamedTuple

import numpy as np

from hegemon.kernels.bits import count_bits, nth_bit
from hegemon.kernels.compiler import compiled, kernel
from hegemon.kernels.dtype import to_records
from hegemon.kernels.imagination import Unseen, deal_unseen
from hegemon.kernels.policy import heuristic_action
from hegemon.rules.actions import CHOICES
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import OVER, Position
from hegemon.rules.shuffle import next_state
from hegemon.rules.victory import side_of, winners

Array = np.ndarray[Any, np.dtype[Any]]

ROOT: Final = 0
MAX_DEPTH: Final = 512


class Tree(NamedTuple):
    """The nodes of a search: one for every sequence of actions that was tried."""

    children: Array
    """The node that each action leads to; 0 where none does yet."""
    visits: Array
    value: Array
    """The sum of what the choosers of each node got out of it, from 0 to 1 a visit."""
    size: Array
    """The number of nodes, in its only entry."""
    path: Array
    """Working memory: the nodes of the present iteration."""
    choosers: Array
    """Working memory: the seats that chose them."""

    @classmethod
    def of(cls, capacity: int) -> "Tree":
        """A tree with only its root, and capacity for that many nodes."""
        return cls(
            children=np.zeros((capacity, len(CHOICES)), np.int32),
            visits=np.zeros(capacity, np.int32),
            value=np.zeros(capacity, np.float64),
            size=np.ones(1, np.int64),
            path=np.zeros(MAX_DEPTH, np.int32),
            choosers=np.zeros(MAX_DEPTH, np.int8),
        )


class SearchSettings(NamedTuple):
    exploration: float
    """The weight of actions that have not been tried often."""
    trust: float
    """The prior of the policy's action; the rest is shared evenly."""


@kernel
def expected_value(tree: Tree, node: int, choices: int) -> float:
    """What the chooser may expect of an action that was never tried: what the others gave so far."""
    value = 0.0
    visits = 0
    for place in range(count_bits(choices)):
        child = tree.children[node, nth_bit(choices, place)]
        if child > 0:
            value += tree.value[child]
            visits += tree.visits[child]
    return value / visits if visits > 0 else 0.5


@kernel
def action_to_try(tree: Tree, node: int, choices: int, preferred: int, settings: SearchSettings) -> int:
    """The action to try next (PUCT): one that did well so far or has been tried little, the policy's first."""
    number = count_bits(choices)
    unknown = expected_value(tree, node, choices)
    curiosity = settings.exploration * sqrt(tree.visits[node] + 1.0)
    best = -1
    highest = -1.0
    for place in range(number):
        action = nth_bit(choices, place)
        child = tree.children[node, action]
        tried = 0
        mean = unknown
        if child > 0:
            tried = tree.visits[child]
            mean = tree.value[child] / tried
        prior = (1.0 - settings.trust) / number
        if action == preferred:
            prior += settings.trust
        score = mean + curiosity * prior / (1.0 + tried)
        if score > highest:
            best, highest = action, score
    return best


@kernel
def share_of_win(position: Position, won: int, seat: int) -> float:
    """What a seat's side gets out of a finished game: 1 for a win, its part of a shared one, else 0."""
    # All sides have the same number of members, so seats may be counted for sides.
    alike = 0
    for other in range(position.players):
        if won >> other & 1 and side_of(position, other) == side_of(position, seat):
            alike += 1
    return alike / count_bits(won)


@kernel
def back_up(tree: Tree, depth: int, position: Position) -> None:
    """Credit every node of the path with what its chooser got out of the game."""
    won = winners(position)
    for place in range(depth):
        node = tree.path[place]
        tree.visits[node] += 1
        tree.value[node] += share_of_win(position, won, tree.choosers[place])


@kernel
def iterate(
    position: Position, tree: Tree, unseen: Unseen, root: int, settings: SearchSettings, state: int
) -> int:
    """One iteration from a position that holds what is certain; returns the next state of the generator."""
    state = deal_unseen(position, unseen, state)
    node = root
    depth = 0
    inside = True
    # One loop walks down the tree and plays on below it, so that the rules are compiled in at one place only.
    while position.question != OVER:
        choices = legal(position)
        state = next_state(state)
        action = nth_bit(choices, 0)
        if choices != 1 << action:
            action = heuristic_action(position, choices, state)
            state = next_state(next_state(state))
        if inside:
            action = action_to_try(tree, node, choices, action, settings)
            child = tree.children[node, action]
            inside = child > 0 and depth < MAX_DEPTH - 1
            if child == 0 and tree.size[0] < len(tree.visits):
                child = tree.size[0]
                tree.size[0] += 1
                tree.children[node, action] = child
            if child > 0:
                tree.path[depth] = child
                tree.choosers[depth] = position.seat
                depth += 1
                node = child
        apply(position, action)
    tree.visits[root] += 1
    back_up(tree, depth, position)
    return state


def grow_records(
    base: Array, table: Array, tree: Tree, unseen: Unseen, root: int, settings: SearchSettings,
    iterations: int, state: int,
) -> int:  # fmt: skip
    """Grow a tree by a number of iterations, all from copies of one position; returns the next state."""
    position = table[0]
    for _ in range(iterations):
        table[0] = base[0]
        state = iterate(position, tree, unseen, root, settings, state)
    return state


def grow_compiled(
    start: Position, tree: Tree, unseen: Unseen, root: int, settings: SearchSettings, iterations: int,
    state: int,
) -> int:  # fmt: skip
    """Grow a tree by a number of iterations, compiled; returns the next state of the generator."""
    base = to_records([start])
    return int(compiled(grow_records)(base, base.copy(), tree, unseen, root, settings, iterations, state))


def grow_interpreted(
    start: Position, tree: Tree, unseen: Unseen, root: int, settings: SearchSettings, iterations: int,
    state: int,
) -> int:  # fmt: skip
    """Grow the same tree in the interpreter."""
    for _ in range(iterations):
        state = iterate(start.copy(), tree, unseen, root, settings, state)
    return state
