"""The memories of all seats of a game, updated action by action in compiled code.

They contain the same as `hegemon.play.memory`, which learns from events: each seat learns from an action only what it
could see. A card that a viewer has seen go into another hand belongs to the group of seats one of which holds it. The
cards of a group of one seat are certain; those of a larger group may become certain later.

A game has `KNOWLEDGE` integers, one for each group and viewer, ordered by group, so that those read in every step are
adjacent. A group is the sum of its seats: `NEXT` is the next player to the left of the viewer, `SECOND` the one after.
Each integer counts the fifteen kinds of card, four bits per kind in the order of `KINDS`; the last kind has the
remaining bits. The entry of the empty group is a flag: whether the viewer may remember cards of larger groups. In the
draft, a seat's picks count as its hand.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

from hegemon.kernels.compiler import kernel, kernel_not_inlined
from hegemon.kernels.determinization import Unseen
from hegemon.rules.actions import FIRST_DRAFT, FIRST_EMBARGO, FIRST_INQUISITION
from hegemon.rules.cards import (
    DOMAINS,
    KINDS,
    RELIGION,
    UTOPIA,
    age_of,
    age_of_card,
    count_of_age,
    oldest,
)
from hegemon.rules.position import (
    DISCARD_FROM_HAND,
    DRAFT_PICK,
    EFFECTS,
    FETCH,
    GIVE,
    MAX_PLAYERS,
    PLAY,
    PLAY_MORE,
    TAKE_BACK,
    Position,
)
from hegemon.rules.rulings import SHOW_BACKS
from hegemon.rules.setup import DRAFT_PICKS, owes_pick
from hegemon.rules.turn import to_the_left

#: The number of integers of a game: one for each viewer and each set of the other seats.
KNOWLEDGE: Final = MAX_PLAYERS << MAX_PLAYERS - 1

#: The groups of the next player to the left and the one after; in the draft, packets are passed to them.
NEXT: Final = MAX_PLAYERS
SECOND: Final = 2 * NEXT

_BITS: Final = 4
_NUMBER_OF_KINDS: Final = len(KINDS)
_LAST: Final = _NUMBER_OF_KINDS - 1


@kernel
def seats_to_the_left(position: Position, viewer: int, seat: int) -> int:
    return seat - viewer if seat >= viewer else seat - viewer + position.players


@kernel
def group_of(position: Position, viewer: int, seat: int) -> int:
    """The group of one other seat."""
    return NEXT << seats_to_the_left(position, viewer, seat) >> 1


@kernel
def kind_index(domain: int, age: int) -> int:
    """The index of a kind in `KINDS`: Religion has no Age III, Utopia only Age III."""
    return 3 * domain + age - 1 - (1 if domain > RELIGION else 0) - (2 if domain == UTOPIA else 0)


@kernel
def count_of_kind(cards: int, index: int) -> int:
    """The number of cards of a kind."""
    return cards >> _BITS * index & (15 if index < _LAST else 31)


@kernel
def number_of_cards(cards: int) -> int:
    number = 0
    for index in range(_NUMBER_OF_KINDS):
        number += count_of_kind(cards, index)
    return number


@kernel
def one_of_kind(index: int) -> int:
    return 1 << _BITS * index


@kernel_not_inlined
def cards_of(piles: Sequence[int]) -> int:
    """The cards of six piles as one integer."""
    cards = 0
    for domain in range(DOMAINS):
        pile = piles[domain]
        if pile:
            for age in range(1, 4):
                number = count_of_age(pile, age)
                if number:
                    cards += number << _BITS * kind_index(domain, age)
    return cards


@kernel
def next_card(piles: list[int], domain: int) -> int:
    """The kind of the card that an action takes from a Domain."""
    return kind_index(domain, age_of_card(oldest(piles[domain])))


@kernel
def remove_card(known: Any, first: int, players: int, seat: int, index: int) -> None:
    """Remove a card that a viewer saw leave a seat's hand from the smallest group it can have been in."""
    end = NEXT << players >> 1 if known[first] else seat + 1
    for group in range(seat, end, NEXT):
        if group & seat and count_of_kind(known[first + group], index):
            known[first + group] -= one_of_kind(index)
            return


@kernel_not_inlined
def remove_cards(known: Any, first: int, players: int, seat: int, cards: int) -> None:
    for index in range(_NUMBER_OF_KINDS):
        for _ in range(count_of_kind(cards, index)):
            remove_card(known, first, players, seat, index)


@kernel
def regroup(known: Any, first: int, seat: int, left_out: int, added: int) -> None:
    """Remove a seat from all groups that contain `seat`, or add one to them."""
    for group in range(seat, KNOWLEDGE, NEXT):
        changed = group & ~left_out | added
        if group & seat and changed != group:
            known[first + changed] += known[first + group]
            known[first + group] = 0


@kernel
def remember_gain(known: Any, begin: int, position: Position, index: int) -> None:
    """Record that all seats saw a card go into the hand of the seat to move."""
    for viewer in range(position.players):
        if viewer != position.seat:
            known[begin + viewer + group_of(position, viewer, position.seat)] += one_of_kind(index)


@kernel
def remember_loss(known: Any, begin: int, position: Position, index: int) -> None:
    """Record that all seats saw a card leave the hand of the seat to move."""
    for viewer in range(position.players):
        if viewer != position.seat:
            seat = group_of(position, viewer, position.seat)
            remove_card(known, begin + viewer, position.players, seat, index)


# ------------------------------------------------------------------ Inquisition


@kernel_not_inlined
def remember_hand_taken(known: Any, begin: int, position: Position, target: int) -> None:
    """Record that the target's hand goes to the seat to move; only these two see the cards (A48)."""
    taken = cards_of(position.hands[target])
    for viewer in range(position.players):
        first = begin + viewer
        if viewer == target:
            known[first + group_of(position, viewer, position.seat)] += taken
        elif viewer == position.seat:
            group = group_of(position, viewer, target)
            remove_cards(known, first, position.players, group, taken)
            regroup(known, first, group, group, 0)
        else:
            group = group_of(position, viewer, target)
            regroup(known, first, group, group, group_of(position, viewer, position.seat))


@kernel_not_inlined
def remember_gift(known: Any, begin: int, position: Position, index: int) -> None:
    """Record a card given back: its giver knows it, the target after the last one, and the others see only backs."""
    giver, target = position.seat, position.target
    first = begin + giver
    known[first + group_of(position, giver, target)] += one_of_kind(index)
    if position.left > 1:
        return
    given = cards_of(position.hands[target]) + one_of_kind(index)
    stayed = cards_of(position.hands[giver]) - one_of_kind(index)
    inquisitor = group_of(position, target, giver)
    remove_cards(known, begin + target, position.players, inquisitor, given)
    for viewer in range(position.players):
        if viewer not in (giver, target):
            first = begin + viewer
            group, other = group_of(position, viewer, giver), group_of(position, viewer, target)
            split_hand(known, first, group, other, stayed, given, position.rulings & SHOW_BACKS)


@kernel
def count_with_back_of(cards: int, index: int, backs_shown: int) -> int:
    """The number of cards with the same back as a kind."""
    number = 0
    for other in range(_NUMBER_OF_KINDS):
        if not backs_shown or age_of(KINDS[other]) == age_of(KINDS[index]):
            number += count_of_kind(cards, other)
    return number


@kernel_not_inlined
def split_hand(
    known: Any, first: int, giver: int, target: int, stayed: int, given: int, backs_shown: int
) -> None:
    """Record that a hand was split between two seats while the viewer saw only backs."""
    held = known[first + giver]
    known[first + giver] = 0
    known[first] = 1
    regroup(known, first, giver, 0, target)
    for index in range(_NUMBER_OF_KINDS):
        number = count_of_kind(held, index)
        if number:
            kept = max(0, number - count_with_back_of(given, index, backs_shown))
            gone = max(0, number - count_with_back_of(stayed, index, backs_shown))
            known[first + giver] += kept * one_of_kind(index)
            known[first + target] += gone * one_of_kind(index)
            known[first + (giver | target)] += (number - kept - gone) * one_of_kind(index)


# ------------------------------------------------------------------ the draft


@kernel
def packet_after(position: Position, seat: int, index: int) -> int:
    """The packet of a seat after the seat to move has kept a card of that kind."""
    return cards_of(position.hands[seat]) - (one_of_kind(index) if seat == position.seat else 0)


@kernel_not_inlined
def remember_pick(known: Any, begin: int, position: Position, index: int) -> None:
    """Record a draft pick; after the last one, packets are passed on, or their last cards go to the center."""
    for seat in range(position.players):
        if seat != position.seat and owes_pick(position, seat):
            return
    for viewer in range(position.players):
        first = begin + viewer
        if position.left == 1:
            remember_center(known, first, position, viewer, index)
        else:
            if position.left < DRAFT_PICKS:
                remember_first_packet(known, first, position, viewer, index)
            known[first + NEXT] += packet_after(position, viewer, index)


@kernel
def remember_first_packet(known: Any, first: int, position: Position, viewer: int, index: int) -> None:
    """Record that the viewer's first packet is passed on a second time; with two players it returns."""
    if position.players == 2:
        # Not a subtraction: in a game that started during the draft, the packet is unknown.
        remove_cards(known, first, position.players, NEXT, packet_after(position, 1 - viewer, index))
        return
    cards = known[first + NEXT]
    packet = number_of_cards(cards)
    known[first] = 1
    for kind in range(_NUMBER_OF_KINDS):
        number = count_of_kind(cards, kind)
        if number:
            # The next player has kept one card of the packet; the one after has the others.
            next_has, second_has = max(0, number - packet + 1), number - 1
            known[first + NEXT] -= (number - next_has) * one_of_kind(kind)
            known[first + SECOND] += second_has * one_of_kind(kind)
            known[first + (NEXT | SECOND)] += (number - next_has - second_has) * one_of_kind(kind)


@kernel
def remember_center(known: Any, first: int, position: Position, viewer: int, index: int) -> None:
    """Record that the last card of each packet is revealed."""
    for seat in range(position.players):
        if seat != viewer:
            shown = packet_after(position, seat, index)
            remove_cards(known, first, position.players, group_of(position, viewer, seat), shown)
    if known[first + SECOND]:
        # The next two players have kept one card each of the viewer's first packet.
        known[first + NEXT] += known[first + (NEXT | SECOND)]
        known[first + (NEXT | SECOND)] = 0


# ------------------------------------------------------------------ every action


@kernel
def remember(known: Any, begin: int, position: Position, action: int) -> None:
    """Update the memories of all seats, which start at `begin`, before an action is applied."""
    question = position.question
    hand, area = position.hands[position.seat], position.areas[position.seat]
    if question == EFFECTS:
        if FIRST_INQUISITION <= action < FIRST_EMBARGO:
            remember_hand_taken(known, begin, position, to_the_left(position, action - FIRST_INQUISITION + 1))
    elif question in (PLAY, PLAY_MORE, DISCARD_FROM_HAND):
        remember_loss(known, begin, position, next_card(hand, action))
    elif question == TAKE_BACK:
        remember_gain(known, begin, position, next_card(area, action))
    elif question == FETCH:
        # A slice, because compiled code distinguishes a field from a row of a field.
        remember_gain(known, begin, position, next_card(position.discard_piles[:], action))
    elif question == GIVE:
        remember_gift(known, begin, position, next_card(hand, action))
    elif question == DRAFT_PICK:
        remember_pick(known, begin, position, action - FIRST_DRAFT)


@kernel
def forget(known: Any, begin: int) -> None:
    """Clear the memories of all seats of a game."""
    for index in range(begin, begin + KNOWLEDGE):
        known[index] = 0


def knowledge_at_root(certain: Position, unseen: Unseen, viewer: int) -> list[int]:
    """The initial memories of a determinization: that of the viewer; the others are empty."""
    known = [0] * KNOWLEDGE
    if viewer < 0:
        return known
    known[viewer] = int(len(unseen.loose) + len(unseen.bundled) > 0)

    def add(seats: Iterable[int], kind: int, number: int) -> None:
        group = 0
        for seat in seats:
            group |= group_of(certain, viewer, seat)
        known[viewer + group] += number * one_of_kind(KINDS.index(kind))

    for seat in range(certain.players):
        if seat != viewer:
            for piles in (certain.hands[seat], certain.kept[seat]):
                known[viewer + group_of(certain, viewer, seat)] += cards_of(piles)
    for kind, seats in zip(unseen.loose, unseen.loose_seats, strict=True):
        add([seat for seat in range(certain.players) if seats >> seat & 1], int(kind), 1)
    for begin, end in pairwise([0, *unseen.bundle_ends]):
        places = Counter(int(place) >> 1 for place in unseen.bundled_places[begin:end])
        for kind, number in Counter(map(int, unseen.bundled[begin:end])).items():
            sure = {seat: max(0, number - places.total() + there) for seat, there in places.items()}
            for seat, cards in sure.items():
                add([seat], kind, cards)
            add(places, kind, number - sum(sure.values()))
    return known
