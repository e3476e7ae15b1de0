"""The goals of puzzles, and whether choices still reach them."""

from collections.abc import Iterator
from typing import Final

from hegemon.notation.choices import choices_in, read_choice
from hegemon.play.solver import (
    Outlook,
    TurnSolver,
    TurnTooLarge,
    after_choice,
    has_won,
    key_of,
    position_to_solve,
)
from hegemon.puzzles.threats import Threat, Threats, Unclear, can_exhaust_deck
from hegemon.rules.actions import FIRST_EMBARGO, FIRST_INQUISITION
from hegemon.rules.cards import total
from hegemon.rules.engine import legal
from hegemon.rules.position import Position, Question
from hegemon.rules.view import View

#: The goals: win this turn; end it so that no other player can win before the next one; pick the best card of a draft.
WIN: Final = "win"
DEFEND: Final = "defend"
PICK: Final = "pick"

#: The maximum number of positions in the turn of a puzzle, which is searched while a player waits.
MAX_POSITIONS: Final = 4_000

#: The maximum during play: handmade puzzles and turns with drawn cards have more positions.
_MAX_POSITIONS_IN_PLAY: Final = 4 * MAX_POSITIONS


class Win(TurnSolver):
    """A turn to be won, regardless of hidden cards."""

    def __init__(self, view: View, max_positions: int = MAX_POSITIONS) -> None:
        super().__init__(view, lambda position: has_won(position, view.viewer), max_positions)


class Defense(TurnSolver):
    """A turn after which no other player can win before the viewer's next turn, regardless of hidden cards."""

    def __init__(self, view: View, max_positions: int = MAX_POSITIONS) -> None:
        super().__init__(view, self.is_defended, max_positions)
        self.threats = Threats(view)

    def is_defended(self, position: Position) -> bool:
        if can_exhaust_deck(position):
            raise Unclear
        return self.threats.after_turn(position) is None

    def _search(self, position: Position) -> Outlook:
        self._expect_no_exchange(position)
        return super()._search(position)

    def _expect_no_exchange(self, position: Position) -> None:
        """Raise `Unclear` if an Inquisition could replace a whole hand by known cards."""
        if position.question != Question.EFFECTS:
            return
        for action in range(FIRST_INQUISITION, FIRST_EMBARGO):
            other = (position.seat + action - FIRST_INQUISITION + 1) % position.players
            offered = legal(position) >> action & 1
            if offered and sum(self.threats.view.backs[other]) <= total(position.hands[position.seat]):
                raise Unclear


TURNS: Final[dict[str, type[Win | Defense]]] = {WIN: Win, DEFEND: Defense}


def keeps_goal(view: View, goal: str, choice: str) -> bool:
    """Whether the goal can certainly still be reached after a choice; True if that is unclear."""
    outlook = _outlook(view, goal)
    return outlook is None or choice in outlook.choices


def is_possible(view: View, goal: str) -> bool:
    """Whether the goal can certainly still be reached; True if that is unclear."""
    outlook = _outlook(view, goal)
    return outlook is None or outlook.wins


def _outlook(view: View, goal: str) -> Outlook | None:
    """The outlook of the turn, or None if it is unclear, because new cards may make a turn too long to search."""
    try:
        return TURNS[goal](view, _MAX_POSITIONS_IN_PLAY).outlook(position_to_solve(view))
    except (TurnTooLarge, Unclear):
        return None


def is_goal_reached(start: View, goal: str, after: Position) -> bool:
    """Whether the turn that started with a view has reached the goal."""
    if goal == WIN or after.question == Question.OVER:
        return has_won(after, start.viewer)
    return threat_after(start, after) is None


def threat_after(start: View, after: Position) -> Threat | None:
    """The player who could win after a turn; None if there is none or if it is unclear."""
    try:
        return Threats(start).after_turn(after)
    except Unclear:
        return None


def ends_of_turn(view: View, max_positions: int = _MAX_POSITIONS_IN_PLAY) -> Iterator[Position]:
    """All positions in which the viewer's turn can end; raises `TurnTooLarge` above the limit."""
    stack, seen = [position_to_solve(view)], set()
    while stack:
        position = stack.pop()
        if position.question == Question.OVER or position.seat != view.viewer:
            yield position
        elif (key := key_of(position)) not in seen:
            seen.add(key)
            if len(seen) > max_positions:
                raise TurnTooLarge
            stack += [after_choice(position, read_choice(choice)) for choice in choices_in(legal(position))]
