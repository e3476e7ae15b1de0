"""Checks of a setup (players, teams, seed, deck), and the first position of a game."""

from collections import Counter
from itertools import pairwise
from typing import Final

from hegemon.notation.cards import age_name, write_cards
from hegemon.notation.errors import quoted
from hegemon.rules.cards import KINDS, NUMBER_OF_CARDS, age_of, domain_of
from hegemon.rules.position import Position
from hegemon.rules.setup import Variant, cards_of_age, cards_removed, deal
from hegemon.rules.shuffle import MAX_SEED

# Plain integers, as compiled code takes them.
VARIANTS: Final = {variant.name.lower(): int(variant) for variant in Variant}


class SetupError(ValueError):
    """A setup that cannot be played: what is wrong, and what was expected."""


def check_players(players: int, teams: bool) -> None:
    """Two to four may play; teams are two of two (A14)."""
    if players not in (2, 3, 4):
        raise SetupError(f"Two, three or four can play, not {players}.")
    if teams and players != 4:
        raise SetupError(f"Teams are two against two, so four must play, not {players}.")


def read_variant(name: str) -> int:
    if name not in VARIANTS:
        raise SetupError(f'The cards are dealt "basic" or "draft", not {quoted(name)}.')
    return VARIANTS[name]


def check_seed(seed: int) -> None:
    if not 0 <= seed <= MAX_SEED:
        raise SetupError(f"A seed is a whole number from 0 to {MAX_SEED}, not {seed}.")


def check_deck(kinds: list[int], players: int) -> None:
    """A deck, from the top: the right number of each Age, I on top, and no more of a kind than the game has."""
    expected = [cards_of_age(players, age) for age in (1, 2, 3)]
    if len(kinds) != sum(expected):
        raise SetupError(f"A deck for {players} players has {sum(expected)} cards, not {len(kinds)}.")
    for place, kind in enumerate(kinds, 1):
        if kind not in KINDS:
            raise SetupError(f"Card {place} of the deck is none of the {len(KINDS)} kinds of card, M1 to U3.")
    ages = [age_of(kind) for kind in kinds]
    for age, number in enumerate(expected, 1):
        if ages.count(age) != number:
            removed = cards_removed(players)
            box = f", for {removed} of each Age stay in the box" if removed else ""
            raise SetupError(
                f"A deck for {players} players has {number} cards of Age {age_name(age)}{box}, not {ages.count(age)}."
            )
    for place, (above, below) in enumerate(pairwise(ages), 2):
        if above > below:
            raise SetupError(
                f"Age I lies on top, then II, then III; card {place} of the deck is out of order."
            )
    for kind, number in Counter(kinds).items():
        maximum = NUMBER_OF_CARDS[domain_of(kind)][age_of(kind) - 1]
        if number > maximum:
            raise SetupError(
                f"The game has {maximum} cards {write_cards([kind])}, and the deck shows {number}."
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
