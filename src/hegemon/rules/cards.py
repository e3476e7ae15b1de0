"""The 104 cards in six Domains and three Ages, and the piles that represent them."""

from enum import Enum, IntEnum
from functools import cached_property
from typing import Final

from hegemon.rules.rule import rule


class Domain(IntEnum):
    """The six Domains. Military is 0, so `if domain:` would miss it: compare with None or a number."""

    MILITARY = 0
    RELIGION = 1
    ECONOMY = 2
    SCIENCE = 3
    CULTURE = 4
    UTOPIA = 5

    __repr__ = Enum.__str__  # a repr that can be pasted back

    @cached_property
    def letter(self) -> str:
        """The letter of the Domain in the notation."""
        return LETTERS[self]


LETTERS: Final = "MRESCU"
DOMAINS: Final = len(Domain)

# Plain integers, which the interpreter reads fastest and which compiled code can read too.
MILITARY, RELIGION, ECONOMY, SCIENCE, CULTURE, UTOPIA = map(int, Domain)

#: The number of cards of each Domain (row) in Age I, II and III (column).
NUMBER_OF_CARDS: Final = (
    (8, 8, 4),
    (8, 8, 0),
    (4, 4, 8),
    (4, 8, 8),
    (4, 4, 8),
    (0, 0, 16),
)
ALL_CARDS: Final = 104

# A card is its Domain and its Age: `kind = 4 * domain + age`, and 0 means no card.
#: The fifteen kinds of card that exist, by Domain, then Age.
KINDS: Final = tuple(
    4 * domain + age for domain in range(DOMAINS) for age in (1, 2, 3) if NUMBER_OF_CARDS[domain][age - 1]
)

# A pile holds the cards of one Domain in one place and is the sum of its cards: a number with the count in its lowest
# five bits, then the number of cards of Age I (four bits) and of Age II (four bits); the rest are of Age III.
COUNT: Final = 31
AGE_I: Final = 1 + (1 << 5)
AGE_II: Final = 1 + (1 << 9)
AGE_III: Final = 1
AGES_I: Final = 15 << 5
AGES_II: Final = 15 << 9


@rule
def kind_of(domain: int, age: int) -> int:
    return 4 * domain + age


@rule
def domain_of(kind: int) -> int:
    return kind >> 2


@rule
def age_of(kind: int) -> int:
    return kind & 3


@rule
def card_of_age(age: int) -> int:
    """One card of an Age, as it is added to a pile or taken from it."""
    if age == 1:
        return AGE_I
    if age == 2:
        return AGE_II
    return AGE_III


@rule
def age_of_card(card: int) -> int:
    """The Age of one card taken from a pile."""
    if card == AGE_I:
        return 1
    if card == AGE_II:
        return 2
    return 3


@rule
def count(pile: int) -> int:
    return pile & COUNT


@rule
def count_of_age(pile: int, age: int) -> int:
    if age == 1:
        return (pile & AGES_I) >> 5
    if age == 2:
        return (pile & AGES_II) >> 9
    return (pile & COUNT) - ((pile & AGES_I) >> 5) - ((pile & AGES_II) >> 9)


@rule
def oldest(pile: int) -> int:
    """The card that moves if cards of several Ages could: one of the lowest Age (A19)."""
    if pile & AGES_I:
        return AGE_I
    if pile & AGES_II:
        return AGE_II
    return AGE_III


@rule
def total(piles: list[int]) -> int:
    """The number of cards in the six piles of a hand, a play area or the discard pile."""
    return (
        (piles[MILITARY] & COUNT)
        + (piles[RELIGION] & COUNT)
        + (piles[ECONOMY] & COUNT)
        + (piles[SCIENCE] & COUNT)
        + (piles[CULTURE] & COUNT)
        + (piles[UTOPIA] & COUNT)
    )


@rule
def any_cards(piles: list[int]) -> bool:
    """Whether a place holds cards."""
    return (
        piles[MILITARY] | piles[RELIGION] | piles[ECONOMY] | piles[SCIENCE] | piles[CULTURE] | piles[UTOPIA]
    ) != 0


@rule
def domains_with(cards: int, piles: list[int]) -> int:
    """The Domains of which a place holds at least that many cards, one bit per Domain."""
    return (
        ((piles[MILITARY] & COUNT) >= cards) << MILITARY
        | ((piles[RELIGION] & COUNT) >= cards) << RELIGION
        | ((piles[ECONOMY] & COUNT) >= cards) << ECONOMY
        | ((piles[SCIENCE] & COUNT) >= cards) << SCIENCE
        | ((piles[CULTURE] & COUNT) >= cards) << CULTURE
        | ((piles[UTOPIA] & COUNT) >= cards) << UTOPIA
    )


@rule
def move(source: list[int], destination: list[int], domain: int) -> None:
    """Move the oldest card of a Domain from one place to another."""
    card = oldest(source[domain])
    source[domain] -= card
    destination[domain] += card
