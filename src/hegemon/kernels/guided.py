"""Search guided by the network: information-set Monte Carlo tree search with its policy and its expectations.

Every iteration imagines the unseen cards, walks down the one tree, and where it leaves it asks the network once: what
the seat to move there would choose, and what every seat may expect. Nothing is played out. The first iteration asks it
about the root as well, and goes on, so that any search ends with a choice.

The seats remember on the way down what the actions show. The searching seat begins with its own memory; what the others
remember it cannot know, so they begin with none.
"""

from functools import cached_property
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from hegemon.kernels.bits import count_bits, nth_bit
from hegemon.kernels.compiler import can_compile, compiled, kernel, kernel_not_inlined
from hegemon.kernels.dtype import to_records
from hegemon.kernels.imagination import Unseen, deal_unseen
from hegemon.kernels.knowledge import knowledge_at_root, remember
from hegemon.kernels.network import (
    ACTIONS,
    Activations,
    Array,
    Network,
    can_widen,
    evaluate,
    halved,
    to_probabilities,
)
from hegemon.kernels.observation import observe
from hegemon.kernels.tree import MAX_DEPTH, share_of_win
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import MAX_PLAYERS, OVER, Position
from hegemon.rules.victory import side_of, winners


class GuidedSettings(NamedTuple):
    exploration: float
    """The weight of actions that have not been tried often."""
    caution: float
    """How much less is expected of an action that was never tried, once all others were."""


class GuidedTree(NamedTuple):
    """The nodes of a search: one for every sequence of actions that was tried."""

    children: Array
    """The node that each action leads to; 0 where none does yet."""
    visits: Array
    value: Array
    """The sum of what the choosers of each node may expect of it, from 0 to 1 a visit."""
    size: Array
    """The number of nodes, in its only entry."""
    priors: Array
    """How likely the network takes each action; 0 for those that were not legal when the node was evaluated."""
    worth: Array
    """What the seat to move may expect, as the network sees it; below 0 where the node is not evaluated yet."""
    path: Array
    """Working memory: the nodes of the present iteration."""
    choosers: Array
    """Working memory: the seats that chose them."""
    shares: Array
    """Working memory: what every seat may expect of this iteration."""
    totals: Array
    """The sum of what every seat's side may expect, over all iterations."""

    @classmethod
    def of(cls, capacity: int) -> "GuidedTree":
        """A tree with only its root, and capacity for that many nodes."""
        return cls(
            children=np.zeros((capacity, ACTIONS), np.int32),
            visits=np.zeros(capacity, np.int32),
            value=np.zeros(capacity, np.float64),
            size=np.ones(1, np.int64),
            priors=np.zeros((capacity, ACTIONS), np.float32),
            worth=np.full(capacity, -1.0, np.float32),
            path=np.zeros(MAX_DEPTH, np.int32),
            choosers=np.zeros(MAX_DEPTH, np.int8),
            shares=np.zeros(MAX_PLAYERS, np.float64),
            totals=np.zeros(MAX_PLAYERS, np.float64),
        )


@kernel_not_inlined
def ask_network(
    position: Position, choices: int, known: Any, network: Network, memory: Activations
) -> None:  # fmt: skip
    """Leave in the outputs what the seat to move would choose, and what every seat may expect, from that seat on."""
    observe(memory.row, memory.words, position, position.seat, known, position.seat)
    evaluate(network, memory)
    to_probabilities(memory.outputs, 0, choices, ACTIONS, 1.0)
    to_probabilities(memory.outputs, ACTIONS, (1 << position.players) - 1, MAX_PLAYERS, 1.0)


@kernel
def expect_of_network(position: Position, tree: GuidedTree, outputs: Any) -> None:
    """Write down what every seat's side may expect, as the network said."""
    for seat in range(position.players):
        tree.shares[seat] = 0.0
    for left in range(position.players):
        seat = (position.seat + left) % position.players
        for other in range(position.players):
            if side_of(position, other) == side_of(position, seat):
                tree.shares[other] += outputs[ACTIONS + left]


@kernel
def expect_of_end(position: Position, tree: GuidedTree) -> None:
    """Write down what every seat's side got out of a finished game."""
    won = winners(position)
    for seat in range(position.players):
        tree.shares[seat] = share_of_win(position, won, seat)


@kernel
def action_of_guide(tree: GuidedTree, node: int, choices: int, settings: GuidedSettings) -> int:
    """The action to try next (PUCT): one that did well so far, or that the network likes and was tried little."""
    number = count_bits(choices)
    value = float(tree.worth[node])
    visits = 1
    tried_priors = 0.0
    for place in range(number):
        action = nth_bit(choices, place)
        child = tree.children[node, action]
        if child > 0:
            value += tree.value[child]
            visits += tree.visits[child]
            tried_priors += tree.priors[node, action]
    unknown = value / visits - settings.caution * sqrt(max(tried_priors, 0.0))
    curiosity = settings.exploration * sqrt(float(visits))
    best = -1
    highest = -1e9
    for place in range(number):
        action = nth_bit(choices, place)
        child = tree.children[node, action]
        tried = 0
        mean = unknown
        if child > 0 and tree.visits[child] > 0:
            tried = tree.visits[child]
            mean = tree.value[child] / tried
        prior = tree.priors[node, action]
        if prior == 0.0:
            prior = np.float32(1.0 / number)
        score = mean + curiosity * prior / (1.0 + tried)
        if score > highest:
            best, highest = action, score
    return best


@kernel
def iterate_guided(
    position: Position, known: Any, tree: GuidedTree, unseen: Unseen, root: int, network: Network, memory: Activations,
    settings: GuidedSettings, state: int,
) -> int:  # fmt: skip
    """One iteration from a position that holds what is certain; returns the next state of the generator."""
    state = deal_unseen(position, unseen, state)
    node = root
    depth = 0
    while True:
        if position.question == OVER:
            expect_of_end(position, tree)
            break
        choices = legal(position)
        if choices == 0:
            # The viewer is not to move, and imagined a hand that cannot answer the open question: not a visit.
            return state
        action = nth_bit(choices, 0)
        if choices != 1 << action:
            if tree.worth[node] < 0:
                ask_network(position, choices, known, network, memory)
                expect_of_network(position, tree, memory.outputs)
                tree.worth[node] = tree.shares[position.seat]
                for place in range(ACTIONS):
                    tree.priors[node, place] = memory.outputs[place]
                if node != root:
                    break
            action = action_of_guide(tree, node, choices, settings)
        child = tree.children[node, action]
        if child == 0:
            if tree.size[0] == len(tree.visits) or depth == MAX_DEPTH:
                # The tree is full, or too deep: no node is added for what the network says here.
                ask_network(position, choices, known, network, memory)
                expect_of_network(position, tree, memory.outputs)
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
        tree.totals[seat] += tree.shares[seat]
    for place in range(depth):
        tree.visits[tree.path[place]] += 1
        tree.value[tree.path[place]] += tree.shares[tree.choosers[place]]
    return state


def grow_guided_records(
    base: Array, table: Array, remembered: Array, tree: GuidedTree, unseen: Unseen, root: int, network: Network,
    memory: Activations, settings: GuidedSettings, iterations: int, state: int,
) -> int:  # fmt: skip
    """Grow a tree by a number of iterations, all from copies of one position; returns the next state."""
    position = table[0]
    known = remembered.copy()
    for _ in range(iterations):
        table[0] = base[0]
        known[:] = remembered
        state = iterate_guided(position, known, tree, unseen, root, network, memory, settings, state)
    return state


class Guide:
    """Grows trees by one network, compiled or interpreted."""

    def __init__(self, network: Network) -> None:
        self._given = network

    @cached_property
    def network(self) -> Network:
        """The network as its weights are read fastest."""
        return halved(self._given) if can_compile() and can_widen() else self._given

    def grow_compiled(
        self, start: Position, tree: GuidedTree, unseen: Unseen, root: int, settings: GuidedSettings,
        iterations: int, state: int, viewer: int | None = None,
    ) -> int:  # fmt: skip
        """Grow a tree for a viewer: the seat to move, unless another is given."""
        base = to_records([start])
        memory = Activations.of(self.network)
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
                memory,
                settings,
                iterations,
                state,
            )
        )

    def grow_interpreted(
        self, start: Position, tree: GuidedTree, unseen: Unseen, root: int, settings: GuidedSettings,
        iterations: int, state: int, viewer: int | None = None,
    ) -> int:  # fmt: skip
        memory = Activations.of(self.network)
        remembered = knowledge_at_root(start, unseen, start.seat if viewer is None else viewer)
        for _ in range(iterations):
            state = iterate_guided(
                start.copy(),
                remembered[:],
                tree,
                unseen,
                root,
                self.network,
                memory,
                settings,
                state,
            )
        return state
