"""What the seats of a game remember of other hands, kept up to date action by action, compiled.

It is what `hegemon.play.memory` remembers from events: each seat learns from an action only what it could see. Cards
that a viewer has seen go into other hands are sorted by the group of seats in one of whose hands each of them lies.
What lies with a group of one seat is certain; the cards of a larger group may become certain later.

A game has `KNOWLEDGE` integers: for each group one a viewer, so that what is read at every step lies together. A group
is the sum of its seats: `NEXT` is the next player to the left of the viewer, `SECOND` the one after. Each integer
counts the fifteen kinds of card, four bits a kind in the order of `KINDS`; the last kind has the rest. In the place of
the empty group stands whether the viewer may remember cards of larger groups. In the draft a seat's picks belong to its
hand.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

from hegemon.kernels.compiler import kernel, kernel_not_inlined
from hegemon.kernels.imagination import Unseen
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

#: The integers that hold what all seats of a game remember: one for each viewer and each set of the other seats.
KNOWLEDGE: Final = MAX_PLAYERS << MAX_PLAYERS - 1

#: The next player to the left, and the one after: in the draft, packets go to them.
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
def place_of(domain: int, age: int) -> int:
    """The place of a kind of card among those that exist: Religion lacks Age III, and Utopia has no other."""
    return 3 * domain + age - 1 - (1 if domain > RELIGION else 0) - (2 if domain == UTOPIA else 0)


@kernel
def number_at(cards: int, place: int) -> int:
    """How many cards of a kind are among these."""
    return cards >> _BITS * place & (15 if place < _LAST else 31)


@kernel
def number_of_cards(cards: int) -> int:
    number = 0
    for place in range(_NUMBER_OF_KINDS):
        number += number_at(cards, place)
    return number


@kernel
def one_at(place: int) -> int:
    """One card of a kind."""
    return 1 << _BITS * place


@kernel_not_inlined
def cards_of(piles: Sequence[int]) -> int:
    """The cards of six piles."""
    cards = 0
    for domain in range(DOMAINS):
        pile = piles[domain]
        if pile:
            for age in range(1, 4):
                number = count_of_age(pile, age)
                if number:
                    cards += number << _BITS * place_of(domain, age)
    return cards


@kernel
def next_card(piles: list[int], domain: int) -> int:
    """The place of the kind of card that an action takes from a Domain."""
    return place_of(domain, age_of_card(oldest(piles[domain])))


@kernel
def lose(known: Any, first: int, players: int, seat: int, place: int) -> None:
    """The viewer saw a card leave a seat's hand: remove it from the smallest group it can have been in."""
    end = NEXT << players >> 1 if known[first] else seat + 1
    for group in range(seat, end, NEXT):
        if group & seat and number_at(known[first + group], place):
            known[first + group] -= one_at(place)
            return


@kernel_not_inlined
def lose_all(known: Any, first: int, players: int, seat: int, cards: int) -> None:
    for place in range(_NUMBER_OF_KINDS):
        for _ in range(number_at(cards, place)):
            lose(known, first, players, seat, place)


@kernel
def regroup(known: Any, first: int, seat: int, left_out: int, added: int) -> None:
    """Change all groups with a seat: one seat is no longer in them, or one more is."""
    for group in range(seat, KNOWLEDGE, NEXT):
        changed = group & ~left_out | added
        if group & seat and changed != group:
            known[first + changed] += known[first + group]
            known[first + group] = 0


@kernel
def remember_gain(known: Any, begin: int, position: Position, place: int) -> None:
    """A card came into the hand of the seat to move, and all have seen it."""
    for viewer in range(position.players):
        if viewer != position.seat:
            known[begin + viewer + group_of(position, viewer, position.seat)] += one_at(place)


@kernel
def remember_loss(known: Any, begin: int, position: Position, place: int) -> None:
    """A card left the hand of the seat to move, and all have seen it."""
    for viewer in range(position.players):
        if viewer != position.seat:
            seat = group_of(position, viewer, position.seat)
            lose(known, begin + viewer, position.players, seat, place)


# ------------------------------------------------------------------ Inquisition


@kernel_not_inlined
def remember_hand_taken(known: Any, begin: int, position: Position, target: int) -> None:
    """The whole hand of the target goes to the seat to move; the two of them see the cards (A48)."""
    taken = cards_of(position.hands[target])
    for viewer in range(position.players):
        first = begin + viewer
        if viewer == target:
            known[first + group_of(position, viewer, position.seat)] += taken
        elif viewer == position.seat:
            group = group_of(position, viewer, target)
            lose_all(known, first, position.players, group, taken)
            regroup(known, first, group, group, 0)
        else:
            group = group_of(position, viewer, target)
            regroup(known, first, group, group, group_of(position, viewer, position.seat))


@kernel_not_inlined
def remember_gift(known: Any, begin: int, position: Position, place: int) -> None:
    """A card was chosen to be given back: the inquisitor knows it, the target when all are, and others their backs."""
    giver, target = position.seat, position.target
    first = begin + giver
    known[first + group_of(position, giver, target)] += one_at(place)
    if position.left > 1:
        return
    given = cards_of(position.hands[target]) + one_at(place)
    stayed = cards_of(position.hands[giver]) - one_at(place)
    inquisitor = group_of(position, target, giver)
    lose_all(known, begin + target, position.players, inquisitor, given)
    for viewer in range(position.players):
        if viewer not in (giver, target):
            first = begin + viewer
            group, other = group_of(position, viewer, giver), group_of(position, viewer, target)
            part(known, first, group, other, stayed, given, position.rulings & SHOW_BACKS)


@kernel
def number_like(cards: int, place: int, backs_shown: int) -> int:
    """How many of the cards have the same back as a kind."""
    number = 0
    for other in range(_NUMBER_OF_KINDS):
        if not backs_shown or age_of(KINDS[other]) == age_of(KINDS[place]):
            number += number_at(cards, other)
    return number


@kernel_not_inlined
def part(known: Any, first: int, giver: int, target: int, stayed: int, given: int, backs_shown: int) -> None:
    """A hand was divided between two seats, and the viewer saw the backs: what was certain may lie with either."""
    held = known[first + giver]
    known[first + giver] = 0
    known[first] = 1
    regroup(known, first, giver, 0, target)
    for place in range(_NUMBER_OF_KINDS):
        number = number_at(held, place)
        if number:
            kept = max(0, number - number_like(given, place, backs_shown))
            gone = max(0, number - number_like(stayed, place, backs_shown))
            known[first + giver] += kept * one_at(place)
            known[first + target] += gone * one_at(place)
            known[first + (giver | target)] += (number - kept - gone) * one_at(place)


# ------------------------------------------------------------------ the draft


@kernel
def packet_after(position: Position, seat: int, place: int) -> int:
    """The packet of a seat once the seat to move has kept a card of that kind."""
    return cards_of(position.hands[seat]) - (one_at(place) if seat == position.seat else 0)


@kernel_not_inlined
def remember_pick(known: Any, begin: int, position: Position, place: int) -> None:
    """A card was kept: when it was the last pick, the packets go on, or their last cards into the center."""
    for seat in range(position.players):
        if seat != position.seat and owes_pick(position, seat):
            return
    for viewer in range(position.players):
        first = begin + viewer
        if position.left == 1:
            remember_center(known, first, position, viewer, place)
        else:
            if position.left < DRAFT_PICKS:
                remember_first_packet(known, first, position, viewer, place)
            known[first + NEXT] += packet_after(position, viewer, place)


@kernel
def remember_first_packet(known: Any, first: int, position: Position, viewer: int, place: int) -> None:
    """The packet that the viewer had first goes on once more; between two players it returns."""
    if position.players == 2:
        # Not a subtraction: a game that began in the middle of the draft does not remember the packet.
        lose_all(known, first, position.players, NEXT, packet_after(position, 1 - viewer, place))
        return
    cards = known[first + NEXT]
    packet = number_of_cards(cards)
    known[first] = 1
    for kind in range(_NUMBER_OF_KINDS):
        number = number_at(cards, kind)
        if number:
            # The next player has kept one card of the packet, and the one after has all others.
            next_has, second_has = max(0, number - packet + 1), number - 1
            known[first + NEXT] -= (number - next_has) * one_at(kind)
            known[first + SECOND] += second_has * one_at(kind)
            known[first + (NEXT | SECOND)] += (number - next_has - second_has) * one_at(kind)


@kernel
def remember_center(known: Any, first: int, position: Position, viewer: int, place: int) -> None:
    """The last card of every packet is shown."""
    for seat in range(position.players):
        if seat != viewer:
            shown = packet_after(position, seat, place)
            lose_all(known, first, position.players, group_of(position, viewer, seat), shown)
    if known[first + SECOND]:
        # Of the viewer's first packet the next two players have kept a card each.
        known[first + NEXT] += known[first + (NEXT | SECOND)]
        known[first + (NEXT | SECOND)] = 0


# ------------------------------------------------------------------ every action


@kernel
def remember(known: Any, begin: int, position: Position, action: int) -> None:
    """Let all seats learn from an action that is about to be applied; what they know begins at `begin`."""
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
        # A slice: compiled code tells a whole field from a row of one.
        remember_gain(known, begin, position, next_card(position.discard_piles[:], action))
    elif question == GIVE:
        remember_gift(known, begin, position, next_card(hand, action))
    elif question == DRAFT_PICK:
        remember_pick(known, begin, position, action - FIRST_DRAFT)


@kernel
def forget(known: Any, begin: int) -> None:
    """Let all seats of a game begin with no knowledge."""
    for place in range(begin, begin + KNOWLEDGE):
        known[place] = 0


def knowledge_at_root(certain: Position, unseen: Unseen, viewer: int) -> list[int]:
    """What a game begins with that a viewer imagines: its own memory; what the others remember it cannot know."""
    known = [0] * KNOWLEDGE
    if viewer < 0:
        return known
    known[viewer] = int(len(unseen.loose) + len(unseen.bundled) > 0)

    def add(seats: Iterable[int], kind: int, number: int) -> None:
        group = 0
        for seat in seats:
            group |= group_of(certain, viewer, seat)
        known[viewer + group] += number * one_at(KINDS.index(kind))

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
