"""A bot that thinks: it imagines the hidden cards over and over, and searches what follows from each choice.

It gets what every player gets, the view, the memory and the choices, and nothing else. The search itself is compiled
and leaves the interpreter free, so that many of these bots can think at once in one program.
"""

import time
from dataclasses import dataclass
from math import inf
from threading import Event
from typing import TYPE_CHECKING, Final

from hegemon.bots.search_kernel import SEARCH_KERNEL
from hegemon.bots.unseen import asked_position, hidden_cards
from hegemon.notation.choices import choices_in, read_choice
from hegemon.play.imagine import Impossible
from hegemon.play.memory import Memory
from hegemon.rules.actions import CHOICES, END
from hegemon.rules.engine import apply
from hegemon.rules.position import Position
from hegemon.rules.shuffle import next_state, stream
from hegemon.rules.view import View

if TYPE_CHECKING:
    from hegemon.kernels.imagination import Unseen
    from hegemon.kernels.tree import Settings

#: How many nodes a tree may have; a search that goes on longer learns more about those.
MAX_NODES: Final = 1 << 17

#: What is thought between two looks at the clock: so many iterations, or fewer if they would take longer than this.
PORTION: Final = 32
PORTION_SECONDS: Final = 0.002

# Not all of the time may go into the search: the answer takes a moment too.
_OVERHEAD: Final = 0.001

_LONGEST_LINE: Final = 20


@dataclass(frozen=True)
class Opinion:
    """What a search thinks of one choice."""

    word: str
    visits: int
    expected: float
    """The part of the win that it expects, from 0 to 1."""


@dataclass(frozen=True)
class Thoughts:
    """Why a search chose what it chose."""

    opinions: tuple[Opinion, ...]
    """What it thinks of every choice that it tried, the best first."""
    line: tuple[str, ...]
    """The words that it expects to follow, its own choice first."""
    iterations: int
    seconds: float

    @property
    def choice(self) -> str:
        """The best choice."""
        return self.opinions[0].word


class Search:
    """Information-set Monte Carlo tree search for two to four players and for teams.

    It thinks for so many iterations or so many seconds, whichever is over first, and less where no other choice could
    still catch up. As long as the seconds do not run out, the same seed gives the same choices on every machine.
    """

    def __init__(
        self,
        seed: int = 0,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        exploration: float = 1.0,
        trust: float = 0.3,
    ) -> None:
        if iterations is None and seconds is None:
            iterations = 2000
        if iterations is not None and iterations < 1:
            raise ValueError(f"a search takes 1 iteration or more, not {iterations}")
        if seconds is not None and not 0 < seconds < inf:
            raise ValueError(f"a search takes some seconds, not {seconds}")
        self.iterations = iterations
        self.seconds = seconds
        self.exploration = exploration
        self.trust = trust
        self.thoughts: Thoughts | None = None
        """What it thought when it was asked last."""
        self._state = stream(seed, 0)
        self._stop = Event()
        self._grown: _Grown | None = None

    def stop(self) -> None:
        """End the search that is going on, at once; it answers with what it knows by then."""
        self._stop.set()

    def choose(self, view: View, memory: Memory, choices: tuple[str, ...]) -> str:
        """The choice that did best in the search."""
        word = choices[0] if len(choices) == 1 else self.think(view, memory, choices).choice
        if self._grown is not None:
            self._grown.follow(read_choice(word), asked_position(view))
            if read_choice(word) == END:
                self._grown = None
        return word

    def think(self, view: View, memory: Memory, choices: tuple[str, ...]) -> Thoughts:
        """Search, and say what was found."""
        began = time.perf_counter()
        self._stop.clear()
        position = asked_position(view)
        try:
            base, unseen = hidden_cards(view, memory)
        except Impossible:
            # A study that no cards of the game could make can be judged, but not imagined.
            self.thoughts = self._glance(position, choices)
            return self.thoughts
        grown = self._grown
        if grown is None or not grown.reaches(position):
            grown = self._grown = _Grown(self.iterations)
        iterations = 0
        while not self._is_enough(grown, choices, iterations, time.perf_counter() - began):
            portion = self._portion(iterations, time.perf_counter() - began)
            self._state = grown.grow(
                base, unseen, portion, self._state, self._settings(), self.seconds is None
            )
            iterations += portion
        self.thoughts = grown.thoughts(choices, iterations, time.perf_counter() - began)
        return self.thoughts

    def _settings(self) -> "Settings":
        from hegemon.kernels.tree import Settings

        return Settings(self.exploration, self.trust)

    def _glance(self, position: Position, choices: tuple[str, ...]) -> Thoughts:
        """What a sensible player would say without any search."""
        from hegemon.kernels.policy import heuristic_action

        offered = sum(1 << read_choice(word) for word in choices)
        for _ in range(3):
            self._state = next_state(self._state)
        word = choices_in(1 << heuristic_action(position, offered, self._state))[0]
        return Thoughts((Opinion(word, 0, 0.5),), (word,), 0, 0.0)

    def _portion(self, iterations: int, seconds: float) -> int:
        """How many iterations to take before the next look at the clock."""
        # Portions end at the same iterations on every machine, so that an early end depends on no clock.
        portion = PORTION - iterations % PORTION
        if self.iterations is not None:
            portion = min(portion, self.iterations - iterations)
        if self.seconds is not None:
            # The first one tells how long they take. Some clocks stand still for a while: then one more.
            affordable = int(iterations * PORTION_SECONDS / seconds) if seconds > 0 else 1
            portion = max(1, min(portion, affordable))
        return portion

    def _is_enough(self, grown: "_Grown", choices: tuple[str, ...], iterations: int, seconds: float) -> bool:
        """Whether to stop: time or iterations are up, somebody said so, or no other choice could still catch up."""
        if iterations == 0:
            return False  # even in no time at all it looks once
        if self._stop.is_set() or (self.seconds is not None and seconds > self.seconds - _OVERHEAD):
            return True
        if self.iterations is not None:
            left = float(self.iterations - iterations)
        else:
            assert self.seconds is not None
            left = iterations * (self.seconds - seconds) / seconds if seconds > 0 else inf
        return left <= 0 or (iterations % PORTION == 0 and grown.lead(choices) > left)


class _Grown:
    """A tree within one turn, and where in it the turn has come to."""

    def __init__(self, iterations: int | None) -> None:
        from hegemon.kernels.tree import ROOT, Tree

        # A few searches may share one tree within a turn.
        self.tree = Tree.of(MAX_NODES if iterations is None else min(MAX_NODES, 8 * iterations + 8))
        self.root = ROOT
        self.expected: Position | None = None

    def follow(self, word: int, position: Position) -> None:
        """Step down to what follows a choice."""
        self.root = int(self.tree.children[self.root, word])
        apply(position, word)
        self.expected = position

    def reaches(self, position: Position) -> bool:
        """Whether the tree tells of this position and has room to grow on.

        Nothing may have come between but what was chosen, and nothing hidden may have been shown: then the tree below
        was grown for other cards.
        """
        full = 2 * int(self.tree.size[0]) > len(self.tree.visits)
        return self.root > 0 and not full and self.expected == position

    def grow(
        self,
        base: Position,
        unseen: "Unseen",
        iterations: int,
        state: int,
        settings: "Settings",
        patient: bool,
    ) -> int:
        """Some more iterations; returns the next state of the generator."""
        grow = SEARCH_KERNEL.grow(patient=patient)
        return grow(base, self.tree, unseen, self.root, settings, iterations, state)

    def visits(self, word: str) -> int:
        """How often a choice was tried."""
        child = self.tree.children[self.root, read_choice(word)]
        return int(self.tree.visits[child]) if child else 0

    def lead(self, choices: tuple[str, ...]) -> int:
        """By how many visits the first choice leads the second."""
        second, first = sorted(self.visits(word) for word in choices)[-2:]
        return first - second

    def thoughts(self, choices: tuple[str, ...], iterations: int, seconds: float) -> Thoughts:
        """What the tree says about the choices."""
        opinions = []
        for word in choices:
            visits = self.visits(word)
            if visits:
                child = self.tree.children[self.root, read_choice(word)]
                opinions.append(Opinion(word, visits, float(self.tree.value[child]) / visits))
        opinions.sort(key=lambda opinion: (-opinion.visits, -opinion.expected))
        return Thoughts(tuple(opinions), self._line(), iterations, seconds)

    def _line(self) -> tuple[str, ...]:
        words: list[str] = []
        node = self.root
        while len(words) < _LONGEST_LINE:
            children = self.tree.children[node]
            visits = [int(self.tree.visits[child]) if child else 0 for child in children]
            if not any(visits):
                break
            word = visits.index(max(visits))
            words.append(CHOICES[word])
            node = int(children[word])
        return tuple(words)
