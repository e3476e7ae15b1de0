"""What a learner sees: one row of small numbers for one seat, and the table that says which number means what.

A row holds what `hegemon.rules.view` shows to that seat, no more and no less. Seats are told clockwise from the
viewer, so that "one to the left" is always in the same place and the relative words (`r+1`, `e+2`) fit.
"""

from dataclasses import dataclass
from itertools import accumulate
from math import prod
from typing import Any, Final

import numpy as np

from hegemon.kernels.compiler import kernel
from hegemon.rules.cards import AGES_I, AGES_II, COUNT, DOMAINS, age_of, count_of_age, domain_of, total
from hegemon.rules.position import (
    DEMOCRACY_DOMAIN,
    DRAFT_PICK,
    EMBARGO_DOMAIN,
    GIVE,
    MAX_PLAYERS,
    OVER,
    Position,
)
from hegemon.rules.rulings import SHOW_BACKS, SWITCHES
from hegemon.rules.setup import cards_of_age, owes_pick

#: The number of this layout. It changes whenever the place or the meaning of any number in a row does.
OBSERVATION_VERSION: Final = 1

# Cards are told in four numbers: those of Age I, II and III, and all of them. Together they are one machine word.
_TOLD: Final = 4
_EFFECTS: Final = 2 * DOMAINS
_SWITCHES: Final = len(SWITCHES)
_LARGEST: Final = 255


@dataclass(frozen=True, slots=True)
class Piece:
    """A named part of an observation: so many numbers from `offset` on."""

    name: str
    offset: int
    shape: tuple[int, ...]
    meaning: str

    @property
    def length(self) -> int:
        """How many numbers the piece has."""
        return prod(self.shape)


_CARDS: Final = (DOMAINS, _TOLD)
_SEATS: Final = (MAX_PLAYERS,)

_TABLE: Final[tuple[tuple[str, tuple[int, ...], str], ...]] = (
    ("hand", _CARDS, "own hand by Domain; in the draft, the packet to choose from"),
    ("areas", (*_SEATS, *_CARDS), "face-up cards of each seat by Domain"),
    ("discard_pile", _CARDS, "discard pile by Domain"),
    ("backs", (*_SEATS, _TOLD), "cards in each hand; their Ages only where backs are shown"),
    ("deck", (_TOLD,), "cards left in the Age deck"),
    ("embargoes", (*_SEATS, *_CARDS), "Economy cards lying face down on each seat's Domains"),
    ("kept", _CARDS, "own draft picks so far, by Domain"),
    (
        "kept_backs",
        (*_SEATS, _TOLD),
        "draft picks of each seat so far; their Ages only where backs are shown",
    ),
    ("center", _CARDS, "face-up cards in the middle, in the draft"),
    ("democracies", (*_SEATS, DOMAINS), "Democracies in each seat's Domains"),
    ("owing", _SEATS, "1 for each seat that still owes a draft pick"),
    ("question", (OVER + 1,), "1 at the `Question` that is asked"),
    ("asked", _SEATS, "1 at the seat that is asked; after a Hegemony, at its winner"),
    ("target", _SEATS, "1 at the seat that an Inquisition, an Embargo or a Democracy is aimed at"),
    ("left", (1,), "cards still asked for; in the draft, picks that each seat had to make with this packet"),
    ("floor", (1,), "lowest Domain still offered to the viewer"),
    ("plays", (1,), "cards to be played once the cards asked for are gone"),
    ("hand_size", (1,), "cards to draw up to at the end of this turn"),
    (
        "used",
        (_EFFECTS,),
        "1 for each effect used this turn: six permanent (Culture: Inspiration), six discard",
    ),
    (
        "new_embargo",
        (DOMAINS,),
        "at its Domain, the Age of an Embargo put on oneself this turn",
    ),
    ("coin_owner", _SEATS, "1 at the seat that copied last"),
    ("coin_seat", _SEATS, "1 at the seat that it copied from"),
    ("coin_domain", (DOMAINS,), "1 at the Domain that it copied"),
    ("round", (1,), f"the round, from 1 to {_LARGEST} at most; 0 in the draft"),
    ("drew", (1,), "1 if somebody drew from the Age deck this round"),
    ("quiet_rounds", (1,), "whole rounds on end in which nobody drew"),
    ("place", _SEATS, "1 at the viewer's own seat, counted from the First Player"),
    ("players", _SEATS, "1 for each seat at the table"),
    ("teams", (1,), "1 if the seats across play together"),
    ("rulings", (_SWITCHES,), f"1 for each switch that is on: {', '.join(SWITCHES)}"),
)

#: Every piece of an observation, in the order in which they stand in a row.
OBSERVATION: Final = tuple(
    Piece(name, end - prod(shape), shape, meaning)
    for (name, shape, meaning), end in zip(
        _TABLE, accumulate(prod(shape) for _, shape, _ in _TABLE), strict=True
    )
)

#: How many numbers an observation has.
FEATURES: Final = sum(piece.length for piece in OBSERVATION)

_OFFSET: Final = {piece.name: piece.offset for piece in OBSERVATION}

# Compiled code reads plain integers, not tables of names. Cards are written word by word, the rest byte by byte.
_HAND: Final = _OFFSET["hand"] // _TOLD
_AREAS: Final = _OFFSET["areas"] // _TOLD
_DISCARD_PILE: Final = _OFFSET["discard_pile"] // _TOLD
_BACKS: Final = _OFFSET["backs"] // _TOLD
_DECK: Final = _OFFSET["deck"] // _TOLD
_EMBARGOES: Final = _OFFSET["embargoes"] // _TOLD
_KEPT: Final = _OFFSET["kept"] // _TOLD
_KEPT_BACKS: Final = _OFFSET["kept_backs"] // _TOLD
_CENTER: Final = _OFFSET["center"] // _TOLD
_DEMOCRACIES: Final = _OFFSET["democracies"]
_OWING: Final = _OFFSET["owing"]
_QUESTION: Final = _OFFSET["question"]
_ASKED: Final = _OFFSET["asked"]
_TARGET: Final = _OFFSET["target"]
_LEFT: Final = _OFFSET["left"]
_FLOOR: Final = _OFFSET["floor"]
_PLAYS: Final = _OFFSET["plays"]
_HAND_SIZE: Final = _OFFSET["hand_size"]
_USED: Final = _OFFSET["used"]
_NEW_EMBARGO: Final = _OFFSET["new_embargo"]
_COIN_OWNER: Final = _OFFSET["coin_owner"]
_COIN_SEAT: Final = _OFFSET["coin_seat"]
_COIN_DOMAIN: Final = _OFFSET["coin_domain"]
_ROUND: Final = _OFFSET["round"]
_DREW: Final = _OFFSET["drew"]
_QUIET_ROUNDS: Final = _OFFSET["quiet_rounds"]
_PLACE: Final = _OFFSET["place"]
_PLAYERS: Final = _OFFSET["players"]
_TEAMS: Final = _OFFSET["teams"]
_RULINGS: Final = _OFFSET["rulings"]


def words_of_piles() -> Any:
    """What every pile holds, as a word: four bytes, the number of Age I in the lowest. One look tells it all."""
    piles = np.arange(COUNT + AGES_I + AGES_II + 1)
    one, two, three = (count_of_age(piles, age) for age in (1, 2, 3))  # type: ignore[arg-type]  # an array of piles works as one pile does
    return (one | two << 8 | three << 16 | (piles & COUNT) << 24).astype(np.uint32)


_PILES: Final = words_of_piles()


@kernel
def seats_to_the_left(position: Position, viewer: int, seat: int) -> int:
    """How many places to the left of the viewer a seat is."""
    return seat - viewer if seat >= viewer else seat - viewer + position.players


@kernel
def write_cards(words: Any, place: int, piles: list[int]) -> None:
    """The cards of one place, by Domain."""
    for domain in range(DOMAINS):
        words[place + domain] = _PILES[piles[domain]]


@kernel
def write_backs(words: Any, place: int, piles: list[int], backs_shown: int) -> None:
    """The cards of one place together, as their backs tell them."""
    cards = 0
    for domain in range(DOMAINS):
        cards += _PILES[piles[domain]]
    words[place] = cards if backs_shown else cards >> 24 << 24


@kernel
def write_bits(row: Any, place: int, bits: int, number: int) -> None:
    """A set, one number a member."""
    for bit in range(number):
        row[place + bit] = bits >> bit & 1


@kernel
def write_deck(words: Any, position: Position) -> None:
    """The cards left in the Age deck: Age III lies at the bottom, Age I on top."""
    left = position.deck_size
    three = min(left, cards_of_age(position.players, 3))
    two = min(left - three, cards_of_age(position.players, 2))
    words[_DECK] = (left - three - two) | two << 8 | three << 16 | left << 24


@kernel
def write_seats(row: Any, words: Any, position: Position, viewer: int) -> None:
    """What lies in front of each seat, and what is to be seen of its hand."""
    for seat in range(position.players):
        left = seats_to_the_left(position, viewer, seat)
        row[_PLAYERS + left] = 1
        write_cards(words, _AREAS + DOMAINS * left, position.areas[seat])
        write_backs(words, _BACKS + left, position.hands[seat], position.rulings & SHOW_BACKS)
        write_cards(words, _EMBARGOES + DOMAINS * left, position.embargoes[seat])
        for domain in range(DOMAINS):
            row[_DEMOCRACIES + DOMAINS * left + domain] = position.democracies[seat][domain]


@kernel
def write_draft(row: Any, words: Any, position: Position, viewer: int) -> None:
    """What lies on the table in the draft alone."""
    write_cards(words, _KEPT, position.kept[viewer])
    write_cards(words, _CENTER, position.center_piles)
    for seat in range(position.players):
        left = seats_to_the_left(position, viewer, seat)
        write_backs(words, _KEPT_BACKS + left, position.kept[seat], position.rulings & SHOW_BACKS)
        if position.question == DRAFT_PICK and owes_pick(position, seat):
            row[_OWING + left] = 1


@kernel
def write_question(row: Any, position: Position, viewer: int) -> None:
    """What is asked of whom."""
    question = position.question
    row[_QUESTION + question] = 1
    row[_ASKED + seats_to_the_left(position, viewer, position.seat)] = 1
    if question in (GIVE, EMBARGO_DOMAIN, DEMOCRACY_DOMAIN):
        row[_TARGET + seats_to_the_left(position, viewer, position.target)] = 1
    row[_LEFT] = position.left
    if viewer == position.seat:
        row[_FLOOR] = position.floor
    row[_PLAYS] = position.plays
    row[_HAND_SIZE] = position.hand_size
    write_bits(row, _USED, position.used, _EFFECTS)
    if position.new_embargo:
        row[_NEW_EMBARGO + domain_of(position.new_embargo)] = age_of(position.new_embargo)


@kernel
def write_coin(row: Any, position: Position, viewer: int) -> None:
    """Who copied last, what and from whom."""
    if position.coin_owner:
        row[_COIN_OWNER + seats_to_the_left(position, viewer, position.coin_owner - 1)] = 1
        row[_COIN_SEAT + seats_to_the_left(position, viewer, position.coin_seat)] = 1
        row[_COIN_DOMAIN + position.coin_domain] = 1


@kernel
def write_table(row: Any, position: Position, viewer: int) -> None:
    """How far the game is, and by what rules it is played."""
    row[_ROUND] = min(position.round, _LARGEST)
    row[_DREW] = position.drew
    row[_QUIET_ROUNDS] = position.quiet_rounds
    row[_PLACE + viewer] = 1
    row[_TEAMS] = position.teams
    write_bits(row, _RULINGS, position.rulings, _SWITCHES)


@kernel
def hide_gifts(row: Any, words: Any, position: Position, viewer: int) -> None:
    """Cards given back change hands all at once: until then only the inquisitor sees them apart (A35)."""
    target = seats_to_the_left(position, viewer, position.target)
    words[_BACKS + seats_to_the_left(position, viewer, position.seat)] += words[_BACKS + target]
    words[_BACKS + target] = 0
    row[_LEFT] += total(position.hands[position.target])
    if target == 0:
        for domain in range(DOMAINS):
            words[_HAND + domain] = 0


@kernel
def observe(row: Any, words: Any, position: Position, viewer: int) -> None:
    """Write what a seat sees into a row of bytes; `words` is the same row, four bytes a word."""
    for place in range(len(words)):  # of a length that the compiler does not know: it calls memset then
        words[place] = 0
    write_cards(words, _HAND, position.hands[viewer])
    write_seats(row, words, position, viewer)
    write_cards(words, _DISCARD_PILE, position.discard_piles)
    write_deck(words, position)
    write_question(row, position, viewer)
    write_coin(row, position, viewer)
    write_table(row, position, viewer)
    if position.round == 0:
        write_draft(row, words, position, viewer)
    if position.question == GIVE and viewer != position.seat:
        hide_gifts(row, words, position, viewer)


def observation(position: Position, viewer: int) -> Any:
    """What a seat sees of a position, as a new row; in the interpreter, so for one position and not for thousands."""
    row = np.zeros(FEATURES, np.uint8)
    observe(row, row.view(np.uint32), position, viewer)
    return row
