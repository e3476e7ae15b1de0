"""Positions and views as one line each.

Each position has one text. A view is a position line with `?` for what the viewer may not see, and the viewer's seat.
"""

from typing import Final

from hegemon.notation.cards import write_ages, write_cards, write_piles
from hegemon.notation.rulings import write_rulings
from hegemon.rules.cards import DOMAINS, ECONOMY, LETTERS, RELIGION, age_of, domain_of
from hegemon.rules.position import Ending, Position, Question, notation_of
from hegemon.rules.turn import raised_hand_size
from hegemon.rules.view import Backs, View

# The letter of the turn field for each step, and the letter of the asked field for each question within step 2.
STEPS: Final = {"d": Question.DRAFT, "c": Question.CENTER, "p": Question.PLAY, "e": Question.EFFECTS}
ENDINGS: Final = {"x": Ending.HEGEMONY, "m": Ending.MAJORITY, "s": Ending.STALL}
PICKS: Final = {
    "h": Question.DISCARD_FROM_HAND,
    "a": Question.DISCARD_FROM_AREA,
    "t": Question.TAKE_BACK,
    "p": Question.PLAY_MORE,
    "f": Question.FETCH,
    "g": Question.GIVE,
}
MARKERS: Final = {"e": Question.EMBARGO, "u": Question.DEMOCRACY}


def letter_of(letters: dict[str, Question], question: int) -> str:
    return next(letter for letter, asked in letters.items() if asked == question)


def write_position(position: Position) -> str:
    """The one text of a position."""
    deck = position.deck[: position.deck_size][::-1]
    return " ".join(
        [
            write_table(position),
            write_turn(position),
            write_used(position) or "-",
            write_asked(position) or "-",
            write_coin(position) or "-",
            write_cards(deck) or "-",
            write_piles(position.discard_piles) or "-",
            write_round(position),
            write_rules(position),
        ]
    )


def write_table(position: Position) -> str:
    """Every seat's area, hand and kept cards, and the center."""
    seats = []
    for seat in range(position.players):
        kept = write_piles(position.kept[seat])
        seats.append(
            f"{write_area(position, seat)}({write_piles(position.hands[seat])})"
            + (f"[{kept}]" if kept else "")
        )
    center = write_piles(position.center_piles)
    return "/".join(seats) + (f"|{center}" if center else "")


def write_area(position: Position | View, seat: int) -> str:
    """A seat's columns, each with the markers that lie on it."""
    text = ""
    for domain in range(DOMAINS):
        column = write_ages(position.areas[seat][domain])
        if position.embargoes[seat][domain]:
            column += "e" + write_ages(position.embargoes[seat][domain])
        if position.democracies[seat][domain]:
            column += "u" + "3" * position.democracies[seat][domain]
        if column:
            text += LETTERS[domain] + column
    return text


def write_turn(position: Position | View) -> str:
    """Whose choice it is, and the step."""
    if position.question == Question.OVER:
        step = next(letter for letter, ending in ENDINGS.items() if ending == position.ending)
    elif position.question in STEPS.values():
        step = letter_of(STEPS, position.question)
    else:
        step = "e"
    return f"{position.seat + 1}{step}"


def write_used(position: Position | View) -> str:
    """The effects used this turn: capitals for permanent effects, small letters for discard effects."""
    text = ""
    for domain, letter in enumerate(LETTERS):
        if position.used >> domain & 1:
            text += letter
            if domain == RELIGION:
                text += "+" if position.hand_size == raised_hand_size(1) else "++"
    for domain, letter in enumerate(LETTERS.lower()):
        if position.used >> (DOMAINS + domain) & 1:
            text += letter
            if domain == ECONOMY and position.new_embargo:
                text += LETTERS[domain_of(position.new_embargo)] + str(age_of(position.new_embargo))
    return text


def write_asked(position: Position | View) -> str:
    """The cards or the Domain that an effect still asks for."""
    question = position.question
    if question in MARKERS.values():
        return f"{letter_of(MARKERS, question)}>{position.target + 1}"
    if question not in PICKS.values():
        return ""
    text = f"{letter_of(PICKS, question)}{position.left}"
    if position.plays:
        text += f"p{position.plays}"
    if question == Question.GIVE:
        text += f">{position.target + 1}"
    if position.floor:
        text += f":{LETTERS[position.floor]}"
    return text


def write_coin(position: Position | View) -> str:
    """The seat that copied, the seat it copied from, and the Domain."""
    if not position.coin_owner:
        return ""
    return f"{position.coin_owner}>{position.coin_seat + 1}{LETTERS[position.coin_domain]}"


def write_round(position: Position | View) -> str:
    """The round, the whole rounds without a draw, and whether a player drew in this one."""
    quiet = f".{position.quiet_rounds}" if position.quiet_rounds else ""
    return f"{position.round}{quiet}{'*' if position.drew else ''}"


def write_rules(position: Position | View) -> str:
    """The rulings, and whether teams play."""
    return write_rulings(position.rulings) + (",teams" if position.teams else "")


def write_view(view: View) -> str:
    """The one text of a view."""
    seats = []
    for seat in range(view.players):
        own = seat == view.viewer
        hand = write_piles(view.hand_piles) if own else write_backs(view.backs[seat])
        kept = write_piles(view.kept_piles) if own else write_backs(view.kept_backs[seat])
        seats.append(f"{write_area(view, seat)}({hand})" + (f"[{kept}]" if kept else ""))
    center = write_piles(view.center_piles)
    return " ".join(
        [
            "/".join(seats) + (f"|{center}" if center else ""),
            write_turn(view),
            write_used(view) or "-",
            write_asked(view) or "-",
            write_coin(view) or "-",
            write_backs(view.deck_backs) or "-",
            write_piles(view.discard_piles) or "-",
            write_round(view),
            write_rules(view),
            f"@{view.viewer + 1}",
        ]
    )


def write_backs(backs: Backs) -> str:
    """Hidden cards: `?` and a digit a card for its Age, or one `?` a card where backs are not shown."""
    if len(backs) == 1:
        return "?" * backs[0]
    digits = "".join(str(age) * number for age, number in enumerate(backs, 1))
    return f"?{digits}" if digits else ""


@notation_of.register
def _(position: Position) -> str:
    return f"read_position({write_position(position)!r})"


@notation_of.register
def _(view: View) -> str:
    return f"read_view({write_view(view)!r})"
