"""Determinization: deal the cards that a seat cannot see, uniformly over all deals consistent with its knowledge.

`hegemon.play.determinization` prepares an `Unseen` with lists and deals from it in the interpreter. The search deals
from the same data as arrays, in compiled code.
"""

from typing import Any, Final, NamedTuple

from hegemon.kernels.compiler import kernel
from hegemon.rules.cards import ALL_CARDS, age_of, card_of_age, domain_of
from hegemon.rules.engine import legal
from hegemon.rules.position import MAX_PLAYERS, OVER, Position
from hegemon.rules.shuffle import below, next_state

#: The number of different backs: an Age, or 0 where backs are not shown.
BACKS: Final = 4

#: The maximum number of deals for one determinization. A player who has to play a card has one that no Embargo forbids,
#: so other deals are rejected. A few tries are enough; if this many fail, no deal is consistent.
MAX_TRIES: Final = 10_000

#: The number of places with hidden cards: `2 * seat` is a seat's hand, `2 * seat + 1` its face-down draft picks.
PLACES: Final = 2 * MAX_PLAYERS


class Unseen(NamedTuple):
    """The cards that a seat cannot see. Columns of `slots` and rows of `pool` are backs."""

    backs_shown: bool
    pool: list[list[int]]
    """The kinds of the cards that can be anywhere, by Age; row 0 is for all Ages where backs are not shown."""
    sizes: list[int]
    """The number of cards in each row of `pool`."""
    deck: list[int]
    """The number of cards of each Age in the deck."""
    boxed: int
    """The number of cards of each Age that are not in the game, where backs are not shown."""
    slots: list[list[int]]
    """The number of unknown cards in each place, by back."""
    bundled: list[int]
    """The kinds of cards that were seen together and then split between places, as consecutive bundles."""
    bundled_places: list[int]
    """The places of each bundle; which of its cards is in which place is unknown."""
    bundle_ends: list[int]
    loose: list[int]
    """The kinds of cards that are each in one of several hands, small groups of hands first."""
    loose_seats: list[int]
    """The seats of those hands, one bit per seat."""
    left: list[list[int]]
    """Scratch memory: the empty part of `slots`, and in the last row the number of cards dealt from each pool."""

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
        """The same data as arrays, for compiled code."""
        import numpy as np

        fields: list[Any] = [
            np.array(field, np.int64) if isinstance(field, list) else field for field in self
        ]
        return Unseen(*fields)


@kernel
def shuffle_cards(cards: list[int], begin: int, end: int, state: int) -> int:
    """Shuffle the cards from `begin` up to `end`; return the next random state."""
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
    """Shuffle the pools and deal the Age deck from them; return the next random state."""
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
    """Deal the cards that are known to be in one of several places; return the next random state."""
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
    """Deal all unseen cards into a position that holds the certain ones; return the next random state.

    A negative entry of `left` means that a place would have to hold more remembered cards than it does.
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
    """Fill all tables with determinizations of a position that holds the certain cards."""
    for table in range(len(tables)):
        for _ in range(MAX_TRIES):
            tables[table] = certain[0]
            state = deal_unseen(tables[table], unseen, state)
            if is_possible(tables[table]):
                break
