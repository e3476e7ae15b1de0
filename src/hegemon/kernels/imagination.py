"""Dealing what a seat cannot see, so that every way the cards can lie that fits its knowledge is equally likely.

`hegemon.play.imagine` prepares an `Unseen` once, of lists. It deals from it interpreted, and the search compiled, from
the same lists as arrays.
"""

from typing import Any, Final, NamedTuple

from hegemon.kernels.compiler import kernel
from hegemon.rules.cards import ALL_CARDS, age_of, card_of_age, domain_of
from hegemon.rules.engine import legal
from hegemon.rules.position import MAX_PLAYERS, OVER, Position
from hegemon.rules.shuffle import below, next_state

#: What the back of a card shows: its Age; or 0, where backs are not shown.
BACKS: Final = 4

#: Another player who has to play a card has one that no Embargo forbids. A position without one is imagined again; a
#: few tries are enough, so when all of these have failed, nothing fits.
MAX_TRIES: Final = 10_000

#: Where hidden cards lie: `2 * seat` is a seat's hand, `2 * seat + 1` its draft picks that lie face down.
PLACES: Final = 2 * MAX_PLAYERS


class Unseen(NamedTuple):
    """What a seat does not know. Columns of `slots` and rows of `pool` are backs."""

    backs_shown: bool
    pool: list[list[int]]
    """The kinds of the cards that could lie anywhere, by Age; row 0 is for all of them where backs are not shown."""
    sizes: list[int]
    """How many there are of each Age."""
    deck: list[int]
    """How many of each Age lie in the deck."""
    boxed: int
    """How many of each Age are in the box, where backs are not shown."""
    slots: list[list[int]]
    """How many cards with each back lie in each place, those that are certain not counted."""
    bundled: list[int]
    """The kinds of cards that were seen together and divided between places, one bundle after the other."""
    bundled_places: list[int]
    """The place of each of them; which card lies in which place of its bundle is unknown."""
    bundle_ends: list[int]
    loose: list[int]
    """The kinds of cards of which each lies in one of several hands, small groups of hands first."""
    loose_seats: list[int]
    """The seats of those hands, one bit a seat."""
    left: list[list[int]]
    """Working memory: how much of `slots` is still empty, and in the last row how much of each pool is dealt."""

    @classmethod
    def empty(cls) -> "Unseen":
        return cls(
            backs_shown=True,
            pool=[[0] * ALL_CARDS for _ in range(BACKS)],
            sizes=[0] * BACKS,
            deck=[0] * BACKS,
            boxed=0,
            slots=[[0] * BACKS for _ in range(PLACES)],
            bundled=[],
            bundled_places=[],
            bundle_ends=[],
            loose=[],
            loose_seats=[],
            left=[[0] * BACKS for _ in range(PLACES + 1)],
        )

    def arrays(self) -> "Unseen":
        """The same for compiled code."""
        import numpy as np

        fields: list[Any] = [
            np.array(field, np.int64) if isinstance(field, list) else field for field in self
        ]
        return Unseen(*fields)


@kernel
def shuffle_cards(cards: list[int], begin: int, end: int, state: int) -> int:
    """Shuffle the cards from `begin` up to `end`; returns the next state."""
    for last in range(end - 1, begin, -1):
        state = next_state(state)
        place = begin + below(state, last - begin + 1)
        card = cards[last]
        cards[last] = cards[place]
        cards[place] = card
    return state


@kernel
def put(position: Position, place: int, kind: int) -> None:
    piles = position.kept[place >> 1] if place & 1 else position.hands[place >> 1]
    piles[domain_of(kind)] += card_of_age(age_of(kind))


@kernel
def deal_deck(position: Position, unseen: Unseen, state: int) -> int:
    """Shuffle what could lie anywhere, and make the Age deck of it; returns the next state."""
    size = 0
    mixed = 0
    dealt = unseen.left[PLACES]
    all_ages = unseen.pool[0]
    for age in range(3, 0, -1):
        pool = unseen.pool[age]
        state = shuffle_cards(pool, 0, unseen.sizes[age], state)
        for place in range(unseen.deck[age]):
            position.deck[size] = pool[place]
            size += 1
        dealt[age] = unseen.deck[age]
        if not unseen.backs_shown:
            for place in range(unseen.deck[age] + unseen.boxed, unseen.sizes[age]):
                all_ages[mixed] = pool[place]
                mixed += 1
    position.deck_size = size
    dealt[0] = 0
    return shuffle_cards(all_ages, 0, mixed, state)


@kernel
def deal_remembered(position: Position, unseen: Unseen, state: int) -> int:
    """Put the cards that are known to lie in one of several places into one of them; returns the next state."""
    left = unseen.left
    begin = 0
    for bundle in range(len(unseen.bundle_ends)):
        end = unseen.bundle_ends[bundle]
        state = shuffle_cards(unseen.bundled, begin, end, state)
        for card in range(begin, end):
            kind = unseen.bundled[card]
            place = unseen.bundled_places[card]
            put(position, place, kind)
            left[place][age_of(kind) if unseen.backs_shown else 0] -= 1
        begin = end
    for card in range(len(unseen.loose)):
        kind = unseen.loose[card]
        back = age_of(kind) if unseen.backs_shown else 0
        empty = 0
        for seat in range(position.players):
            if unseen.loose_seats[card] >> seat & 1:
                empty += left[2 * seat][back]
        state = next_state(state)
        ahead = below(state, empty)
        place = 0
        for seat in range(position.players):
            if ahead >= 0 and unseen.loose_seats[card] >> seat & 1:
                place = 2 * seat
                ahead -= left[place][back]
        put(position, place, kind)
        left[place][back] -= 1
    return state


@kernel
def deal_unseen(position: Position, unseen: Unseen, state: int) -> int:
    """Deal everything unseen into a position that holds what is certain; returns the next state.

    An entry of `left` below zero says that more cards are remembered to lie in a place than it holds.
    """
    state = deal_deck(position, unseen, state)
    left = unseen.left
    for place in range(2 * position.players):
        for back in range(BACKS):
            left[place][back] = unseen.slots[place][back]
    state = deal_remembered(position, unseen, state)
    dealt = left[PLACES]
    for place in range(2 * position.players):
        for back in range(BACKS):
            for _ in range(left[place][back]):
                put(position, place, unseen.pool[back][dealt[back]])
                dealt[back] += 1
    return state


@kernel
def is_possible(position: Position) -> bool:
    """Whether the seat to move can answer the open question."""
    return position.question == OVER or legal(position) != 0


def deal_tables(tables: Any, certain: Any, unseen: Unseen, state: int) -> None:
    """Deal everything unseen into each of the tables, from a position that holds what is certain."""
    for table in range(len(tables)):
        for _ in range(MAX_TRIES):
            tables[table] = certain[0]
            state = deal_unseen(tables[table], unseen, state)
            if is_possible(tables[table]):
                break
