"""Cards as values: the cards of one place, to be iterated, counted and compared."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from typing import Final

from hegemon.rules.cards import (
    COUNT,
    DOMAINS,
    KINDS,
    LETTERS,
    Domain,
    age_of,
    card_of_age,
    count_of_age,
    domain_of,
)

#: The kind of a card by its name, such as "M1".
KIND_OF: Final = {f"{LETTERS[domain_of(kind)]}{age_of(kind)}": kind for kind in KINDS}


class Card(str):
    """A card as text, a Domain's letter and an Age: `Card("M1")` equals "M1" and has a `domain` and an `age`."""

    __slots__ = ()

    def __new__(cls, name: str) -> "Card":
        if name not in KIND_OF:
            raise ValueError(f'"{name[:40]}" is not a card: a Domain and an Age, such as M1.')
        return super().__new__(cls, name)

    @property
    def domain(self) -> Domain:
        return Domain(LETTERS.index(self[0]))

    @property
    def age(self) -> int:
        return int(self[1])


@cache
def ages_in(pile: int) -> str:
    """The Ages of a pile, one digit per card."""
    return "".join(str(age) * count_of_age(pile, age) for age in (1, 2, 3))


@cache
def cards_in(domain: int, pile: int) -> tuple[Card, ...]:
    """The cards of the pile of a Domain, by Age."""
    return tuple(Card(LETTERS[domain] + age) for age in ages_in(pile))


class Cards(Collection[Card]):
    """The cards of one place, ordered by Domain and Age; immutable.

    `Cards("M12R1")` holds Military cards of the Ages I and II and a Religion card of Age I.
    """

    __slots__ = ("piles",)

    piles: tuple[int, ...]
    """The cards as the rules count them: one packed integer per Domain."""

    def __init__(self, cards: str | Iterable[str] = "") -> None:
        text = "".join(cards)
        names = [letter + age for letter, ages in re.findall("([MRESCU])([123]+)", text) for age in ages]
        if not re.fullmatch("([MRESCU][123]+)*", text) or not KIND_OF.keys() >= set(names):
            raise ValueError(f'"{text[:40]}" is not a row of cards such as M12R1.')
        piles = [0] * DOMAINS
        kinds = [KIND_OF[name] for name in names]
        for kind in kinds:
            piles[domain_of(kind)] += card_of_age(age_of(kind))
        self.piles = tuple(piles)
        if any(self.count(domain_of(kind), age_of(kind)) != kinds.count(kind) for kind in set(kinds)):
            raise ValueError("A place holds at most 31 cards of a Domain, and 15 of them of Age I or II.")

    @classmethod
    def from_piles(cls, piles: Sequence[int]) -> "Cards":
        cards = cls.__new__(cls)
        cards.piles = tuple(piles)
        return cards

    def count(self, domain: int, age: int | None = None) -> int:
        """The number of cards of a Domain, or of a Domain and an Age."""
        pile = self.piles[domain]
        return pile & COUNT if age is None else count_of_age(pile, age)

    def __len__(self) -> int:
        return sum(pile & COUNT for pile in self.piles)

    def __iter__(self) -> Iterator[Card]:
        for domain, pile in enumerate(self.piles):
            yield from cards_in(domain, pile)

    def __contains__(self, card: object) -> bool:
        return any(card == own for own in self)

    def __eq__(self, other: object) -> bool:
        return self.piles == other.piles if isinstance(other, Cards) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.piles)

    def __str__(self) -> str:
        return "".join(LETTERS[domain] + ages_in(pile) for domain, pile in enumerate(self.piles) if pile)

    def __repr__(self) -> str:
        return f"Cards({str(self)!r})"
