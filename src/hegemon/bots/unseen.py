"""What a seat does not know, laid out for the compiled search."""

from itertools import chain
from random import Random
from typing import TYPE_CHECKING

from hegemon.play.imagine import Hidden, lay_out, public_position, unseen_cards
from hegemon.play.memory import Memory, Place
from hegemon.rules.piles import KIND_OF
from hegemon.rules.position import Position
from hegemon.rules.rulings import SHOW_BACKS
from hegemon.rules.setup import cards_removed
from hegemon.rules.view import View

if TYPE_CHECKING:
    from hegemon.kernels.imagination import Unseen


def asked_position(view: View) -> Position:
    """What the viewer sees, with the viewer as the seat that is asked: in the draft all who owe a pick are."""
    position = public_position(view)
    position.seat = view.viewer
    return position


def place_number(place: Place) -> int:
    """The number that compiled code knows a place by."""
    return 2 * place.seat + place.kept


def hidden_cards(view: View, memory: Memory) -> tuple[Position, "Unseen"]:
    """A position with everything that is certain, and the rest to be dealt; `Impossible` if no cards could fit."""
    import numpy as np

    from hegemon.kernels.imagination import Unseen

    cards = unseen_cards(view, memory)
    # One lie of the cards is laid out here: whatever does not fit is found by this, before anything is compiled.
    lay_out(view, memory, {age: kinds[:] for age, kinds in cards.items()}, Random(0))
    position = asked_position(view)
    hidden = Hidden(view, position)
    for place, known in memory.certain.items():
        for card in known.elements():
            hidden.put(place, KIND_OF[card])
    bundles = [bundle for bundle in memory.bundles if bundle.cards]
    kinds = [[KIND_OF[card] for card in bundle.cards.elements()] for bundle in bundles]
    places = [[place_number(place) for place in bundle.places.elements()] for bundle in bundles]
    groups = sorted(memory.loose, key=lambda seats: (len(seats), sorted(seats)))
    loose = [(KIND_OF[card], seats) for seats in groups for card in memory.loose[seats].elements()]
    unseen = Unseen.nothing()._replace(
        bundled=np.array(list(chain(*kinds)), np.int64),
        bundled_places=np.array(list(chain(*places)), np.int64),
        bundle_ends=np.cumsum([len(bundle) for bundle in kinds], dtype=np.int64),
        loose=np.array([kind for kind, _ in loose], np.int64),
        loose_seats=np.array([sum(1 << seat for seat in seats) for _, seats in loose], np.int64),
    )
    for age, unknown in cards.items():
        unseen.pool[age, : len(unknown)] = unknown
        unseen.sizes[age] = len(unknown)
        unseen.deck[age] = view.deck_backs[age - 1]
    for place, room in hidden.room.items():
        for back, number in room.items():
            unseen.room[place_number(place), back] = number
    if view.rulings & SHOW_BACKS:
        return position, unseen
    unseen.sizes[0] = 1
    left = sum(map(len, cards.values())) - view.deck_size
    missing = int(unseen.room.sum()) - len(unseen.bundled) - len(loose)
    removed = cards_removed(view.players)
    # A study may show so many cards that the box is not full.
    return position, unseen._replace(boxed=removed if left >= missing + 3 * removed else 0)
