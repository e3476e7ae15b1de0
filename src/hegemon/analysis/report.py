"""What an analysis of a game consists of: chances after every choice, decisions, and moments of luck."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from math import exp
from typing import TYPE_CHECKING, Any, Final

from hegemon.notation.messages import MessageError

if TYPE_CHECKING:
    from hegemon.kernels.network import Network
    from hegemon.play.game import Game

#: The number of the layout of `Analysis.to_dict`.
VERSION: Final = 1

#: A smaller difference between two choices may be noise of the search.
NOISE: Final = 0.02

#: A loss from here on is marked as a mistake: one that costs five points, whatever the noise.
MISTAKE: Final = 0.05 + NOISE

#: How fast accuracy falls with the average loss: by half at about 3 points a decision.
_STRICTNESS: Final = 25


class AnalysisError(MessageError, ValueError):
    """A game cannot be analyzed, or data is not an analysis that this program reads."""


@dataclass(frozen=True)
class Chances:
    """The part of the win that every seat may expect after `ply` choices; 0 is the deal."""

    ply: int
    known: tuple[float, ...]
    """Each seat's own part, as that seat could know it: from its own view and memory."""
    open: tuple[float, ...]
    """With all hands open and the deck unknown; the parts of all sides add up to 1, and teammates have the same."""


@dataclass(frozen=True)
class Decision:
    """A choice between several, judged by what its seat could know."""

    ply: int
    """The number of the choice, from 1: `game.at(ply - 1)` is the position before it."""
    seat: int
    choice: str
    best: str
    """The best choice that was found; the choice itself where none is better."""
    expected: float
    """The part of the win to expect of the choice."""
    loss: float
    """How much more to expect of the best choice; 0 where that is within the noise."""
    line: tuple[str, ...] = ()
    """The choices that were expected to follow, the best one first: of this seat and then of others."""
    certain: bool = False
    """Whether the best choice is proved to win within the turn, whatever the hidden cards are."""

    @property
    def is_mistake(self) -> bool:
        return self.loss >= MISTAKE


@dataclass(frozen=True)
class Luck:
    """A moment of luck: what the cards that a seat drew brought it, compared to others that it could have drawn.

    It belongs to the story with open cards: it is a part of the step of `Chances.open` that ends at `ply`, and the rest
    of that step is due to the choice.
    """

    ply: int
    seat: int
    swing: float
    """By how much the seat's part of the win is larger than on the average of other draws."""
    effect: bool = False
    """Whether a Breakthrough drew the cards; otherwise the end of a turn did."""


Item = Chances | Decision | Luck


@dataclass(frozen=True)
class Analysis:
    """A finished game, analyzed."""

    names: tuple[str, ...]
    iterations: int
    """The iterations of a look at a decision; 0 is the quick reading by the bare network."""
    seed: int
    chances: tuple[Chances, ...] = ()
    decisions: tuple[Decision, ...] = ()
    lucks: tuple[Luck, ...] = ()

    @property
    def is_quick(self) -> bool:
        """Whether this is the quick reading by the bare network, without search."""
        return self.iterations == 0

    @classmethod
    def of(
        cls, game: "Game", *, iterations: int | None = None, seed: int = 0, network: "Network | None" = None
    ) -> "Analysis":
        """The whole analysis of a finished game; see `analyze`."""
        from hegemon.analysis.judge import (
            analyze,
            resolved,
        )  # it needs NumPy, and reading an analysis does not

        items = analyze(game, iterations=iterations, seed=seed, network=network)
        return cls.of_items(game.names, resolved(iterations), seed, items)

    @classmethod
    def of_items(cls, names: Iterable[str], iterations: int, seed: int, items: Iterable[Item]) -> "Analysis":
        found: dict[type, list[Any]] = {Chances: [], Decision: [], Luck: []}
        for item in items:
            found[type(item)].append(item)
        return cls(tuple(names), iterations, seed, *map(tuple, found.values()))

    # ---------------------------------------------------------------- figures

    def decisions_of(self, seat: int) -> tuple[Decision, ...]:
        return tuple(decision for decision in self.decisions if decision.seat == seat)

    def mistakes(self, seat: int | None = None, most: int | None = 3) -> tuple[Decision, ...]:
        """The choices that cost most, of one seat or of all, the costliest first."""
        found = [
            decision for decision in self.decisions if decision.is_mistake and seat in (None, decision.seat)
        ]
        return tuple(sorted(found, key=lambda decision: -decision.loss)[:most])

    def average_loss(self, seat: int) -> float:
        """The loss of a decision of a seat, on average; 0 for a seat that had none to make."""
        own = self.decisions_of(seat)
        return sum(decision.loss for decision in own) / len(own) if own else 0.0

    def accuracy(self, seat: int) -> float:
        """The average loss of a seat on a scale from 100, nothing lost, down to 0."""
        return accuracy_of(self.average_loss(seat))

    def luck(self, seat: int) -> float:
        """What all draws of a seat brought it together, compared to average ones."""
        return sum(luck.swing for luck in self.lucks if luck.seat == seat)

    def luckiest(self, seat: int | None = None, most: int = 3) -> tuple[Luck, ...]:
        """The draws that changed most for the seat that made them, for better or worse, the largest first."""
        found = [luck for luck in self.lucks if seat in (None, luck.seat)]
        return tuple(sorted(found, key=lambda luck: -abs(luck.swing))[:most])

    # ---------------------------------------------------------------- as data

    def to_dict(self) -> dict[str, Any]:
        """The analysis as JSON can hold it."""
        return {"version": VERSION, **asdict(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Analysis":
        """The analysis that `to_dict` wrote."""
        if data.get("version") != VERSION:
            raise AnalysisError(
                "This is not an analysis of version {version}, which this program reads.", version=VERSION
            )
        return cls(
            tuple(data["names"]),
            data["iterations"],
            data["seed"],
            tuple(
                Chances(entry["ply"], tuple(entry["known"]), tuple(entry["open"]))
                for entry in data["chances"]
            ),
            tuple(Decision(**{**entry, "line": tuple(entry["line"])}) for entry in data["decisions"]),
            tuple(Luck(**entry) for entry in data["lucks"]),
        )


def accuracy_of(average_loss: float) -> float:
    """An average loss a decision on a scale from 100, nothing lost, down to 0."""
    return 100 * exp(-_STRICTNESS * average_loss)
