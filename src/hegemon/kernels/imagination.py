"""Imagining what a seat cannot see, thousands of times a second: the compiled twin of `hegemon.play.imagine`.

`Unseen` lays out once what a seat does not know; `deal_unseen` then deals it anew for every imagined position. The odds
are those of `imagine`: every lie of the cards that fits the view and the memory is equally likely.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from hegemon.kernels.compiler import kernel
from hegemon.rules.cards import ALL_CARDS, age_of, card_of_age, domain_of
from hegemon.rules.position import MAX_PLAYERS, Position
from hegemon.rules.shuffle import below, next_state

Array = np.ndarray[Any, np.dtype[Any]]

#: What the back of a card tells: its Age; or 0, where backs are not shown.
BACKS: Final = 4

#: Where hidden cards lie: `2 * seat` is a seat's hand, `2 * seat + 1` what it keeps face down in the draft.
PLACES: Final = 2 * MAX_PLAYERS


class Unseen(NamedTuple):
    """What a seat does not know. Rows are backs: the three Ages; row 0 is for all of them where backs are not shown."""

    pool: Array
    """The kinds of the cards that could lie anywhere."""
    sizes: Array
    """How many there are of each back; of back 0, whether there are any."""
    deck: Array
    """How many of each Age lie in the deck."""
    boxed: int
    """How many of each Age are kept back for the box, where backs are not shown."""
    room: Array
    """How many cards with each back lie in each place, those that are certain not counted."""
    bundled: Array
    """The kinds of cards that were seen together and divided between places, one bundle after the other."""
    bundled_places: Array
    """The place of each of them; which card lies in which place of its bundle is unknown."""
    bundle_ends: Array
    """Where each bundle ends."""
    loose: Array
    """The kinds of cards of which each lies in one of several hands, small groups of hands first."""
    loose_seats: Array
    """The seats of those hands, one bit a seat."""
    left: Array
    """Scratch paper: how much of `room` is still empty, and of each pool how much is dealt."""

    @classmethod
    def nothing(cls) -> "Unseen":
        """Room for what is unseen, with nothing in it yet."""

        def row(length: int) -> Array:
            return np.zeros(length, np.int64)

        def grid(rows: int, columns: int) -> Array:
            return np.zeros((rows, columns), np.int64)

        return cls(
            pool=grid(BACKS, ALL_CARDS),
            sizes=row(BACKS),
            deck=row(BACKS),
            boxed=0,
            room=grid(PLACES, BACKS),
            bundled=row(0),
            bundled_places=row(0),
            bundle_ends=row(0),
            loose=row(0),
            loose_seats=row(0),
            left=grid(PLACES + 1, BACKS),
        )


@kernel
def shuffle_cards(cards: Array, begin: int, end: int, state: int) -> int:
    """Shuffle the cards from `begin` up to `end`; returns the next state."""
    for last in range(end - 1, begin, -1):
        state = next_state(state)
        place = begin + below(state, last - begin + 1)
        card = cards[last]
        cards[last] = cards[place]
        cards[place] = card
    return state


@kernel
def lay(position: Position, place: int, kind: int) -> None:
    """Lay a hidden card into a place."""
    piles = position.kept[place >> 1] if place & 1 else position.hands[place >> 1]
    piles[domain_of(kind)] += card_of_age(age_of(kind))


@kernel
def deal_deck(position: Position, unseen: Unseen, state: int) -> int:
    """Shuffle what could lie anywhere, and make the Age deck of it; returns the next state."""
    size = 0
    mixed = 0
    pool = unseen.pool
    dealt = unseen.left[PLACES]
    for age in range(3, 0, -1):
        state = shuffle_cards(pool[age], 0, unseen.sizes[age], state)
        for place in range(unseen.deck[age]):
            position.deck[size] = pool[age, place]
            size += 1
        dealt[age] = unseen.deck[age]
        if unseen.sizes[0] > 0:
            for place in range(unseen.deck[age] + unseen.boxed, unseen.sizes[age]):
                pool[0, mixed] = pool[age, place]
                mixed += 1
    position.deck_size = size
    dealt[0] = 0
    return shuffle_cards(pool[0], 0, mixed, state)


@kernel
def deal_remembered(position: Position, unseen: Unseen, state: int) -> int:
    """Lay the cards that are known to lie in one of several places into one of them; returns the next state."""
    left = unseen.left
    hidden = unseen.sizes[0] > 0
    begin = 0
    for bundle in range(len(unseen.bundle_ends)):
        end = unseen.bundle_ends[bundle]
        state = shuffle_cards(unseen.bundled, begin, end, state)
        for card in range(begin, end):
            kind = unseen.bundled[card]
            lay(position, unseen.bundled_places[card], kind)
            left[unseen.bundled_places[card], 0 if hidden else age_of(kind)] -= 1
        begin = end
    for card in range(len(unseen.loose)):
        kind = unseen.loose[card]
        back = 0 if hidden else age_of(kind)
        empty = 0
        for seat in range(position.players):
            if unseen.loose_seats[card] >> seat & 1:
                empty += left[2 * seat, back]
        state = next_state(state)
        place = below(state, empty)
        for seat in range(position.players):
            if unseen.loose_seats[card] >> seat & 1:
                if 0 <= place < left[2 * seat, back]:
                    lay(position, 2 * seat, kind)
                    left[2 * seat, back] -= 1
                    place = -1
                    break
                place -= left[2 * seat, back]
    return state


@kernel
def deal_unseen(position: Position, unseen: Unseen, state: int) -> int:
    """Deal everything unseen into a position that holds what is certain; returns the next state."""
    state = deal_deck(position, unseen, state)
    left = unseen.left
    places = 2 * position.players
    for place in range(places):
        for back in range(BACKS):
            left[place, back] = unseen.room[place, back]
    state = deal_remembered(position, unseen, state)
    for place in range(places):
        for back in range(BACKS):
            for _ in range(left[place, back]):
                lay(position, place, unseen.pool[back, left[PLACES, back]])
                left[PLACES, back] += 1
    return state
