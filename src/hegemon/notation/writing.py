"""Positions and views as one line each.

Each position has exactly one text. A view is a position line with `?` for what the viewer may not see, and the viewer's
seat.
"""

from typing import Final

from hegemon.notation.cards import write_cards, write_piles
from hegemon.notation.rulings import write_rulings
from hegemon.rules.cards import DOMAINS, ECONOMY, LETTERS, RELIGION, age_of, domain_of
from hegemon.rules.piles import ages_in
from hegemon.rules.position import Ending, Position, Question, notation_of
from hegemon.rules.turn import raised_hand_size
from hegemon.rules.view import SPECTATOR, Backs, View

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

_LETTER_OF: Final = {
    question: letter for part in (STEPS, PICKS, MARKERS) for letter, question in part.items()
}
_LETTER_OF_ENDING: Final = {ending: letter for letter, ending in ENDINGS.items()}


def write_position(position: Position) -> str:
    hands = [write_piles(piles) for piles in position.hands[: position.players]]
    kept = [write_piles(piles) for piles in position.kept[: position.players]]
    return write_line(position, hands, kept, write_cards(position.deck[: position.deck_size][::-1]))


def write_view(view: View) -> str:
    hands = [write_backs(backs) for backs in view.backs]
    kept = [write_backs(backs) for backs in view.kept_backs]
    if view.viewer != SPECTATOR:
        hands[view.viewer], kept[view.viewer] = write_piles(view.hand_piles), write_piles(view.kept_piles)
    return f"{write_line(view, hands, kept, write_backs(view.deck_backs))} @{view.viewer + 1}"


def write_line(position: Position | View, hands: list[str], kept: list[str], deck: str) -> str:
    """The line, given the texts of the parts that a view may hide."""
    fields = (
        write_table(position, hands, kept),
        write_turn(position),
        write_used(position),
        write_asked(position),
        write_coin(position),
        deck,
        write_piles(position.discard_piles),
        write_round(position),
        write_rules(position),
    )
    return " ".join(field or "-" for field in fields)


def write_table(position: Position | View, hands: list[str], kept: list[str]) -> str:
    """The first field: the seats with these hands and kept cards, and the center."""
    seats = [
        f"{write_area(position, seat)}({hand})" + (f"[{picks}]" if picks else "")
        for seat, (hand, picks) in enumerate(zip(hands, kept, strict=True))
    ]
    center = write_piles(position.center_piles)
    return "/".join(seats) + (f"|{center}" if center else "")


def write_area(position: Position | View, seat: int) -> str:
    """A seat's columns, each with the markers that lie on it."""
    text = ""
    for domain in range(DOMAINS):
        column = ages_in(position.areas[seat][domain])
        if position.embargoes[seat][domain]:
            column += "e" + ages_in(position.embargoes[seat][domain])
        if position.democracies[seat][domain]:
            column += "u" + "3" * position.democracies[seat][domain]
        if column:
            text += LETTERS[domain] + column
    return text


def write_turn(position: Position | View) -> str:
    """Whose choice it is, and the step."""
    if position.question == Question.OVER:
        step = _LETTER_OF_ENDING[Ending(position.ending)]
    else:
        step = _LETTER_OF[Question(position.question)] if position.question in STEPS.values() else "e"
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
    """The cards or the Domain that an effect still requires."""
    question = position.question
    if question in MARKERS.values():
        return f"{_LETTER_OF[Question(question)]}>{position.target + 1}"
    if question not in PICKS.values():
        return ""
    text = f"{_LETTER_OF[Question(question)]}{position.left}"
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


def write_backs(backs: Backs) -> str:
    """Hidden cards: `?` and one digit per card for its Age, or one `?` per card where backs are not shown."""
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
