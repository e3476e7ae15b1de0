"""Checks of a setup (players, teams, seed, deck), and the first position of a game."""

from collections import Counter
from itertools import pairwise
from numbers import Integral
from typing import Final

from hegemon.notation.cards import age_name, write_cards
from hegemon.notation.errors import quoted
from hegemon.notation.messages import MessageError
from hegemon.rules.cards import KINDS, NUMBER_OF_CARDS, age_of, domain_of
from hegemon.rules.position import Position
from hegemon.rules.setup import Variant, cards_of_age, cards_removed, deal
from hegemon.rules.shuffle import MAX_SEED

# Plain integers, for compiled code.
VARIANTS: Final = {variant.name.lower(): int(variant) for variant in Variant}


class SetupError(MessageError, ValueError):
    """A setup that cannot be played: what is wrong and what was expected."""


def is_whole(number: object) -> bool:
    """Whether this is a whole number, of Python or of NumPy."""
    return isinstance(number, Integral) and not isinstance(number, bool)


def check_players(players: int, teams: bool) -> None:
    """Check that there are two to four players, and four in team games (A14)."""
    if not is_whole(players):
        raise SetupError("The number of players is a whole number, not {players}.", players=repr(players))
    if players not in (2, 3, 4):
        raise SetupError("Two, three or four can play, not {players}.", players=players)
    if teams and players != 4:
        raise SetupError("Teams are two against two, so four must play, not {players}.", players=players)


def read_variant(name: str) -> int:
    if name not in VARIANTS:
        raise SetupError("The variants are basic and draft; there is no {name}.", name=quoted(name))
    return VARIANTS[name]


def check_seed(seed: int) -> None:
    if not is_whole(seed) or not 0 <= seed <= MAX_SEED:
        raise SetupError(
            "A seed is a whole number from 0 to {most}, not {seed}.", most=MAX_SEED, seed=repr(seed)
        )


def check_deck(kinds: list[int], players: int) -> None:
    """Check a deck, given from the top: the right number of each Age, I on top, no more of a kind than the game has."""
    expected = [cards_of_age(players, age) for age in (1, 2, 3)]
    facts: dict[str, object] = {"players": players, "removed": cards_removed(players)}
    if len(kinds) != sum(expected):
        facts |= {"number": sum(expected), "found": len(kinds)}
        raise SetupError("A deck for {players} players has {number} cards, not {found}.", **facts)
    for place, kind in enumerate(kinds, 1):
        if kind not in KINDS:
            raise SetupError(
                "Card {place} of the deck is not one of the {number} kinds of cards, M1 to U3.",
                place=place,
                number=len(KINDS),
            )
    ages = [age_of(kind) for kind in kinds]
    for age, number in enumerate(expected, 1):
        if ages.count(age) != number:
            facts |= {"number": number, "age": age_name(age), "found": ages.count(age)}
            if not cards_removed(players):
                raise SetupError(
                    "A deck for {players} players has {number} cards of Age {age}, not {found}.", **facts
                )
            raise SetupError(
                "A deck for {players} players has {number} cards of Age {age}, as {removed} of each Age stay in the "
                "box, not {found}.",
                **facts,
            )
    for place, (above, below) in enumerate(pairwise(ages), 2):
        if above > below:
            raise SetupError(
                "Age I is on top, then II, then III; card {place} of the deck is out of order.", place=place
            )
    for kind, number in Counter(kinds).items():
        maximum = NUMBER_OF_CARDS[domain_of(kind)][age_of(kind) - 1]
        if number > maximum:
            raise SetupError(
                "The game has {number} cards {kind}, and the deck has {found}.",
                number=maximum,
                kind=write_cards([kind]),
                found=number,
            )


def setup_position(players: int, variant: int, teams: bool, rulings: int, kinds: list[int]) -> Position:
    """The first position of a game with a deck, given from its top card down."""
    check_players(players, teams)
    check_deck(kinds, players)
    position = Position(players=players, teams=int(teams), rulings=rulings)
    position.deck_size = len(kinds)
    position.deck[: len(kinds)] = kinds[::-1]
    deal(position, variant)
    return position
