"""The first field of a line, the table: areas, hands, kept cards, and the center of the draft."""

from collections.abc import Callable
from typing import TypeVar

from hegemon.notation.cards import A_DOMAIN, count_card, read_kind, read_piles
from hegemon.notation.errors import Scanner
from hegemon.notation.messages import message
from hegemon.rules.cards import ALL_CARDS, ECONOMY, LETTERS, UTOPIA, count
from hegemon.rules.position import MAX_PLAYERS, Position
from hegemon.rules.rulings import SHOW_BACKS
from hegemon.rules.view import Backs, ages

Contents = TypeVar("Contents")

#: The cards of one place as a view shows them: open, or their backs.
SeenCards = list[int] | Backs

NO_BACKS = (0, 0, 0)

_HIDDEN_AGE = message("an Age (1, 2 or 3) of a hidden card")


def read_table(
    field: Scanner,
    position: Position,
    read_place: Callable[[Scanner], Contents],
    nothing: Callable[[], Contents],
) -> tuple[list[Contents], list[Contents]]:
    """Read the areas and the center into the position; return the hands and the kept cards."""
    hands: list[Contents] = []
    kept: list[Contents] = []
    while not hands or field.skip("/"):
        if len(hands) == MAX_PLAYERS:
            raise field.error_at_previous(message("expected at most {maximum} seats", maximum=MAX_PLAYERS))
        read_area(field, position, len(hands))
        field.take("(", message("a card such as M1, or the hand in parentheses ( )"))
        hands.append(read_place(field))
        field.take(")", message('a card such as M1, or ")" at the end of the hand'))
        if field.skip("["):
            kept.append(read_place(field))
            field.take("]", message('a card such as M1, or "]" at the end of the kept cards'))
        else:
            kept.append(nothing())
    if field.skip("|"):
        position.center_piles = read_piles(field)
    field.finish(message('"/" and the next seat, or the end of the table'))
    if len(hands) < 2:
        raise field.error(message("expected at least two seats, with / between them"))
    position.players = len(hands)
    return hands, kept


def read_area(field: Scanner, position: Position, seat: int) -> None:
    """A seat's columns with their markers."""
    while field.sees(LETTERS):
        domain = LETTERS.index(field.take(LETTERS, A_DOMAIN))
        start = field.place
        while field.sees_digit():
            position.areas[seat][domain] += count_card(field, read_kind(field, domain))
        while field.sees("eu"):
            if field.skip("e"):
                position.embargoes[seat][domain] += read_marker(field, ECONOMY)
            if field.skip("u"):
                position.democracies[seat][domain] += count(read_marker(field, UTOPIA))
        if field.place == start:
            raise field.expected(
                message('an Age (1, 2 or 3) after "{letter}", or a marker e or u', letter=LETTERS[domain])
            )


def read_marker(field: Scanner, domain: int) -> int:
    """The face-down cards of a Domain on a column, as a pile."""
    pile = 0
    while not pile or field.sees_digit():
        pile += count_card(field, read_kind(field, domain))
    return pile


def read_seen_place(field: Scanner) -> SeenCards:
    """Contents of one place in a view: open cards, or `?` and the Ages of hidden ones; `?` alone hides the Age too."""
    if field.sees(LETTERS):
        return read_piles(field)
    if not field.skip("?"):
        return NO_BACKS
    if field.sees_digit():
        return read_ages(field)
    hidden = 1
    while field.skip("?"):
        hidden += 1
        check_hidden_cards(field, hidden)
    return (hidden,)


def read_ages(field: Scanner) -> tuple[int, int, int]:
    """The number of backs of each Age, written one digit per card."""
    backs = [0, 0, 0]
    while not any(backs) or field.sees_digit():
        backs[int(field.take("123", _HIDDEN_AGE)) - 1] += 1
        check_hidden_cards(field, sum(backs))
    return backs[0], backs[1], backs[2]


def check_hidden_cards(field: Scanner, hidden: int) -> None:
    """No place can hide more cards than the game has."""
    if hidden > ALL_CARDS:
        raise field.error_at_previous(message("expected at most {maximum} hidden cards", maximum=ALL_CARDS))


def backs_of(field: Scanner, position: Position, cards: SeenCards) -> Backs:
    """The backs of the cards of one place, or only their number where backs are not shown."""
    if isinstance(cards, list):
        backs = ages(cards)
    elif len(cards) == 3:
        backs = cards
        if not position.rulings & SHOW_BACKS and backs != NO_BACKS:
            problem = message("expected ? alone for a hidden card, as backs are not shown")
            raise field.error(problem, field.start)
    elif position.rulings & SHOW_BACKS:
        problem = message("expected the Ages of hidden cards, such as ?12, as backs are shown")
        raise field.error(problem, field.start)
    else:
        return cards
    return backs if position.rulings & SHOW_BACKS else (sum(backs),)
