"""A bot with an information-set Monte Carlo tree search.

The search is compiled and releases the interpreter lock, so several bots can search in parallel threads.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from threading import Event
from typing import Any, Final

from hegemon.bots.search_kernel import SEARCH_KERNEL, SearchKernel
from hegemon.kernels.determinization import Unseen
from hegemon.kernels.policy import heuristic_action
from hegemon.notation.choices import read_choice
from hegemon.play.determinization import Impossible, deal, position_to_move, unseen_cards
from hegemon.play.memory import Memory
from hegemon.rules.actions import CHOICES, END
from hegemon.rules.engine import apply
from hegemon.rules.position import Position
from hegemon.rules.shuffle import next_state, stream
from hegemon.rules.view import View

#: The maximum number of nodes of a tree; further iterations refine these.
MAX_NODES: Final = 1 << 17

#: The search checks the clock after this many iterations, or after as many as fit into the interval if those are fewer.
ITERATIONS_PER_CHECK: Final = 32
CHECK_INTERVAL: Final = 0.002

#: The fraction of the remaining time of a turn that one choice may take; the first choice of a turn matters most.
FRACTION_OF_TURN: Final = 0.5

# Seconds reserved for returning the result.
_OVERHEAD: Final = 0.001

_MAX_LINE: Final = 20


@dataclass(frozen=True)
class Evaluation:
    """The evaluation of one choice by a search."""

    choice: str
    visits: int
    value: float
    """The expected share of the win, from 0 to 1."""


@dataclass(frozen=True)
class SearchResult:
    """The result of a search."""

    evaluations: tuple[Evaluation, ...]
    """The choices that were tried, best first."""
    line: tuple[str, ...]
    """The principal variation."""
    iterations: int
    seconds: float

    @property
    def choice(self) -> str:
        return self.evaluations[0].choice

    def _repr_html_(self) -> str:
        """A bar chart for notebooks: the value and the visits of each choice."""
        from hegemon.views.drawing import draw_bars  # only notebooks need it

        rows = [(one.choice, one.value, f"{one.visits} visits") for one in self.evaluations]
        return draw_bars(rows, f"{self.iterations} iterations. Expected: {' '.join(self.line)}")


def turn_id(view: View) -> tuple[int, int, int]:
    """A key for the turn of a view; in the draft, each pick is a turn."""
    return view.round, view.seat, len(view.kept)


class Search:
    """Information-set Monte Carlo tree search for two to four players and for teams.

    A search ends after `iterations` or `seconds`, whichever comes first, or when no other choice can overtake the best
    one in visits. All choices of a turn together take at most `turn_seconds`. If no time limit is reached, a seed gives
    the same choices on every machine.
    """

    def __init__(
        self,
        seed: int = 0,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        turn_seconds: float | None = None,
        exploration: float = 1.0,
        policy_prior: float = 0.3,
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
        self.policy_prior = policy_prior
        self.clock = clock
        self.result: SearchResult | None = None
        self.kernel = kernel
        self._state = stream(seed, 0)
        self._stop = Event()
        self._tree: _TurnTree | None = None
        self._turn: tuple[int, ...] = ()
        self._seconds_left = 0.0
        self._limit = seconds

    def stop(self) -> None:
        """Stop the running search; it returns its result so far."""
        self._stop.set()

    def continue_turn(self, view: View, seconds: float) -> None:
        """Deduct seconds that earlier choices of this turn took in another process."""
        if self.turn_seconds is not None:
            self._turn, self._seconds_left = turn_id(view), self.turn_seconds - seconds

    def choose(self, view: View, memory: Memory, choices: tuple[str, ...]) -> str:
        choice = choices[0] if len(choices) == 1 else self.analyze(view, memory, choices).choice
        if self._tree is not None:
            self._tree.follow(read_choice(choice), position_to_move(view))
            if read_choice(choice) == END:
                self._tree = None
        return choice

    def analyze(self, view: View, memory: Memory, choices: tuple[str, ...]) -> SearchResult:
        """Search without committing to a choice."""
        started = self.clock()
        self._stop.clear()
        self._limit = self._time_limit(view)
        position = position_to_move(view)
        try:
            certain, unseen = unseen_cards(view, memory)
            certain.seat = view.viewer
            deal(certain.copy(), unseen, 1)  # raises `Impossible` before anything is compiled
        except Impossible:
            # A study position may need more cards than exist; it cannot be determinized.
            self.result = self._heuristic_result(position, choices)
            return self.result
        unseen = unseen.arrays()
        tree = self._tree
        if tree is None or not tree.is_reusable_at(position):
            tree = self._tree = _TurnTree(self.kernel, self.iterations)
        iterations = 0
        while not self._is_done(tree, choices, iterations, self.clock() - started):
            chunk = self._next_chunk(iterations, self.clock() - started)
            self._grow(tree, certain, unseen, chunk)
            iterations += chunk
        self.result = tree.result(choices, iterations, self.clock() - started)
        self._seconds_left -= self.result.seconds
        return self.result

    def _time_limit(self, view: View) -> float | None:
        """The time limit of the next choice, in seconds."""
        if self.turn_seconds is None:
            return self.seconds
        if (turn := turn_id(view)) != self._turn:
            self._turn, self._seconds_left = turn, self.turn_seconds
        return min(self.seconds or inf, FRACTION_OF_TURN * max(0.0, self._seconds_left))

    def _grow(self, tree: "_TurnTree", certain: Position, unseen: Unseen, iterations: int) -> None:
        grow = self.kernel.grow(wait=self._limit is None)
        settings = self._settings(certain)
        self._state = grow(certain, tree.tree, unseen, tree.root, settings, iterations, self._state)

    def _settings(self, position: Position) -> Any:
        """The settings of the kernel for a position."""
        from hegemon.kernels.tree import SearchSettings

        return SearchSettings(self.exploration, self.policy_prior)

    def _heuristic_result(self, position: Position, choices: tuple[str, ...]) -> SearchResult:
        """The choice of the heuristic policy, without any search."""
        for _ in range(3):
            self._state = next_state(self._state)
        offered = sum(1 << read_choice(choice) for choice in choices)
        choice = CHOICES[heuristic_action(position, offered, self._state)]
        return SearchResult((Evaluation(choice, 0, 0.5),), (choice,), 0, 0.0)

    def _next_chunk(self, iterations: int, seconds: float) -> int:
        """The number of iterations until the next check of the clock."""
        # Checks happen at the same iterations on every machine, so that stopping early does not depend on the clock.
        chunk = ITERATIONS_PER_CHECK - iterations % ITERATIONS_PER_CHECK
        if self.iterations is not None:
            chunk = min(chunk, self.iterations - iterations)
        if self._limit is not None:
            # The first iteration measures how long they take; a coarse clock may need more than one.
            affordable = int(iterations * CHECK_INTERVAL / seconds) if seconds > 0 else 1
            chunk = max(1, min(chunk, affordable))
        return chunk

    def _is_done(self, tree: "_TurnTree", choices: tuple[str, ...], iterations: int, seconds: float) -> bool:
        """Whether the search was stopped, has reached a limit, or cannot change its choice any more."""
        if iterations == 0:
            return False  # at least one iteration is needed for a result
        if self._stop.is_set() or (self._limit is not None and seconds > self._limit - _OVERHEAD):
            return True
        if self.iterations is not None:
            remaining = float(self.iterations - iterations)
        else:
            assert self._limit is not None
            remaining = iterations * (self._limit - seconds) / seconds if seconds > 0 else inf
        return remaining <= 0 or (iterations % ITERATIONS_PER_CHECK == 0 and tree.lead(choices) > remaining)


class _TurnTree:
    """The tree of one turn, with the node of the current position as its root."""

    def __init__(self, kernel: SearchKernel, iterations: int | None) -> None:
        from hegemon.kernels.tree import ROOT

        # The searches of a turn share one tree.
        self.tree = kernel.tree(MAX_NODES if iterations is None else min(MAX_NODES, 8 * iterations + 8))
        self.root = ROOT
        self.position: Position | None = None

    def follow(self, action: int, position: Position) -> None:
        self.root = int(self.tree.children[self.root, action])
        apply(position, action)
        self.position = position

    def is_reusable_at(self, position: Position) -> bool:
        """Whether the tree can be reused for a position: its root is the position, and it has capacity left.

        If hidden cards have been revealed since, the subtree was grown for other cards.
        """
        is_full = 2 * int(self.tree.size[0]) > len(self.tree.visits)
        return self.root > 0 and not is_full and self.position == position

    def visits(self, choice: str) -> int:
        child = self.tree.children[self.root, read_choice(choice)]
        return int(self.tree.visits[child]) if child else 0

    def lead(self, choices: tuple[str, ...]) -> int:
        """The difference in visits between the best choice and the second best."""
        second, first = sorted(self.visits(choice) for choice in choices)[-2:]
        return first - second

    def result(self, choices: tuple[str, ...], iterations: int, seconds: float) -> SearchResult:
        evaluations = []
        for choice in choices:
            if visits := self.visits(choice):
                child = self.tree.children[self.root, read_choice(choice)]
                evaluations.append(Evaluation(choice, visits, float(self.tree.value_sum[child]) / visits))
        evaluations.sort(key=lambda evaluation: (-evaluation.visits, -evaluation.value))
        return SearchResult(tuple(evaluations), self._principal_variation(), iterations, seconds)

    def _principal_variation(self) -> tuple[str, ...]:
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
