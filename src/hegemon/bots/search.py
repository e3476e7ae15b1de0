"""A bot that searches: it imagines the hidden cards over and over, and tries what follows from each choice.

It gets what every player gets, the view, the memory and the choices, and nothing else. The search itself is compiled
and releases the interpreter lock: many of these bots can think at once in one program.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from threading import Event
from typing import Any, Final

from hegemon.bots.search_kernel import SEARCH_KERNEL, SearchKernel
from hegemon.kernels.imagination import Unseen
from hegemon.kernels.policy import heuristic_action
from hegemon.notation.choices import read_choice
from hegemon.play.imagine import Impossible, deal, position_to_move, unseen_cards
from hegemon.play.memory import Memory
from hegemon.rules.actions import CHOICES, END
from hegemon.rules.engine import apply
from hegemon.rules.position import Position
from hegemon.rules.shuffle import next_state, stream
from hegemon.rules.view import View

#: The capacity of a tree; a search that goes on longer learns more about these nodes.
MAX_NODES: Final = 1 << 17

#: The search checks the clock after this many iterations, or after fewer if they would take longer than the interval.
ITERATIONS_PER_CHECK: Final = 32
CHECK_INTERVAL: Final = 0.002

#: The part of the time left in a turn that one choice may take: the first of a turn matters most.
PART_OF_TURN: Final = 0.5

# Seconds that are left for the answer itself.
_OVERHEAD: Final = 0.001

_MAX_LINE: Final = 20


@dataclass(frozen=True)
class Opinion:
    """What a search found out about one choice."""

    choice: str
    visits: int
    expected: float
    """The part of the win that it expects, from 0 to 1."""


@dataclass(frozen=True)
class Thoughts:
    """Why a search chose what it chose."""

    opinions: tuple[Opinion, ...]
    """Every choice that it tried, the best first."""
    line: tuple[str, ...]
    """The choices that it expects to follow, its own first."""
    iterations: int
    seconds: float

    @property
    def choice(self) -> str:
        return self.opinions[0].choice

    def _repr_html_(self) -> str:
        """A notebook's picture: what the search expects of each choice, and how often it tried it."""
        from hegemon.views.drawing import draw_bars  # only notebooks need it

        rows = [(one.choice, one.expected, f"{one.visits} visits") for one in self.opinions]
        return draw_bars(rows, f"{self.iterations} iterations. Expected: {' '.join(self.line)}")


def turn_of(view: View) -> tuple[int, int, int]:
    """What all choices of a turn have in common; in the draft, a pick is a turn."""
    return view.round, view.seat, len(view.kept)


class Search:
    """Information-set Monte Carlo tree search for two to four players and for teams.

    It ends after `iterations` or `seconds`, whichever comes first, and earlier where no other choice could still catch
    up. All choices of a turn together take at most `turn_seconds`. Unless the seconds run out, the same seed gives the
    same choices on every machine.
    """

    def __init__(
        self,
        seed: int = 0,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        turn_seconds: float | None = None,
        exploration: float = 1.0,
        trust: float = 0.3,
        clock: Callable[[], float] = time.perf_counter,
        kernel: SearchKernel = SEARCH_KERNEL,
    ) -> None:
        if iterations is None and seconds is None and turn_seconds is None:
            iterations = 2000
        if iterations is not None and iterations < 1:
            raise ValueError(f"a search takes 1 iteration or more, not {iterations}")
        for limit in (seconds, turn_seconds):
            if limit is not None and not 0 < limit < inf:
                raise ValueError(f"a search takes some seconds, not {limit}")
        self.iterations = iterations
        self.seconds = seconds
        self.turn_seconds = turn_seconds
        self.exploration = exploration
        self.trust = trust
        self.clock = clock
        self.thoughts: Thoughts | None = None
        self.kernel = kernel
        self._state = stream(seed, 0)
        self._stop = Event()
        self._tree: _TurnTree | None = None
        self._turn: tuple[int, ...] = ()
        self._seconds_left = 0.0
        self._limit = seconds

    def stop(self) -> None:
        """End the running search at once; it answers with what it knows by then."""
        self._stop.set()

    def continue_turn(self, view: View, seconds: float) -> None:
        """Take into account that earlier choices in the turn of a view, made elsewhere, have taken some seconds."""
        if self.turn_seconds is not None:
            self._turn, self._seconds_left = turn_of(view), self.turn_seconds - seconds

    def choose(self, view: View, memory: Memory, choices: tuple[str, ...]) -> str:
        choice = choices[0] if len(choices) == 1 else self.think(view, memory, choices).choice
        if self._tree is not None:
            self._tree.follow(read_choice(choice), position_to_move(view))
            if read_choice(choice) == END:
                self._tree = None
        return choice

    def think(self, view: View, memory: Memory, choices: tuple[str, ...]) -> Thoughts:
        """Search without choosing."""
        began = self.clock()
        self._stop.clear()
        self._limit = self._limit_in(view)
        position = position_to_move(view)
        try:
            certain, unseen = unseen_cards(view, memory)
            certain.seat = view.viewer
            deal(certain.copy(), unseen, 1)  # finds what does not fit, before anything is compiled
        except Impossible:
            # A study that no cards of the game could make can be judged, but not imagined.
            self.thoughts = self._glance(position, choices)
            return self.thoughts
        unseen = unseen.arrays()
        tree = self._tree
        if tree is None or not tree.reaches(position):
            tree = self._tree = _TurnTree(self.kernel, self.iterations)
        iterations = 0
        while not self._is_enough(tree, choices, iterations, self.clock() - began):
            portion = self._portion(iterations, self.clock() - began)
            self._grow(tree, certain, unseen, portion)
            iterations += portion
        self.thoughts = tree.thoughts(choices, iterations, self.clock() - began)
        self._seconds_left -= self.thoughts.seconds
        return self.thoughts

    def _limit_in(self, view: View) -> float | None:
        """The seconds for the next choice, in the turn of a view."""
        if self.turn_seconds is None:
            return self.seconds
        if (turn := turn_of(view)) != self._turn:
            self._turn, self._seconds_left = turn, self.turn_seconds
        return min(self.seconds or inf, PART_OF_TURN * max(0.0, self._seconds_left))

    def _grow(self, tree: "_TurnTree", certain: Position, unseen: Unseen, iterations: int) -> None:
        grow = self.kernel.grow(patient=self._limit is None)
        settings = self._settings(certain)
        self._state = grow(certain, tree.tree, unseen, tree.root, settings, iterations, self._state)

    def _settings(self, position: Position) -> Any:
        """The settings of the kernel at the table of a position."""
        from hegemon.kernels.tree import SearchSettings

        return SearchSettings(self.exploration, self.trust)

    def _glance(self, position: Position, choices: tuple[str, ...]) -> Thoughts:
        """The choice of the heuristic policy, without any search."""
        for _ in range(3):
            self._state = next_state(self._state)
        offered = sum(1 << read_choice(choice) for choice in choices)
        choice = CHOICES[heuristic_action(position, offered, self._state)]
        return Thoughts((Opinion(choice, 0, 0.5),), (choice,), 0, 0.0)

    def _portion(self, iterations: int, seconds: float) -> int:
        """The number of iterations before the next check of the clock."""
        # Checks come at the same iterations on every machine, so that an early end depends on no clock.
        portion = ITERATIONS_PER_CHECK - iterations % ITERATIONS_PER_CHECK
        if self.iterations is not None:
            portion = min(portion, self.iterations - iterations)
        if self._limit is not None:
            # The first one shows how long they take. Some clocks stand still for a while: then one more.
            affordable = int(iterations * CHECK_INTERVAL / seconds) if seconds > 0 else 1
            portion = max(1, min(portion, affordable))
        return portion

    def _is_enough(
        self, tree: "_TurnTree", choices: tuple[str, ...], iterations: int, seconds: float
    ) -> bool:
        """Whether to end: stopped, out of time or iterations, or no other choice could still catch up."""
        if iterations == 0:
            return False  # one iteration is made even in no time at all
        if self._stop.is_set() or (self._limit is not None and seconds > self._limit - _OVERHEAD):
            return True
        if self.iterations is not None:
            left = float(self.iterations - iterations)
        else:
            assert self._limit is not None
            left = iterations * (self._limit - seconds) / seconds if seconds > 0 else inf
        return left <= 0 or (iterations % ITERATIONS_PER_CHECK == 0 and tree.lead(choices) > left)


class _TurnTree:
    """The tree of one turn, and the node that the turn has come to."""

    def __init__(self, kernel: SearchKernel, iterations: int | None) -> None:
        from hegemon.kernels.tree import ROOT

        # A few searches may share one tree within a turn.
        self.tree = kernel.tree(MAX_NODES if iterations is None else min(MAX_NODES, 8 * iterations + 8))
        self.root = ROOT
        self.expected: Position | None = None

    def follow(self, action: int, position: Position) -> None:
        self.root = int(self.tree.children[self.root, action])
        apply(position, action)
        self.expected = position

    def reaches(self, position: Position) -> bool:
        """Whether the tree has this position and capacity to grow on.

        Only the followed action may have come between, and nothing hidden may have been shown: otherwise the tree below
        was grown for other cards.
        """
        full = 2 * int(self.tree.size[0]) > len(self.tree.visits)
        return self.root > 0 and not full and self.expected == position

    def visits(self, choice: str) -> int:
        child = self.tree.children[self.root, read_choice(choice)]
        return int(self.tree.visits[child]) if child else 0

    def lead(self, choices: tuple[str, ...]) -> int:
        """By how many visits the first choice leads the second."""
        second, first = sorted(self.visits(choice) for choice in choices)[-2:]
        return first - second

    def thoughts(self, choices: tuple[str, ...], iterations: int, seconds: float) -> Thoughts:
        opinions = []
        for choice in choices:
            if visits := self.visits(choice):
                child = self.tree.children[self.root, read_choice(choice)]
                opinions.append(Opinion(choice, visits, float(self.tree.value[child]) / visits))
        opinions.sort(key=lambda opinion: (-opinion.visits, -opinion.expected))
        return Thoughts(tuple(opinions), self._line(), iterations, seconds)

    def _line(self) -> tuple[str, ...]:
        line: list[str] = []
        node = self.root
        while len(line) < _MAX_LINE:
            children = self.tree.children[node]
            visits = [int(self.tree.visits[child]) if child else 0 for child in children]
            if not any(visits):
                break
            action = visits.index(max(visits))
            line.append(CHOICES[action])
            node = int(children[action])
        return tuple(line)
