"""What a puzzle asks for, and whether choices still lead there."""

from collections.abc import Iterator
from typing import Final

from hegemon.notation.choices import choices_in, read_choice
from hegemon.play.solver import Outlook, Turn, TurnTooLarge, after_choice, has_won, key_of, position_to_solve
from hegemon.puzzles.threats import Threat, Threats, Unclear, may_go_out
from hegemon.rules.actions import FIRST_EMBARGO, FIRST_INQUISITION
from hegemon.rules.cards import total
from hegemon.rules.engine import legal
from hegemon.rules.position import Position, Question
from hegemon.rules.view import View

#: The goals: win this turn; end it so that no one else can win before one's next; or pick the best card of a draft.
WIN: Final = "win"
DEFEND: Final = "defend"
PICK: Final = "pick"

#: The turn of a puzzle has at most this many positions: it is searched while a player waits.
MAX_POSITIONS: Final = 4_000

#: While it is played, it may have more: those made by hand have, and so have turns with drawn cards.
_MOST_IN_PLAY: Final = 4 * MAX_POSITIONS


class Win(Turn):
    """A turn that is to be won, whatever is hidden."""

    def __init__(self, view: View, most: int = MAX_POSITIONS) -> None:
        super().__init__(view, lambda position: has_won(position, view.viewer), most)


class Defense(Turn):
    """A turn after which no one else may be able to win before the viewer's next, whatever is hidden."""

    def __init__(self, view: View, most: int = MAX_POSITIONS) -> None:
        super().__init__(view, self.held, most)
        self.threats = Threats(view)

    def held(self, position: Position) -> bool:
        if may_go_out(position):
            raise Unclear
        return self.threats.after_turn(position) is None

    def _look(self, position: Position) -> Outlook:
        self._expect_no_exchange(position)
        return super()._look(position)

    def _expect_no_exchange(self, position: Position) -> None:
        """Give up where an Inquisition could replace a whole hand by cards that are known."""
        if position.question != Question.EFFECTS:
            return
        for action in range(FIRST_INQUISITION, FIRST_EMBARGO):
            other = (position.seat + action - FIRST_INQUISITION + 1) % position.players
            offered = legal(position) >> action & 1
            if offered and sum(self.threats.view.backs[other]) <= total(position.hands[position.seat]):
                raise Unclear


TURNS: Final[dict[str, type[Win | Defense]]] = {WIN: Win, DEFEND: Defense}


def keeps(view: View, goal: str, choice: str) -> bool:
    """Whether the goal can still be reached for certain after a choice; also where that is not clear."""
    outlook = _outlook(view, goal)
    return outlook is None or choice in outlook.choices


def is_possible(view: View, goal: str) -> bool:
    """Whether the goal can still be reached for certain; also where that is not clear."""
    outlook = _outlook(view, goal)
    return outlook is None or outlook.wins


def _outlook(view: View, goal: str) -> Outlook | None:
    """None where it is not clear: cards that were drawn or seen may make a turn longer than that of the puzzle."""
    try:
        return TURNS[goal](view, _MOST_IN_PLAY).outlook(position_to_solve(view))
    except (TurnTooLarge, Unclear):
        return None


def reached(start: View, goal: str, after: Position) -> bool:
    """Whether a turn that began with a view of its player has reached the goal."""
    if goal == WIN or after.question == Question.OVER:
        return has_won(after, start.viewer)
    return threat_after(start, after) is None


def threat_after(start: View, after: Position) -> Threat | None:
    """The player who could win after a turn; None also where that is not clear."""
    try:
        return Threats(start).after_turn(after)
    except Unclear:
        return None


def ends_of_turn(view: View, most: int = _MOST_IN_PLAY) -> Iterator[Position]:
    """Every position in which the turn of the viewer can end; raise TurnTooLarge after too many."""
    stack, seen = [position_to_solve(view)], set()
    while stack:
        position = stack.pop()
        if position.question == Question.OVER or position.seat != view.viewer:
            yield position
        elif (key := key_of(position)) not in seen:
            seen.add(key)
            if len(seen) > most:
                raise TurnTooLarge
            stack += [after_choice(position, read_choice(choice)) for choice in choices_in(legal(position))]
