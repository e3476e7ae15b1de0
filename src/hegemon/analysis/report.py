"""The analysis of a game: chances after every choice, decisions, and moments of luck."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from math import exp
from typing import TYPE_CHECKING, Any, Final

from hegemon.notation.messages import MessageError

if TYPE_CHECKING:
    from hegemon.kernels.network import Network
    from hegemon.play.game import Game

#: The version of the format of `Analysis.to_dict`.
VERSION: Final = 1

#: Smaller differences between two choices may be noise of the search.
NOISE: Final = 0.02

#: The minimum loss of a mistake: five percentage points beyond the noise.
MISTAKE: Final = 0.05 + NOISE

#: The decay rate of the accuracy: it is halved at an average loss of about 3 percentage points.
_ACCURACY_DECAY: Final = 25


class AnalysisError(MessageError, ValueError):
    """A game cannot be analyzed, or data is not a valid analysis."""


@dataclass(frozen=True)
class Chances:
    """The expected share of the win of each seat after `ply` choices; ply 0 is the deal."""

    ply: int
    known: tuple[float, ...]
    """Each seat's share, given its own view and memory."""
    open: tuple[float, ...]
    """Each seat's share with all hands open and the deck hidden; teammates have the same, and all sides add up to 1."""


@dataclass(frozen=True)
class Decision:
    """A choice between several, evaluated by what its seat could know."""

    ply: int
    """The number of the choice, from 1: `game.at(ply - 1)` is the position before it."""
    seat: int
    choice: str
    best: str
    """The best choice that was found; the choice itself if none is better."""
    expected: float
    """The expected share of the win after the choice."""
    loss: float
    """The difference from the expected share after the best choice; 0 if it is within the noise."""
    line: tuple[str, ...] = ()
    """The principal variation; it begins with the best choice."""
    certain: bool = False
    """Whether the best choice provably wins within the turn, regardless of hidden cards."""

    @property
    def is_mistake(self) -> bool:
        return self.loss >= MISTAKE


@dataclass(frozen=True)
class Luck:
    """A moment of luck: the effect of the cards that a seat drew, compared to random draws.

    It is part of the change in `Chances.open` at `ply`; the rest of that change is due to the choice.
    """

    ply: int
    seat: int
    swing: float
    """The seat's expected share of the win minus the mean over random draws."""
    effect: bool = False
    """Whether a Breakthrough drew the cards; otherwise the end of a turn did."""


Item = Chances | Decision | Luck


@dataclass(frozen=True)
class Analysis:
    """The analysis of a finished game."""

    names: tuple[str, ...]
    iterations: int
    """The iterations for a decision; 0 if the bare network evaluated without a search."""
    seed: int
    chances: tuple[Chances, ...] = ()
    decisions: tuple[Decision, ...] = ()
    lucks: tuple[Luck, ...] = ()

    @property
    def is_quick(self) -> bool:
        """Whether the bare network evaluated the game without a search."""
        return self.iterations == 0

    @classmethod
    def of(
        cls, game: "Game", *, iterations: int | None = None, seed: int = 0, network: "Network | None" = None
    ) -> "Analysis":
        """Analyze a finished game; see `analyze`."""
        # Imported here because it needs NumPy, unlike reading an analysis.
        from hegemon.analysis.analyzer import analyze, resolve_iterations

        items = analyze(game, iterations=iterations, seed=seed, network=network)
        return cls.from_items(game.names, resolve_iterations(iterations), seed, items)

    @classmethod
    def from_items(
        cls, names: Iterable[str], iterations: int, seed: int, items: Iterable[Item]
    ) -> "Analysis":
        found: dict[type, list[Any]] = {Chances: [], Decision: [], Luck: []}
        for item in items:
            found[type(item)].append(item)
        return cls(tuple(names), iterations, seed, *map(tuple, found.values()))

    # ---------------------------------------------------------------- figures

    def decisions_of(self, seat: int) -> tuple[Decision, ...]:
        return tuple(decision for decision in self.decisions if decision.seat == seat)

    def mistakes(self, seat: int | None = None, limit: int | None = 3) -> tuple[Decision, ...]:
        """The most costly mistakes of one seat or of all, in descending order."""
        found = [
            decision for decision in self.decisions if decision.is_mistake and seat in (None, decision.seat)
        ]
        return tuple(sorted(found, key=lambda decision: -decision.loss)[:limit])

    def average_loss(self, seat: int) -> float:
        """The average loss of a seat's decisions; 0 if it made none."""
        own = self.decisions_of(seat)
        return sum(decision.loss for decision in own) / len(own) if own else 0.0

    def accuracy(self, seat: int) -> float:
        """The accuracy of a seat from 0 to 100, where 100 means no loss."""
        return accuracy_of(self.average_loss(seat))

    def luck(self, seat: int) -> float:
        """The total luck of a seat over all its draws."""
        return sum(luck.swing for luck in self.lucks if luck.seat == seat)

    def luckiest(self, seat: int | None = None, limit: int = 3) -> tuple[Luck, ...]:
        """The draws with the largest swing, good or bad, in descending order."""
        found = [luck for luck in self.lucks if seat in (None, luck.seat)]
        return tuple(sorted(found, key=lambda luck: -abs(luck.swing))[:limit])

    # ---------------------------------------------------------------- as data

    def to_dict(self) -> dict[str, Any]:
        """The analysis as JSON-compatible data."""
        return {"version": VERSION, **asdict(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Analysis":
        """Restore an analysis from the data of `to_dict`."""
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
    """The accuracy from 0 to 100 for an average loss per decision."""
    return 100 * exp(-_ACCURACY_DECAY * average_loss)
