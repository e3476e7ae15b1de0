"""Observations: one row of bytes per seat, and the table of what each of them means.

A row contains exactly what `hegemon.rules.view` shows to the seat and what it remembers of other hands. Seats are in
clockwise order from the viewer, which matches the relative actions (`r+1`, `e+2`).
"""

from collections import namedtuple
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import accumulate
from math import prod
from typing import Any, Final

import numpy as np

from hegemon.kernels.compiler import kernel
from hegemon.kernels.knowledge import KNOWLEDGE, NEXT, count_of_kind, kind_index, seats_to_the_left
from hegemon.rules.cards import (
    AGES_I,
    AGES_II,
    COUNT,
    DOMAINS,
    RELIGION,
    UTOPIA,
    age_of,
    count,
    count_of_age,
    domain_of,
    total,
)
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

#: The version of the layout; it changes with the place or the meaning of any number in a row.
OBSERVATION_VERSION: Final = 2

#: The largest number in an observation.
MAX_FEATURE: Final = 255

# Cards are four numbers: those of Age I, II and III, and their sum. Together they are one 32-bit word.
_COUNTS: Final = 4
_EFFECTS: Final = 2 * DOMAINS
_SWITCHES: Final = len(SWITCHES)
_CARDS: Final = (DOMAINS, _COUNTS)
_SEATS: Final = (MAX_PLAYERS,)


@dataclass(frozen=True, slots=True)
class Piece:
    """A named part of an observation: `length` numbers from `offset` on."""

    name: str
    offset: int
    shape: tuple[int, ...]
    meaning: str

    @property
    def length(self) -> int:
        return prod(self.shape)


_PIECES: Final[tuple[tuple[str, tuple[int, ...], str], ...]] = (
    ("hand", _CARDS, "own hand by Domain; in the draft, the packet to choose from"),
    ("areas", (*_SEATS, *_CARDS), "face-up cards of each seat by Domain"),
    ("discard_pile", _CARDS, "discard pile by Domain"),
    ("backs", (*_SEATS, _COUNTS), "cards in each hand; their Ages only where backs are shown"),
    ("deck", (_COUNTS,), "cards left in the Age deck"),
    ("embargoes", (*_SEATS, *_CARDS), "Economy cards lying face down on each seat's Domains"),
    ("kept", _CARDS, "own draft picks so far, by Domain"),
    ("kept_backs", (*_SEATS, _COUNTS), "draft picks of each seat so far; their Ages only where backs are shown"),
    ("center", _CARDS, "face-up cards in the middle, in the draft"),
    ("democracies", (*_SEATS, DOMAINS), "Democracies in each seat's Domains"),
    ("owing", _SEATS, "1 for each seat that still owes a draft pick"),
    ("question", (OVER + 1,), "1 at the open `Question`"),
    ("to_move", _SEATS, "1 at the seat to move; after a Hegemony, at its winner"),
    ("target", _SEATS, "1 at the seat that an Inquisition, an Embargo or a Democracy is aimed at"),
    ("left", (1,), "cards still to pick; in the draft, picks that each seat had to make with this packet"),
    ("floor", (1,), "lowest Domain still offered to the viewer"),
    ("plays", (1,), "cards to be played once the cards to pick are gone"),
    ("hand_size", (1,), "cards to draw up to at the end of this turn"),
    ("used", (_EFFECTS,), "1 for each effect used this turn: six permanent (Culture: Inspiration), six discard"),
    ("new_embargo", (DOMAINS,), "at its Domain, the Age of an Embargo put on oneself this turn"),
    ("coin_owner", _SEATS, "1 at the seat that copied last"),
    ("coin_seat", _SEATS, "1 at the seat that it copied from"),
    ("coin_domain", (DOMAINS,), "1 at the Domain that it copied"),
    ("round", (1,), f"the round, from 1 to {MAX_FEATURE} at most; 0 in the draft"),
    ("drew", (1,), "1 if a card was drawn from the Age deck this round"),
    ("quiet_rounds", (1,), "whole rounds in a row in which no card was drawn"),
    ("place", _SEATS, "1 at the viewer's own seat, counted from the First Player"),
    ("players", _SEATS, "1 for each seat at the table"),
    ("teams", (1,), "1 if the seats across play together"),
    ("rulings", (_SWITCHES,), f"1 for each switch that is on: {', '.join(SWITCHES)}"),
    ("known", (MAX_PLAYERS - 1, *_CARDS), "cards that each other seat holds for certain, as the viewer remembers them"),
)  # fmt: skip

#: The pieces of an observation, in order.
OBSERVATION: Final = tuple(
    Piece(name, end - prod(shape), shape, meaning)
    for (name, shape, meaning), end in zip(
        _PIECES, accumulate(prod(shape) for _, shape, _ in _PIECES), strict=True
    )
)

#: The length of an observation.
FEATURES: Final = sum(piece.length for piece in OBSERVATION)

# Offsets for compiled code: of every piece in bytes, and of pieces with cards in words.
_Offsets = namedtuple("_Offsets", [piece.name for piece in OBSERVATION])  # type: ignore[misc]  # not a literal
_BYTE: Final[Any] = _Offsets(*(piece.offset for piece in OBSERVATION))
_WORD: Final[Any] = _Offsets(*(piece.offset // _COUNTS for piece in OBSERVATION))


@kernel
def word_of_pile(pile: int) -> int:
    """The cards of a pile as a word: four bytes, Age I in the lowest."""
    one, two, three = count_of_age(pile, 1), count_of_age(pile, 2), count_of_age(pile, 3)
    return one | two << 8 | three << 16 | count(pile) << 24


# A lookup table for CPUs; CUDA would copy it to every place that reads it.
_WORDS: Final = np.array(word_of_pile(np.arange(COUNT + AGES_I + AGES_II + 1)), np.uint32)  # type: ignore[arg-type]  # also works for an array of piles


def register() -> None:
    """Let compiled code on a CPU use the lookup table, which is faster than computing the word."""
    overload = import_module("numba.extending").overload
    overload(word_of_pile, target="cpu")(lambda pile: lambda pile: _WORDS[pile])


@kernel
def write_cards(words: Any, place: int, piles: list[int]) -> None:
    for domain in range(DOMAINS):
        words[place + domain] = word_of_pile(piles[domain])


@kernel
def write_backs(words: Any, place: int, piles: list[int], backs_shown: int) -> None:
    """Write the number of cards of six piles together; their Ages only where backs are shown."""
    cards = 0
    for domain in range(DOMAINS):
        cards += word_of_pile(piles[domain])
    words[place] = cards if backs_shown else cards >> 24 << 24


@kernel
def write_bits(row: Any, place: int, bits: int, number: int) -> None:
    for bit in range(number):
        row[place + bit] = bits >> bit & 1


@kernel
def write_deck(words: Any, position: Position) -> None:
    """Write the cards left in the Age deck: Age III is at the bottom, Age I on top."""
    left = position.deck_size
    three = min(left, cards_of_age(position.players, 3))
    two = min(left - three, cards_of_age(position.players, 2))
    words[_WORD.deck] = (left - three - two) | two << 8 | three << 16 | left << 24


@kernel
def write_seats(row: Any, words: Any, position: Position, viewer: int) -> None:
    for seat in range(position.players):
        left = seats_to_the_left(position, viewer, seat)
        row[_BYTE.players + left] = 1
        write_cards(words, _WORD.areas + DOMAINS * left, position.areas[seat])
        write_backs(words, _WORD.backs + left, position.hands[seat], position.rulings & SHOW_BACKS)
        write_cards(words, _WORD.embargoes + DOMAINS * left, position.embargoes[seat])
        for domain in range(DOMAINS):
            row[_BYTE.democracies + DOMAINS * left + domain] = position.democracies[seat][domain]


@kernel
def write_draft(row: Any, words: Any, position: Position, viewer: int) -> None:
    write_cards(words, _WORD.kept, position.kept[viewer])
    write_cards(words, _WORD.center, position.center_piles)
    for seat in range(position.players):
        left = seats_to_the_left(position, viewer, seat)
        write_backs(words, _WORD.kept_backs + left, position.kept[seat], position.rulings & SHOW_BACKS)
        if position.question == DRAFT_PICK and owes_pick(position, seat):
            row[_BYTE.owing + left] = 1


@kernel
def write_question(row: Any, position: Position, viewer: int) -> None:
    question = position.question
    row[_BYTE.question + question] = 1
    row[_BYTE.to_move + seats_to_the_left(position, viewer, position.seat)] = 1
    if question in (GIVE, EMBARGO_DOMAIN, DEMOCRACY_DOMAIN):
        row[_BYTE.target + seats_to_the_left(position, viewer, position.target)] = 1
    row[_BYTE.left] = position.left
    if viewer == position.seat:
        row[_BYTE.floor] = position.floor
    row[_BYTE.plays] = position.plays
    row[_BYTE.hand_size] = position.hand_size
    write_bits(row, _BYTE.used, position.used, _EFFECTS)
    if position.new_embargo:
        row[_BYTE.new_embargo + domain_of(position.new_embargo)] = age_of(position.new_embargo)


@kernel
def write_coin(row: Any, position: Position, viewer: int) -> None:
    if position.coin_owner:
        row[_BYTE.coin_owner + seats_to_the_left(position, viewer, position.coin_owner - 1)] = 1
        row[_BYTE.coin_seat + seats_to_the_left(position, viewer, position.coin_seat)] = 1
        row[_BYTE.coin_domain + position.coin_domain] = 1


@kernel
def write_table(row: Any, position: Position, viewer: int) -> None:
    """Write the progress of the game and its rulings."""
    row[_BYTE.round] = min(position.round, MAX_FEATURE)
    row[_BYTE.drew] = position.drew
    row[_BYTE.quiet_rounds] = position.quiet_rounds
    row[_BYTE.place + viewer] = 1
    row[_BYTE.teams] = position.teams
    write_bits(row, _BYTE.rulings, position.rulings, _SWITCHES)


@kernel
def hide_gifts(row: Any, words: Any, position: Position, viewer: int) -> None:
    """Show cards that are being given back as still held; only their giver sees them separately (A35)."""
    target = seats_to_the_left(position, viewer, position.target)
    words[_WORD.backs + seats_to_the_left(position, viewer, position.seat)] += words[_WORD.backs + target]
    words[_WORD.backs + target] = 0
    row[_BYTE.left] += total(position.hands[position.target])
    if target == 0:
        for domain in range(DOMAINS):
            words[_WORD.hand + domain] = 0


@kernel
def word_of_known(cards: int, domain: int) -> int:
    """The cards of a Domain that a seat is known to hold, as a word."""
    one, two, three = 0, 0, 0
    if domain != UTOPIA:
        one, two = count_of_kind(cards, kind_index(domain, 1)), count_of_kind(cards, kind_index(domain, 2))
    if domain != RELIGION:
        three = count_of_kind(cards, kind_index(domain, 3))
    return one | two << 8 | three << 16 | (one + two + three) << 24


@kernel
def write_known(words: Any, position: Position, known: Any, first: int) -> None:
    for left in range(position.players - 1):
        cards = known[first + (NEXT << left)]
        if cards:
            for domain in range(DOMAINS):
                words[_WORD.known + DOMAINS * left + domain] = word_of_known(cards, domain)


@kernel
def observe(row: Any, words: Any, position: Position, viewer: int, known: Any, first: int) -> None:
    """Write the observation of a seat to a row of bytes; `words` is a view of the same row as 32-bit words.

    The seat's memory starts at `known[first]`, as in `hegemon.kernels.knowledge`.
    """
    for place in range(len(words)):  # not a constant length, so that the compiler calls memset
        words[place] = 0
    write_known(words, position, known, first)  # first: after the other writes it takes three times as long
    write_cards(words, _WORD.hand, position.hands[viewer])
    write_seats(row, words, position, viewer)
    write_cards(words, _WORD.discard_pile, position.discard_piles)
    write_deck(words, position)
    write_question(row, position, viewer)
    write_coin(row, position, viewer)
    write_table(row, position, viewer)
    if position.round == 0:
        write_draft(row, words, position, viewer)
    if position.question == GIVE and viewer != position.seat:
        hide_gifts(row, words, position, viewer)


def observation(position: Position, viewer: int, known: Sequence[int] = (0,) * KNOWLEDGE) -> Any:
    """The observation of a seat as a new row, computed in the interpreter."""
    row = np.zeros(FEATURES, np.uint8)
    observe(row, row.view(np.uint32), position, viewer, known, viewer)
    return row
