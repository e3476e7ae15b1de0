"""Cards as text: a letter for the Domain and one digit a card, its Age."""

from typing import Final

from hegemon.notation.errors import NotationError, Scanner
from hegemon.rules.cards import (
    ALL_CARDS,
    DOMAINS,
    KINDS,
    LETTERS,
    Domain,
    age_of,
    card_of_age,
    count,
    count_of_age,
    domain_of,
    kind_of,
)

# Study positions may show more cards of a kind than the game has, but no more than a pile can count.
MOST_OF_A_DOMAIN: Final = 31
MOST_OF_AN_AGE: Final = 15
TOO_MANY: Final = "a position holds at most 31 {} cards, and at most 15 of Age I and of Age II"


def read_kind(scanner: Scanner, domain: int) -> int:
    """The next card of a Domain that is being read, by its Age."""
    kind = kind_of(domain, int(scanner.take("123", f'an Age (1, 2 or 3) after "{LETTERS[domain]}"')))
    if kind not in KINDS:
        name = Domain(domain).name.capitalize()
        raise scanner.error(f"there is no {name} card of Age {'I' * age_of(kind)}", scanner.place - 1)
    return kind


def read_cards(scanner: Scanner) -> list[int]:
    """The kinds of a row of cards such as `M112R1`, in their order; it may be empty."""
    kinds: list[int] = []
    while scanner.peek() and scanner.peek() in LETTERS:
        domain = LETTERS.index(scanner.take(LETTERS, "a Domain"))
        kinds.append(read_kind(scanner, domain))
        while scanner.peek().isdecimal():
            kinds.append(read_kind(scanner, domain))
    return kinds


def add_card(scanner: Scanner, piles: list[int], kind: int) -> None:
    """Lay a card that was just read into a place."""
    pile = piles[domain_of(kind)]
    if count(pile) == MOST_OF_A_DOMAIN or (
        age_of(kind) < 3 and count_of_age(pile, age_of(kind)) == MOST_OF_AN_AGE
    ):
        raise scanner.error(TOO_MANY.format(Domain(domain_of(kind)).name.capitalize()), scanner.place - 1)
    piles[domain_of(kind)] = pile + card_of_age(age_of(kind))


def read_piles(scanner: Scanner) -> list[int]:
    """The cards of one place, in six piles."""
    piles = [0] * DOMAINS
    for kind in read_cards(scanner):
        add_card(scanner, piles, kind)
    return piles


def write_ages(pile: int) -> str:
    """The Ages of a pile, a digit a card."""
    return "".join(str(age) * count_of_age(pile, age) for age in (1, 2, 3))


def write_piles(piles: list[int]) -> str:
    """The cards of one place, by Domain, then Age."""
    return "".join(LETTERS[domain] + write_ages(pile) for domain, pile in enumerate(piles) if pile)


def write_cards(kinds: list[int]) -> str:
    """A row of cards in its own order."""
    text = ""
    last = -1
    for kind in kinds:
        if domain_of(kind) != last:
            last = domain_of(kind)
            text += LETTERS[last]
        text += str(age_of(kind))
    return text


def read_deck(text: str) -> list[int]:
    """The kinds of a deck that is written from its top card down."""
    scanner = Scanner("deck", text)
    kinds = read_cards(scanner)
    scanner.finish("a card such as M1")
    if len(kinds) > ALL_CARDS:
        raise NotationError(
            "deck", text, len(text), f"expected at most {ALL_CARDS} cards, found {len(kinds)}"
        )
    return kinds


def write_deck(kinds: list[int]) -> str:
    """A deck from its top card down."""
    return write_cards(kinds)
