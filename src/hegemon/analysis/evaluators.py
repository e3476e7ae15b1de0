"""Evaluators of positions and choices.

An evaluator uses only what a seat knows: its view and its memory. For the analysis with open hands, it gets the memory
of a seat that knows all hands.
"""

from collections import Counter
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from hegemon.bots.learned import EXPLORATION, GuidedKernel, Learned
from hegemon.kernels.guided import GuidedSettings
from hegemon.kernels.knowledge import KNOWLEDGE
from hegemon.kernels.network import NUM_ACTIONS, Network, outputs_of, softmax
from hegemon.kernels.observation import observation as observe
from hegemon.kernels.tree import ROOT
from hegemon.notation.choices import choices_in, read_choice
from hegemon.play.determinization import deal, unseen_cards
from hegemon.play.memory import Memory, Place
from hegemon.rules.actions import CHOICES
from hegemon.rules.engine import apply, legal
from hegemon.rules.piles import Cards
from hegemon.rules.position import Position, Question
from hegemon.rules.shuffle import stream
from hegemon.rules.victory import side_of, winners
from hegemon.rules.view import View

#: The expected share of the win of each seat's side.
Values = tuple[float, ...]

#: The minimum number of visits of a choice in the principal variation.
_MIN_VISITS: Final = 8
_MAX_LINE: Final = 12

# Priors that restrict a search to one choice at the root.
_ONLY: Final = 1e9
_NEVER: Final = 1e-9

#: The number of determinizations that the network evaluates.
_DETERMINIZATIONS: Final = 8

#: The maximum number of choices of other seats that it plays.
_MAX_STEPS: Final = 60


class InformationState(NamedTuple):
    """What a seat knows about a position, and the seat to move."""

    view: View
    memory: Memory
    mover: int


class BestLine(NamedTuple):
    line: tuple[str, ...]
    """The principal variation; it begins with the best choice."""
    value: float
    """The expected share of the win of the mover's side."""


class Evaluator(Protocol):
    def values(self, infostate: InformationState, iterations: int, seed: int) -> Values:
        """The expected share of the win of each seat's side."""
        ...

    def best(self, infostate: InformationState, iterations: int, seed: int) -> BestLine:
        """The best choice of the mover, with its line."""
        ...

    def value_after(self, infostate: InformationState, choice: str, iterations: int, seed: int) -> float:
        """The expected share of the win of the mover's side after a choice."""
        ...


def open_memory(position: Position, viewer: int) -> Memory:
    """The memory of a viewer who knows all hands."""
    memory = Memory(viewer, position.players)
    for seat in range(position.players):
        if seat != viewer:
            for place, piles in (
                (Place(seat), position.hands[seat]),
                (Place(seat, kept=True), position.kept[seat]),
            ):
                if cards := Counter(map(str, Cards.from_piles(piles))):
                    memory.certain[place] = cards
    return memory


def by_side(position: Position | View, values: list[float]) -> Values:
    """Sum the values of the seats of each side."""
    seats = range(position.players)
    sides = [side_of(position, seat) for seat in seats]  # type: ignore[arg-type]  # a view has the fields that are read
    return tuple(sum(values[other] for other in seats if sides[other] == sides[seat]) for seat in seats)


def final_values(position: Position) -> Values:
    """The share of the win of each seat's side in a finished game."""
    won = winners(position)
    seats = [seat for seat in range(position.players) if won >> seat & 1]
    return by_side(position, [float(seat in seats) / len(seats) for seat in range(position.players)])


class SearchEvaluator:
    """Evaluates by a search guided by the network."""

    def __init__(self, kernel: GuidedKernel) -> None:
        self._kernel = kernel
        self._grow = kernel.grow(wait=True)

    def _tree(self, infostate: InformationState, iterations: int, seed: int, only: str | None = None) -> Any:
        certain, unseen = unseen_cards(infostate.view, infostate.memory)
        certain.seat = infostate.mover
        deal(certain.copy(), unseen, stream(seed, 0))  # raises `Impossible` if the cards do not fit
        tree = self._kernel.tree(iterations + 2)
        if only is not None:
            tree.network_value[ROOT] = 0.5
            tree.priors[ROOT] = _NEVER
            tree.priors[ROOT, read_choice(only)] = _ONLY
        settings = GuidedSettings(EXPLORATION, 0.0)
        state = stream(seed, 0)
        self._grow(certain, tree, unseen.arrays(), ROOT, settings, iterations, state, infostate.view.viewer)
        return tree

    def values(self, infostate: InformationState, iterations: int, seed: int) -> Values:
        tree = self._tree(infostate, iterations, seed)
        return tuple((tree.total_values[: infostate.view.players] / max(1, tree.visits[ROOT])).tolist())

    def best(self, infostate: InformationState, iterations: int, seed: int) -> BestLine:
        tree = self._tree(infostate, iterations, seed)
        line: list[str] = []
        node = ROOT
        while len(line) < _MAX_LINE:
            children = tree.children[node]
            visits = np.where(children > 0, tree.visits[children], 0)
            action = int(visits.argmax())
            if visits[action] < (_MIN_VISITS if line else 1):
                break
            line.append(CHOICES[action])
            node = int(children[action])
        child = tree.children[ROOT, read_choice(line[0])]
        return BestLine(tuple(line), float(tree.value_sum[child] / tree.visits[child]))

    def value_after(self, infostate: InformationState, choice: str, iterations: int, seed: int) -> float:
        tree = self._tree(infostate, iterations, seed, only=choice)
        child = tree.children[ROOT, read_choice(choice)]
        return float(tree.value_sum[child] / tree.visits[child])


class NetworkEvaluator:
    """Evaluates with the bare network, without a search or Numba; `iterations` has no effect.

    The value of a choice is that of the position in which its seat is to move next.
    """

    def __init__(self, network: Network | None = None) -> None:
        self._bare = Learned(network=network)

    def _determinizations(
        self, infostate: InformationState, seed: int, choice: str | None = None
    ) -> list[Position]:
        certain, unseen = unseen_cards(infostate.view, infostate.memory)
        certain.seat = infostate.mover
        state, positions = stream(seed, 0), []
        for _ in range(_DETERMINIZATIONS):
            position = certain.copy()
            state = deal(position, unseen, state)
            if legal(position):
                if choice is not None:
                    apply(position, read_choice(choice))
                positions.append(position)
        return positions

    def _outputs(self, positions: list[Position]) -> Any:
        """The network outputs for positions, from the views of the seats to move."""
        rows = np.array([observe(position, position.seat, [0] * KNOWLEDGE) for position in positions])
        return outputs_of(self._bare.network, rows)

    def _mean_values(self, positions: list[Position]) -> Any:
        """The mean of the values from the views of the seats to move."""
        values = [
            np.array(final_values(position)) for position in positions if position.question == Question.OVER
        ]
        if others := [position for position in positions if position.question != Question.OVER]:
            rows = softmax(self._outputs(others)[:, NUM_ACTIONS : NUM_ACTIONS + others[0].players])
            values += [
                np.array(by_side(position, np.roll(row, position.seat).tolist()))
                for position, row in zip(others, rows, strict=True)
            ]
        return np.mean(values, axis=0)

    def _play_others(self, positions: list[Position], seat: int) -> None:
        """Play the choices of other seats until a seat is to move, because only then does the network see its hand."""
        for _ in range(_MAX_STEPS):
            others = [
                position
                for position in positions
                if position.seat != seat and position.question != Question.OVER
            ]
            if not others:
                return
            for position, logits in zip(others, self._outputs(others), strict=True):
                offered = [read_choice(choice) for choice in choices_in(legal(position))]
                apply(position, max(offered, key=logits.__getitem__))

    def values(self, infostate: InformationState, iterations: int, seed: int) -> Values:
        view, memory, mover = infostate
        if view.viewer == mover:
            return by_side(view, np.roll(self._bare.values(view, memory), mover).tolist())
        return tuple(self._mean_values(self._determinizations(infostate, seed)).tolist())

    def best(self, infostate: InformationState, iterations: int, seed: int) -> BestLine:
        choices = choices_in(legal(self._determinizations(infostate, seed)[0]))
        probabilities = self._bare.probabilities(infostate.view, infostate.memory, choices)
        best = max(choices, key=lambda choice: probabilities[choice])
        return BestLine((best,), self.value_after(infostate, best, iterations, seed))

    def value_after(self, infostate: InformationState, choice: str, iterations: int, seed: int) -> float:
        positions = self._determinizations(infostate, seed, choice)
        self._play_others(positions, infostate.mover)
        return float(self._mean_values(positions)[infostate.mover])
