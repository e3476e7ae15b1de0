"""Cards as text: a letter for the Domain and one digit per card, its Age."""

from collections.abc import Iterator
from typing import Final

from hegemon.notation.errors import Scanner
from hegemon.notation.messages import message
from hegemon.rules.cards import (
    ALL_CARDS,
    DOMAINS,
    KINDS,
    LETTERS,
    Domain,
    age_of,
    card_of_age,
    domain_of,
    kind_of,
)
from hegemon.rules.piles import Cards

# The maximum number of cards of a Domain: a study may have more than the game, but not more than one pile can count.
MAX_OF_DOMAIN: Final = 31
MAX_OF_AGE: Final = 15

# Expectations for error messages, created once because they are passed for every letter.
A_DOMAIN: Final = message("a Domain")
A_CARD: Final = message("a card such as M1")
AN_AGE: Final = message("an Age (1, 2 or 3)")
_AGE_AFTER: Final = tuple(message('an Age (1, 2 or 3) after "{letter}"', letter=letter) for letter in LETTERS)


def domain_name(domain: int) -> str:
    return Domain(domain).name.capitalize()


def age_name(age: int) -> str:
    return "I" * age


def read_kind(scanner: Scanner, domain: int) -> int:
    """The next card of a Domain, by its Age."""
    kind = kind_of(domain, int(scanner.take("123", _AGE_AFTER[domain])))
    if kind not in KINDS:
        raise scanner.error_at_previous(
            message(
                "there is no {domain} card of Age {age}",
                domain=domain_name(domain),
                age=age_name(age_of(kind)),
            )
        )
    return kind


def read_cards(scanner: Scanner, maximum: int) -> Iterator[int]:
    """The kinds of a row of cards such as `M112R1`, which may be empty."""
    cards = 0
    while scanner.sees(LETTERS):
        domain = LETTERS.index(scanner.take(LETTERS, A_DOMAIN))
        while True:
            kind = read_kind(scanner, domain)
            cards += 1
            if cards > maximum:
                raise scanner.error_at_previous(message("expected at most {maximum} cards", maximum=maximum))
            yield kind
            if not scanner.sees_digit():
                break


def count_card(scanner: Scanner, kind: int) -> int:
    """Count a card toward the limits of its line; return its value in a pile."""
    tally = scanner.tally
    tally[kind] += 1
    domain, age = domain_of(kind), age_of(kind)
    in_domain = sum(tally[kind_of(domain, each)] for each in (1, 2, 3))
    if in_domain > MAX_OF_DOMAIN:
        raise scanner.error_at_previous(
            message(
                "expected at most {maximum} {domain} cards in the whole line",
                maximum=MAX_OF_DOMAIN,
                domain=domain_name(domain),
            )
        )
    if age < 3 and tally[kind] > MAX_OF_AGE:
        raise scanner.error_at_previous(
            message(
                "expected at most {maximum} cards {kind} in the whole line",
                maximum=MAX_OF_AGE,
                kind=write_cards([kind]),
            )
        )
    return card_of_age(age)


def read_piles(scanner: Scanner) -> list[int]:
    """The cards of one place, in six piles."""
    piles = [0] * DOMAINS
    for kind in read_cards(scanner, DOMAINS * MAX_OF_DOMAIN):
        piles[domain_of(kind)] += count_card(scanner, kind)
    return piles


def write_piles(piles: list[int]) -> str:
    """The cards of one place, by Domain, then Age."""
    return str(Cards.from_piles(piles))


def write_cards(kinds: list[int]) -> str:
    """A row of cards in the given order."""
    text = ""
    last = -1
    for kind in kinds:
        if domain_of(kind) != last:
            last = domain_of(kind)
            text += LETTERS[last]
        text += str(age_of(kind))
    return text


def read_deck(text: str) -> list[int]:
    """The kinds of a deck, from its top card down."""
    scanner = Scanner(message("deck"), text)
    kinds = list(read_cards(scanner, ALL_CARDS))
    scanner.finish(A_CARD)
    return kinds
