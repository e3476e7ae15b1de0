"""Certain wins: an exhaustive search to the end of one turn without hidden cards.

Cards that the player cannot see are removed from the position: other hands are empty, and drawn cards are unknown. A
win there is a win with any hidden cards, because drawn cards can be discarded again and seen cards given back. The
number of drawn cards is known, so a turn can also end the game by drawing the last one.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from hegemon.notation.choices import choices_in, read_choice
from hegemon.play.determinization import public_position
from hegemon.rules.actions import END, FIRST_BREAKTHROUGH
from hegemon.rules.cards import AGE_III, MILITARY
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import Position, Question
from hegemon.rules.turn import begin_effects
from hegemon.rules.victory import winners
from hegemon.rules.view import View

MAX_POSITIONS: Final = 200_000

#: The maximum number of ways to win that are distinguished.
MAX_WAYS: Final = 64

# The fields that can change within a turn and affect its end.
_CHANGING_ROWS: Final = ("hands", "areas", "democracies", "embargoes")
_CHANGING: Final = (
    *("used", "question", "left", "floor", "plays", "target", "new_embargo", "seat"),
    *("deck_size", "hand_size"),
)

#: The questions for cards that a player gives up; lines that differ only in these cards count as the same way to win.
_GIVEN_UP: Final = (Question.TAKE_BACK, Question.DISCARD_FROM_AREA, Question.DISCARD_FROM_HAND, Question.GIVE)

_Key = tuple[object, ...]
Way = tuple[str, ...]


class TurnTooLarge(Exception):
    """A turn has more positions than the limit."""


@dataclass(frozen=True)
class Outlook:
    """The best result that can be reached in a turn from a position."""

    wins: bool
    """Whether some line of choices wins for certain."""
    choices: tuple[str, ...] = ()
    """The legal choices that keep the win."""
    line: tuple[str, ...] = ()
    """A shortest line of choices that wins."""
    chance: float = 0.0
    """The probability that uniformly random choices win."""
    ways: frozenset[Way] = frozenset()
    """The cards played and effects applied in minimal winning lines, in any order."""


def solve(view: View, max_positions: int = MAX_POSITIONS) -> Outlook:
    """Search the rest of the viewer's turn for wins that need no hidden card; the viewer is to move."""
    return TurnSolver(view, lambda position: has_won(position, view.viewer), max_positions).outlook(
        position_to_solve(view)
    )


def shortest_win(view: View, max_positions: int = MAX_POSITIONS) -> tuple[str, ...]:
    """A shortest line of choices that wins in the viewer's turn without hidden cards.

    Empty if none is found within `max_positions` positions; unlike `solve`, it does not examine all positions.
    """
    start = position_to_solve(view)
    seen, queue = {key_of(start)}, deque[tuple[Position, tuple[str, ...]]]([(start, ())])
    while queue:
        position, line = queue.popleft()
        for choice in choices_in(legal(position)):
            after = after_choice(position, read_choice(choice))
            if after.question == Question.OVER or after.seat != view.viewer:
                if has_won(after, view.viewer):
                    return (*line, choice)
            elif (key := key_of(after)) not in seen and len(seen) < max_positions:
                seen.add(key)
                queue.append((after, (*line, choice)))
    return ()


def position_to_solve(view: View) -> Position:
    """A position with what the viewer sees and the right number of unknown cards in the Age deck."""
    position = public_position(view)
    position.deck_size = view.deck_size
    return position


def has_won(position: Position, seat: int) -> bool:
    return position.question == Question.OVER and bool(winners(position) >> seat & 1)


class TurnSolver:
    """The rest of the viewer's turn; `reached` tests whether the position after it is a success."""

    def __init__(
        self, view: View, reached: Callable[[Position], bool], max_positions: int = MAX_POSITIONS
    ) -> None:
        self._seat = view.viewer
        self._reached = reached
        self._max_positions = max_positions
        self._outlooks: dict[_Key, Outlook] = {}

    def __len__(self) -> int:
        """The number of positions so far."""
        return len(self._outlooks)

    def outlook(self, position: Position) -> Outlook:
        if position.question == Question.OVER or position.seat != self._seat:
            reached = self._reached(position)
            return Outlook(reached, chance=float(reached), ways=frozenset({()} if reached else ()))
        key = key_of(position)
        if key not in self._outlooks:
            if len(self._outlooks) >= self._max_positions:
                raise TurnTooLarge(f"This turn has more than {self._max_positions} positions.")
            self._outlooks[key] = self._search(position)
        return self._outlooks[key]

    def _search(self, position: Position) -> Outlook:
        winning_choices, best, chance = [], None, 0.0
        ways: set[Way] = set()
        choices = choices_in(legal(position))
        for choice in choices:
            outlook = self.outlook(after_choice(position, read_choice(choice)))
            chance += outlook.chance / len(choices)
            if outlook.wins:
                winning_choices.append(choice)
                ways |= {_with_step(way, position.question, choice) for way in outlook.ways}
                if best is None or len(outlook.line) + 1 < len(best):
                    best = (choice, *outlook.line)
        return Outlook(best is not None, tuple(winning_choices), best or (), chance, _smallest(ways))


def after_choice(position: Position, action: int) -> Position:
    """The position after an action; a Breakthrough discards the same cards that it draws."""
    after = position.copy()
    apply(after, action)
    if FIRST_BREAKTHROUGH <= action < END:
        # An unknown card is drawn as Military III.
        after.hands[position.seat][MILITARY] -= AGE_III * (position.deck_size - after.deck_size)
        begin_effects(after)
    return after


def key_of(position: Position) -> _Key:
    return (
        *(tuple(map(tuple, getattr(position, name))) for name in _CHANGING_ROWS),
        tuple(position.discard_piles),
        *(getattr(position, name) for name in _CHANGING),
    )


def _with_step(way: Way, question: int, choice: str) -> Way:
    if choice == "." or question in _GIVEN_UP:
        return way
    # The same letter plays a card, fetches one, or names the Domain of a marker.
    kind = "" if question in (Question.PLAY, Question.PLAY_MORE, Question.EFFECTS) else f"{question}:"
    return tuple(sorted((*way, kind + choice)))


def _smallest(ways: set[Way]) -> frozenset[Way]:
    """The ways that do not contain another one; those with the fewest steps if there are too many."""
    smallest: list[Way] = []
    for way in sorted(ways, key=lambda one: (len(one), one)):
        if len(smallest) < MAX_WAYS and not any(_is_part_of(other, way) for other in smallest):
            smallest.append(way)
    return frozenset(smallest)


def _is_part_of(part: Way, way: Way) -> bool:
    return all(part.count(step) <= way.count(step) for step in part)
