"""Information-set Monte Carlo tree search guided by the network's policy and values.

Each iteration samples a determinization, descends the tree, and evaluates the network once at the leaf: there are no
playouts. The first iteration evaluates the root and then a leaf below it, so that even a search of one iteration has a
choice.

The seats' memories are updated during the descent. The searching seat starts with its own memory, the others without
any, because theirs are unknown.
"""

from functools import cached_property
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from hegemon.kernels.bits import count_bits, nth_bit
from hegemon.kernels.compiler import can_compile, compiled, kernel, kernel_not_inlined
from hegemon.kernels.determinization import Unseen, deal_unseen
from hegemon.kernels.dtype import to_records
from hegemon.kernels.knowledge import knowledge_at_root, remember
from hegemon.kernels.network import (
    NUM_ACTIONS,
    Activations,
    Array,
    Network,
    evaluate,
    has_half_precision,
    to_half_precision,
    to_probabilities,
)
from hegemon.kernels.observation import observe
from hegemon.kernels.tree import MAX_DEPTH, win_share
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import MAX_PLAYERS, OVER, Position
from hegemon.rules.victory import side_of, winners


class GuidedSettings(NamedTuple):
    exploration: float
    """The PUCT constant."""
    fpu_reduction: float
    """The first-play urgency reduction: how much lower an action without visits is valued when all others have some."""


class GuidedTree(NamedTuple):
    """The nodes of a search, one for each sequence of actions."""

    children: Array
    """The child node of each action, or 0."""
    visits: Array
    value_sum: Array
    """The sum over all visits of the value for the seat that chose the node, each from 0 to 1."""
    size: Array
    """The number of nodes: an array with one entry."""
    priors: Array
    """The network's probability of each action; 0 for actions that were illegal when the node was evaluated."""
    network_value: Array
    """The network's value for the seat to move; negative if the node has not been evaluated."""
    path: Array
    """Scratch memory: the nodes of the current iteration."""
    choosers: Array
    """Scratch memory: the seats that chose them."""
    values: Array
    """Scratch memory: the value of the current iteration for each seat."""
    total_values: Array
    """The sum of the values of all iterations for each seat."""

    @classmethod
    def of(cls, capacity: int) -> "GuidedTree":
        """An empty tree with capacity for that many nodes."""
        return cls(
            children=np.zeros((capacity, NUM_ACTIONS), np.int32),
            visits=np.zeros(capacity, np.int32),
            value_sum=np.zeros(capacity, np.float64),
            size=np.ones(1, np.int64),
            priors=np.zeros((capacity, NUM_ACTIONS), np.float32),
            network_value=np.full(capacity, -1.0, np.float32),
            path=np.zeros(MAX_DEPTH, np.int32),
            choosers=np.zeros(MAX_DEPTH, np.int8),
            values=np.zeros(MAX_PLAYERS, np.float64),
            total_values=np.zeros(MAX_PLAYERS, np.float64),
        )


@kernel_not_inlined
def evaluate_position(
    position: Position, choices: int, known: Any, network: Network, activations: Activations
) -> None:  # fmt: skip
    """Write the policy and the win shares to the outputs, both from the view of the seat to move."""
    observe(activations.row, activations.words, position, position.seat, known, position.seat)
    evaluate(network, activations)
    to_probabilities(activations.outputs, 0, choices, NUM_ACTIONS, 1.0)
    to_probabilities(activations.outputs, NUM_ACTIONS, (1 << position.players) - 1, MAX_PLAYERS, 1.0)


@kernel
def set_network_values(position: Position, tree: GuidedTree, outputs: Any) -> None:
    """Set the values of the iteration to the network's win shares, summed over each side."""
    for seat in range(position.players):
        tree.values[seat] = 0.0
    for left in range(position.players):
        seat = (position.seat + left) % position.players
        for other in range(position.players):
            if side_of(position, other) == side_of(position, seat):
                tree.values[other] += outputs[NUM_ACTIONS + left]


@kernel
def set_final_values(position: Position, tree: GuidedTree) -> None:
    """Set the values of the iteration to the result of a finished game."""
    won = winners(position)
    for seat in range(position.players):
        tree.values[seat] = win_share(position, won, seat)


@kernel
def select_action(tree: GuidedTree, node: int, choices: int, settings: GuidedSettings) -> int:
    """Select an action by PUCT."""
    number = count_bits(choices)
    value = float(tree.network_value[node])
    visits = 1
    visited_priors = 0.0
    for place in range(number):
        action = nth_bit(choices, place)
        child = tree.children[node, action]
        if child > 0:
            value += tree.value_sum[child]
            visits += tree.visits[child]
            visited_priors += tree.priors[node, action]
    first_play = value / visits - settings.fpu_reduction * sqrt(max(visited_priors, 0.0))
    exploration = settings.exploration * sqrt(float(visits))
    best = -1
    highest = -1e9
    for place in range(number):
        action = nth_bit(choices, place)
        child = tree.children[node, action]
        tried = 0
        mean = first_play
        if child > 0 and tree.visits[child] > 0:
            tried = tree.visits[child]
            mean = tree.value_sum[child] / tried
        prior = tree.priors[node, action]
        if prior == 0.0:
            prior = np.float32(1.0 / number)
        score = mean + exploration * prior / (1.0 + tried)
        if score > highest:
            best, highest = action, score
    return best


@kernel
def iterate_guided(
    position: Position, known: Any, tree: GuidedTree, unseen: Unseen, root: int, network: Network,
    activations: Activations, settings: GuidedSettings, state: int,
) -> int:  # fmt: skip
    """Run one iteration from a position without the unseen cards; return the next random state."""
    state = deal_unseen(position, unseen, state)
    node = root
    depth = 0
    while True:
        if position.question == OVER:
            set_final_values(position, tree)
            break
        choices = legal(position)
        if choices == 0:
            # In this determinization, the hand of another seat cannot answer the open question: not a visit.
            return state
        action = nth_bit(choices, 0)
        if choices != 1 << action:
            if tree.network_value[node] < 0:
                evaluate_position(position, choices, known, network, activations)
                set_network_values(position, tree, activations.outputs)
                tree.network_value[node] = tree.values[position.seat]
                for place in range(NUM_ACTIONS):
                    tree.priors[node, place] = activations.outputs[place]
                if node != root:
                    break
            action = select_action(tree, node, choices, settings)
        child = tree.children[node, action]
        if child == 0:
            if tree.size[0] == len(tree.visits) or depth == MAX_DEPTH:
                # The tree is full or too deep: evaluate the position without adding a node.
                evaluate_position(position, choices, known, network, activations)
                set_network_values(position, tree, activations.outputs)
                break
            child = tree.size[0]
            tree.size[0] += 1
            tree.children[node, action] = child
        tree.path[depth] = child
        tree.choosers[depth] = position.seat
        depth += 1
        node = child
        remember(known, 0, position, action)
        apply(position, action)
    tree.visits[root] += 1
    for seat in range(position.players):
        tree.total_values[seat] += tree.values[seat]
    for place in range(depth):
        tree.visits[tree.path[place]] += 1
        tree.value_sum[tree.path[place]] += tree.values[tree.choosers[place]]
    return state


def grow_guided_records(
    base: Array, table: Array, root_knowledge: Array, tree: GuidedTree, unseen: Unseen, root: int, network: Network,
    activations: Activations, settings: GuidedSettings, iterations: int, state: int,
) -> int:  # fmt: skip
    """Run iterations from copies of one position; return the next random state."""
    position = table[0]
    known = root_knowledge.copy()
    for _ in range(iterations):
        table[0] = base[0]
        known[:] = root_knowledge
        state = iterate_guided(position, known, tree, unseen, root, network, activations, settings, state)
    return state


class Guide:
    """Grows trees with one network, compiled or interpreted."""

    def __init__(self, network: Network) -> None:
        self._given = network

    @cached_property
    def network(self) -> Network:
        """The network in the precision that is fastest to read."""
        return to_half_precision(self._given) if can_compile() and has_half_precision() else self._given

    def grow_compiled(
        self, start: Position, tree: GuidedTree, unseen: Unseen, root: int, settings: GuidedSettings,
        iterations: int, state: int, viewer: int | None = None,
    ) -> int:  # fmt: skip
        """Run iterations for a viewer, by default the seat to move."""
        base = to_records([start])
        activations = Activations.of(self.network)
        grow = compiled(grow_guided_records)
        return int(
            grow(
                base,
                base.copy(),
                np.array(knowledge_at_root(start, unseen, start.seat if viewer is None else viewer)),
                tree,
                unseen,
                root,
                self.network,
                activations,
                settings,
                iterations,
                state,
            )
        )

    def grow_interpreted(
        self, start: Position, tree: GuidedTree, unseen: Unseen, root: int, settings: GuidedSettings,
        iterations: int, state: int, viewer: int | None = None,
    ) -> int:  # fmt: skip
        activations = Activations.of(self.network)
        root_knowledge = knowledge_at_root(start, unseen, start.seat if viewer is None else viewer)
        for _ in range(iterations):
            state = iterate_guided(
                start.copy(),
                root_knowledge[:],
                tree,
                unseen,
                root,
                self.network,
                activations,
                settings,
                state,
            )
        return state
