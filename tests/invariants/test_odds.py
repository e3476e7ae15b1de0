"""`determinize` samples all possible deals of the hidden cards, with equal probabilities.

Small tables, on which only a few cards are hidden, are arranged in every possible way by brute force and compared with
many samples. The seeds are fixed, so the test is deterministic.
"""

from collections import Counter
from math import sqrt
from random import Random

import pytest

from hegemon.notation.reading import read_position
from hegemon.notation.writing import write_position
from hegemon.play.determinization import determinize
from hegemon.play.events import cards_in, name_of
from hegemon.play.memory import Bundle, Memory, Place
from hegemon.rules.cards import NUMBER_OF_CARDS, card_of_age
from hegemon.rules.engine import legal
from hegemon.rules.position import Question
from hegemon.rules.rulings import SHOW_BACKS
from hegemon.rules.setup import cards_removed
from hegemon.rules.view import view
from physical_cards import all_names

pytestmark = pytest.mark.usefixtures("untraced")

SAMPLES = 4_000


def table(text, box=""):
    """A table at which all cards that are not named lie in the discard pile, and these in the box."""
    position = read_position(text)
    position.discard_piles = [
        sum(number * card_of_age(age) for age, number in enumerate(row, 1)) for row in NUMBER_OF_CARDS
    ]
    deck = [name_of(kind) for kind in position.deck[: position.deck_size]]
    places = (*position.hands, *position.kept, *position.areas, position.center_piles)
    lying = [name for piles in places for name in cards_in(piles)]
    markers = ["E1" for column in position.embargoes for pile in column if pile]
    for name in [*deck, *lying, *markers, *(box[i : i + 2] for i in range(0, len(box), 2))]:
        position.discard_piles["MRESCU".index(name[0])] -= card_of_age(int(name[1]))
    return position


def lie_of(position, viewer):
    """How the cards lie, as far as a viewer cannot see it."""
    deck = tuple(name_of(kind) for kind in position.deck[: position.deck_size])
    others = [seat for seat in range(position.players) if seat != viewer]
    return deck, *(cards_in(place[seat]) for place in (position.hands, position.kept) for seat in others)


def every_lie(position, viewer, memory):
    """How often each lie of the cards comes up when the hidden ones are arranged in every way that fits."""
    shown = bool(position.rulings & SHOW_BACKS)
    others = [seat for seat in range(position.players) if seat != viewer]
    deck = [name_of(kind) for kind in position.deck[: position.deck_size]]
    slots = [("deck", name[1]) for name in deck]
    for kept, piles in ((False, position.hands), (True, position.kept)):
        for seat in others:
            slots += [(Place(seat, kept), name[1] if shown else "") for name in cards_in(piles[seat])]
    hidden = [
        name for kept in (position.hands, position.kept) for seat in others for name in cards_in(kept[seat])
    ]
    # What is nowhere on the table is in the box, and hidden too.
    open_places = (*position.areas, position.discard_piles, position.center_piles)
    own = [position.hands[viewer], position.kept[viewer]] if viewer >= 0 else []
    seen = Counter(name for piles in (*open_places, *own) for name in cards_in(piles))
    seen["E1"] += sum(1 for column in position.embargoes for pile in column if pile)
    pool = sorted((all_names() - seen).elements())
    assert len(pool) == len(deck) + len(hidden) + 3 * cards_removed(position.players)
    tokens = physical_tokens(memory, pool)
    lies = Counter()

    def lay(created):
        if len(created) == len(slots):
            in_box = Counter(pool[card][1] for card in set(range(len(pool))) - set(created))
            if all(in_box[age] == cards_removed(position.players) for age in "123") and fits(created):
                lies[lie_of(world(created), viewer)] += 1
            return
        _, age = slots[len(created)]
        for card, name in enumerate(pool):
            if card not in created and age in ("", name[1]):
                lay((*created, card))

    def fits(created):
        place_of = {card: slots[slot][0] for slot, card in enumerate(created) if slots[slot][0] != "deck"}
        return all(check([place_of.get(card) for card in cards]) for cards, check in tokens) and (
            position.question == Question.OVER or legal(world(created)) != 0
        )

    def world(created):
        new = position.copy()
        for seat in others:
            new.hands[seat], new.kept[seat] = [0] * 6, [0] * 6
        cards = [pool[card] for card in created]
        new.deck[: len(deck)] = [4 * "MRESCU".index(name[0]) + int(name[1]) for name in cards[: len(deck)]]
        for (place, _), name in zip(slots[len(deck) :], cards[len(deck) :], strict=True):
            piles = new.kept if place.kept else new.hands
            piles[place.seat]["MRESCU".index(name[0])] += card_of_age(int(name[1]))
        return new

    lay(())
    return lies


def physical_tokens(memory, pool):
    """Cards of the pool that are remembered, in groups, each with a check of the places where they lie."""
    free = list(range(len(pool)))

    def pick(cards):
        picked = []
        for name in cards.elements():
            picked.append(next(card for card in free if pool[card] == name))
            free.remove(picked[-1])
        return picked

    certain = [
        (pick(cards), lambda places, place=place: set(places) == {place})
        for place, cards in memory.certain.items()
    ]
    bundles = [
        (pick(bundle.cards), lambda places, bundle=bundle: Counter(places) == bundle.places)
        for bundle in memory.bundles
    ]
    loose = [
        (pick(cards), lambda places, seats=seats: all(place and place.seat in seats for place in places))
        for seats, cards in memory.loose.items()
    ]
    return [*certain, *bundles, *loose]


def check_odds(position, viewer, memory):
    lies = every_lie(position, viewer, memory)
    chance = Random(write_position(position))
    seen = view(position, viewer)
    found = Counter(lie_of(determinize(seen, memory, chance), viewer) for _ in range(SAMPLES))
    assert 3 < len(lies) < SAMPLES / 8
    assert set(found) == set(lies)
    ways = lies.total()
    distance = sum(
        (found[lie] - SAMPLES * number / ways) ** 2 / (SAMPLES * number / ways)
        for lie, number in lies.items()
    )
    freedom = len(lies) - 1
    assert distance < freedom + 4 * sqrt(2 * freedom)


def nothing(viewer, players):
    return Memory(viewer, players)


def test_unknown_cards_lie_anywhere_with_the_same_odds():
    position = table("(M1)/(M1S3)/(R1)/(C3U3) 1e - - - U3S3")
    check_odds(position, 0, nothing(0, 4))
    check_odds(table("(M1)/(M1S3)/(R1)/(C3) 1e - - - U3"), -1, nothing(-1, 4))


def test_unknown_cards_lie_anywhere_where_backs_are_not_shown():
    check_odds(table("(M1)/(M1)/(R2)/(C3U3) 1e - - - U3 - 1 standard!show-backs"), 0, nothing(0, 4))


def test_the_box_holds_unknown_cards_too():
    position = table("(M1)/(M1U3)/(R2) 1e - - - C3", box="M1R1R1E2E2E2U3U3S3")
    check_odds(position, 0, nothing(0, 3))


def test_the_box_holds_unknown_cards_where_backs_are_not_shown():
    position = table("(M1)/(M1U3) 1e - - - C3 - 1 standard!show-backs", box="M1R1R1E2E2E2U3U3S3")
    check_odds(position, 0, nothing(0, 2))


def test_cards_that_are_known_stay_where_they_are():
    memory = nothing(0, 4)
    memory.certain = {Place(1): Counter(["M1"]), Place(3): Counter(["U3"])}
    check_odds(table("(M1)/(M1S3)/(R1M1)/(C3U3) 1e - - - U3S3"), 0, memory)


def test_loose_cards_lie_in_every_hand_of_their_group_with_the_odds_of_its_size():
    memory = nothing(0, 4)
    memory.loose = {frozenset((1, 2)): Counter(["U3"])}
    check_odds(table("(M1)/(M1U3)/(R1C3U3)/(C3U3) 1e - - - U3"), 0, memory)
    memory.loose[frozenset((1, 2, 3))] = Counter(["C3", "M1"])
    memory.certain = {Place(2): Counter(["R1"])}
    check_odds(table("(M1)/(M1U3)/(R1C3U3)/(S1S3) 1e - - - E3"), 0, memory)


def test_loose_cards_where_backs_are_not_shown():
    memory = nothing(-1, 4)
    memory.loose = {frozenset((0, 1)): Counter(["U3"]), frozenset((0, 1, 2, 3)): Counter(["R2"])}
    check_odds(table("(M1)/(R2)/(U3)/(C3U3) 1e - - - U3 - 1 standard!show-backs"), -1, memory)


def test_a_bundle_is_divided_as_it_is_known_to_be():
    memory = nothing(0, 4)
    memory.bundles = [Bundle(Counter(["M1", "R1"]), Counter({Place(1): 1, Place(2): 1}))]
    check_odds(table("(M1)/(M1C1)/(R1E1)/(C1) 1e - - - U3"), 0, memory)


def test_packets_of_the_draft_are_divided_as_they_are_known_to_be():
    memory = nothing(0, 4)
    memory.bundles = [
        Bundle(Counter(["M1", "R1", "R1"]), Counter({Place(1): 2, Place(1, kept=True): 1})),
        Bundle(Counter(["E1", "C1"]), Counter({Place(2): 1, Place(2, kept=True): 1})),
    ]
    text = "(M1M1)[M1]/(M1R1)[R1S1]/(E1)[C1]/(E1)[C1] 1e - - - U3"
    position = table(text)
    position.question, position.left, position.round = Question.DRAFT, 2, 0
    check_odds(position, 0, memory)


def test_a_seat_that_has_to_play_a_card_has_one():
    position = table("(M1)/Me1R1e1(M1S1)/(R1)/(C1) 2p - - - U3")
    check_odds(position, 0, nothing(0, 4))
