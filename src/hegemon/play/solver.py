"""Wins that are certain: an exhaustive search to the end of one turn that needs no hidden card.

What the player cannot see is removed from the position: other hands are empty, and nothing can be drawn. What wins
there wins with any hidden cards, because drawn cards may be discarded again and seen cards given back. Holy Book and
Divine Right have no use there, as they only draw.
"""

from dataclasses import dataclass
from typing import Final

from hegemon.notation.choices import choices_in
from hegemon.play.imagine import public_position
from hegemon.rules.actions import CHOICES
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import Ending, Position, Question
from hegemon.rules.victory import winners
from hegemon.rules.view import View

MAX_POSITIONS: Final = 200_000

# What can change within a turn and matters to its end.
_CHANGING_ROWS: Final = ("hands", "areas", "democracies", "embargoes")
_CHANGING: Final = ("used", "question", "left", "floor", "plays", "target", "new_embargo", "seat")

_Key = tuple[object, ...]


class TurnTooLarge(Exception):
    """A turn has more positions than the limit."""


@dataclass(frozen=True)
class Outlook:
    """The best that can be reached in a turn from one position on."""

    wins: bool
    """Whether some line of choices wins for certain."""
    choices: tuple[str, ...] = ()
    """The legal choices that keep the win."""
    line: tuple[str, ...] = ()
    """A shortest line of choices that wins."""
    chance: float = 0.0
    """The probability that uniformly random choices win."""


def solve(view: View, most: int = MAX_POSITIONS) -> Outlook:
    """Search the rest of this turn of the viewer, who is to move, for wins that need no hidden card."""
    return _Turn(view, most).outlook(public_position(view))


class _Turn:
    def __init__(self, view: View, most: int) -> None:
        self._seat = view.viewer
        self._drawn_out = view.deck_size == 0
        self._most = most
        self._known: dict[_Key, Outlook] = {}

    def outlook(self, position: Position) -> Outlook:
        if position.question == Question.OVER or position.seat != self._seat:
            won = self._has_won(position)
            return Outlook(won, chance=float(won))
        key = key_of(position)
        if key not in self._known:
            if len(self._known) >= self._most:
                raise TurnTooLarge(f"This turn has more than {self._most} positions.")
            self._known[key] = self._look(position)
        return self._known[key]

    def _look(self, position: Position) -> Outlook:
        keeping, best, chance = [], None, 0.0
        choices = choices_in(legal(position))
        for choice in choices:
            after = position.copy()
            apply(after, CHOICES.index(choice))
            outlook = self.outlook(after)
            chance += outlook.chance / len(choices)
            if outlook.wins:
                keeping.append(choice)
                if best is None or len(outlook.line) + 1 < len(best):
                    best = (choice, *outlook.line)
        return Outlook(best is not None, tuple(keeping), best or (), chance)

    def _has_won(self, position: Position) -> bool:
        # The emptied deck may end the game by Majority here, but that is real only if nothing was left to draw.
        endings = (Ending.HEGEMONY, Ending.MAJORITY) if self._drawn_out else (Ending.HEGEMONY,)
        return position.ending in endings and bool(winners(position) >> self._seat & 1)


def key_of(position: Position) -> _Key:
    return (
        *(tuple(map(tuple, getattr(position, name))) for name in _CHANGING_ROWS),
        tuple(position.discard_piles),
        *(getattr(position, name) for name in _CHANGING),
    )
