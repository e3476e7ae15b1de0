"""Looks at one position: what every seat may expect of it, and of each choice.

A look gets what a seat knows, its view and its memory, and nothing else. For the story with open cards, it gets the
memory of a seat that knows all hands.
"""

from collections import Counter
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from hegemon.bots.learned import EXPLORATION, GuidedKernel, Learned
from hegemon.kernels.guided import GuidedSettings
from hegemon.kernels.knowledge import KNOWLEDGE
from hegemon.kernels.network import ACTIONS, Network, outputs_of, softmax
from hegemon.kernels.observation import observation as observe
from hegemon.kernels.tree import ROOT
from hegemon.notation.choices import choices_in, read_choice
from hegemon.play.imagine import deal, unseen_cards
from hegemon.play.memory import Memory, Place
from hegemon.rules.actions import CHOICES
from hegemon.rules.engine import apply, legal
from hegemon.rules.piles import Cards
from hegemon.rules.position import Position, Question
from hegemon.rules.shuffle import stream
from hegemon.rules.victory import side_of, winners
from hegemon.rules.view import View

Shares = tuple[float, ...]

#: A choice belongs to the expected line if it was tried at least this often.
_MIN_VISITS: Final = 8
_MAX_LINE: Final = 12

# Priors that let a search try one choice at its root, and no other.
_ONLY: Final = 1e9
_NEVER: Final = 1e-9

#: How many ways the hidden cards could lie the quick reading looks at.
_IMAGINED: Final = 8

#: How many choices of others it follows at most.
_MAX_STEPS: Final = 60


class Sight(NamedTuple):
    """What a seat knows of a position, and whose choice is next."""

    view: View
    memory: Memory
    mover: int


class Found(NamedTuple):
    """What a look found out about a position."""

    line: tuple[str, ...]
    """The choices to expect, the best one of the mover first."""
    share: float
    """The part of the win that the mover's side may expect."""


class Look(Protocol):
    """A way to look at positions."""

    def shares(self, sight: Sight, effort: int, seed: int) -> Shares:
        """The part of the win that each seat's side may expect."""
        ...

    def best(self, sight: Sight, effort: int, seed: int) -> Found:
        """The best choice of the mover, and what follows."""
        ...

    def share_after(self, sight: Sight, choice: str, effort: int, seed: int) -> float:
        """The part of the win that the mover's side may expect after a choice."""
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


def by_side(position: Position | View, shares: list[float]) -> Shares:
    """What each seat's side may expect, from what each seat may."""
    seats = range(position.players)
    sides = [side_of(position, seat) for seat in seats]  # type: ignore[arg-type]  # a view has what it reads
    return tuple(sum(shares[other] for other in seats if sides[other] == sides[seat]) for seat in seats)


def shares_at_end(position: Position) -> Shares:
    """What each seat's side got out of a finished game."""
    won = winners(position)
    seats = [seat for seat in range(position.players) if won >> seat & 1]
    return by_side(position, [float(seat in seats) / len(seats) for seat in range(position.players)])


class SearchLook:
    """Looks by a search that the network guides; the effort is its number of iterations."""

    def __init__(self, kernel: GuidedKernel) -> None:
        self._kernel = kernel
        self._grow = kernel.grow(patient=True)

    def _tree(self, sight: Sight, effort: int, seed: int, only: str | None = None) -> Any:
        certain, unseen = unseen_cards(sight.view, sight.memory)
        certain.seat = sight.mover
        deal(certain.copy(), unseen, stream(seed, 0))  # finds what does not fit
        tree = self._kernel.tree(effort + 2)
        if only is not None:
            tree.worth[ROOT] = 0.5
            tree.priors[ROOT] = _NEVER
            tree.priors[ROOT, read_choice(only)] = _ONLY
        settings = GuidedSettings(EXPLORATION, 0.0)
        state = stream(seed, 0)
        self._grow(certain, tree, unseen.arrays(), ROOT, settings, effort, state, sight.view.viewer)
        return tree

    def shares(self, sight: Sight, effort: int, seed: int) -> Shares:
        tree = self._tree(sight, effort, seed)
        return tuple((tree.totals[: sight.view.players] / max(1, tree.visits[ROOT])).tolist())

    def best(self, sight: Sight, effort: int, seed: int) -> Found:
        tree = self._tree(sight, effort, seed)
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
        return Found(tuple(line), float(tree.value[child] / tree.visits[child]))

    def share_after(self, sight: Sight, choice: str, effort: int, seed: int) -> float:
        tree = self._tree(sight, effort, seed, only=choice)
        child = tree.children[ROOT, read_choice(choice)]
        return float(tree.value[child] / tree.visits[child])


class QuickLook:
    """Looks with the bare network, without search and without Numba; effort makes no difference.

    What a choice is worth is what its seat expects when it is to move next.
    """

    def __init__(self, network: Network | None = None) -> None:
        self._bare = Learned(network=network)

    def _imagined(self, sight: Sight, seed: int, choice: str | None = None) -> list[Position]:
        certain, unseen = unseen_cards(sight.view, sight.memory)
        certain.seat = sight.mover
        state, found = stream(seed, 0), []
        for _ in range(_IMAGINED):
            position = certain.copy()
            state = deal(position, unseen, state)
            if legal(position):
                if choice is not None:
                    apply(position, read_choice(choice))
                found.append(position)
        return found

    def _outputs(self, positions: list[Position]) -> Any:
        """What the network says about positions, as the seats to move see them."""
        rows = np.array([observe(position, position.seat, [0] * KNOWLEDGE) for position in positions])
        return outputs_of(self._bare.network, rows)

    def _mean(self, positions: list[Position]) -> Any:
        """The mean of what the seats to move in some positions expect there."""
        found = [
            np.array(shares_at_end(position)) for position in positions if position.question == Question.OVER
        ]
        if others := [position for position in positions if position.question != Question.OVER]:
            expected = softmax(self._outputs(others)[:, ACTIONS : ACTIONS + others[0].players])
            found += [
                np.array(by_side(position, np.roll(row, position.seat).tolist()))
                for position, row in zip(others, expected, strict=True)
            ]
        return np.mean(found, axis=0)

    def _let_others_choose(self, positions: list[Position], seat: int) -> None:
        """Go on until a seat is to move: only then does the network see all that this seat knows."""
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

    def shares(self, sight: Sight, effort: int, seed: int) -> Shares:
        view, memory, mover = sight
        if view.viewer == mover:
            return by_side(view, np.roll(self._bare.expected(view, memory), mover).tolist())
        return tuple(self._mean(self._imagined(sight, seed)).tolist())

    def best(self, sight: Sight, effort: int, seed: int) -> Found:
        choices = choices_in(legal(self._imagined(sight, seed)[0]))
        odds = self._bare.odds(sight.view, sight.memory, choices)
        best = max(choices, key=lambda choice: odds[choice])
        return Found((best,), self.share_after(sight, best, effort, seed))

    def share_after(self, sight: Sight, choice: str, effort: int, seed: int) -> float:
        positions = self._imagined(sight, seed, choice)
        self._let_others_choose(positions, sight.mover)
        return float(self._mean(positions)[sight.mover])
