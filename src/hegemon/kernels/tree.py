"""Information-set Monte Carlo tree search with playouts.

Each iteration samples a determinization, descends the tree along the actions that are legal in it, adds a node, plays
the game out with the heuristic policy, and backs up the result.
"""

from math import sqrt
from typing import Any, Final, NamedTuple

import numpy as np

from hegemon.kernels.bits import count_bits, nth_bit
from hegemon.kernels.compiler import compiled, kernel
from hegemon.kernels.determinization import Unseen, deal_unseen
from hegemon.kernels.dtype import to_records
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
    """The nodes of a search, one for each sequence of actions."""

    children: Array
    """The child node of each action, or 0."""
    visits: Array
    value_sum: Array
    """The sum over all visits of the result for the seat that chose the node, each from 0 to 1."""
    size: Array
    """The number of nodes: an array with one entry."""
    path: Array
    """Scratch memory: the nodes of the current iteration."""
    choosers: Array
    """Scratch memory: the seats that chose them."""

    @classmethod
    def of(cls, capacity: int) -> "Tree":
        """An empty tree with capacity for that many nodes."""
        return cls(
            children=np.zeros((capacity, len(CHOICES)), np.int32),
            visits=np.zeros(capacity, np.int32),
            value_sum=np.zeros(capacity, np.float64),
            size=np.ones(1, np.int64),
            path=np.zeros(MAX_DEPTH, np.int32),
            choosers=np.zeros(MAX_DEPTH, np.int8),
        )


class SearchSettings(NamedTuple):
    exploration: float
    """The PUCT constant."""
    policy_prior: float
    """The prior probability of the heuristic policy's action; the rest is uniform."""


@kernel
def first_play_value(tree: Tree, node: int, choices: int) -> float:
    """The value of an action without visits: the mean value of the visited actions."""
    value = 0.0
    visits = 0
    for place in range(count_bits(choices)):
        child = tree.children[node, nth_bit(choices, place)]
        if child > 0:
            value += tree.value_sum[child]
            visits += tree.visits[child]
    return value / visits if visits > 0 else 0.5


@kernel
def select_action(tree: Tree, node: int, choices: int, preferred: int, settings: SearchSettings) -> int:
    """Select an action by PUCT; `preferred` is the action of the heuristic policy."""
    number = count_bits(choices)
    first_play = first_play_value(tree, node, choices)
    exploration = settings.exploration * sqrt(tree.visits[node] + 1.0)
    best = -1
    highest = -1.0
    for place in range(number):
        action = nth_bit(choices, place)
        child = tree.children[node, action]
        tried = 0
        mean = first_play
        if child > 0:
            tried = tree.visits[child]
            mean = tree.value_sum[child] / tried
        prior = (1.0 - settings.policy_prior) / number
        if action == preferred:
            prior += settings.policy_prior
        score = mean + exploration * prior / (1.0 + tried)
        if score > highest:
            best, highest = action, score
    return best


@kernel
def win_share(position: Position, won: int, seat: int) -> float:
    """The result of a finished game for a seat's side: 1 for a win, a fraction for a shared win, 0 for a loss."""
    # All sides have the same number of seats, so counting seats is as good as counting sides.
    winning_seats = 0
    for other in range(position.players):
        if won >> other & 1 and side_of(position, other) == side_of(position, seat):
            winning_seats += 1
    return winning_seats / count_bits(won)


@kernel
def backpropagate(tree: Tree, depth: int, position: Position) -> None:
    """Add the result of the game to all nodes of the path."""
    won = winners(position)
    for place in range(depth):
        node = tree.path[place]
        tree.visits[node] += 1
        tree.value_sum[node] += win_share(position, won, tree.choosers[place])


@kernel
def iterate(
    position: Position, tree: Tree, unseen: Unseen, root: int, settings: SearchSettings, state: int
) -> int:
    """Run one iteration from a position without the unseen cards; return the next random state."""
    state = deal_unseen(position, unseen, state)
    node = root
    depth = 0
    inside = True
    # One loop for the descent and the playout, so that the rules are inlined only once.
    while position.question != OVER:
        choices = legal(position)
        state = next_state(state)
        action = nth_bit(choices, 0)
        if choices != 1 << action:
            action = heuristic_action(position, choices, state)
            state = next_state(next_state(state))
        if inside:
            action = select_action(tree, node, choices, action, settings)
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
    backpropagate(tree, depth, position)
    return state


def grow_records(
    base: Array, table: Array, tree: Tree, unseen: Unseen, root: int, settings: SearchSettings,
    iterations: int, state: int,
) -> int:  # fmt: skip
    """Run iterations from copies of one position; return the next random state."""
    position = table[0]
    for _ in range(iterations):
        table[0] = base[0]
        state = iterate(position, tree, unseen, root, settings, state)
    return state


def grow_compiled(
    start: Position, tree: Tree, unseen: Unseen, root: int, settings: SearchSettings, iterations: int,
    state: int,
) -> int:  # fmt: skip
    """Run iterations in compiled code; return the next random state."""
    base = to_records([start])
    return int(compiled(grow_records)(base, base.copy(), tree, unseen, root, settings, iterations, state))


def grow_interpreted(
    start: Position, tree: Tree, unseen: Unseen, root: int, settings: SearchSettings, iterations: int,
    state: int,
) -> int:  # fmt: skip
    """Run the same iterations in the interpreter."""
    for _ in range(iterations):
        state = iterate(start.copy(), tree, unseen, root, settings, state)
    return state
