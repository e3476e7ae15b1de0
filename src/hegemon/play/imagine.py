"""Imagining what cannot be seen: a whole position that fits everything a seat knows.

Every way in which the cards can lie is equally likely, as long as it fits the view and the memory: a card that the seat
cannot place may be any hidden card of its Age in another hand, in the deck or in the box. Where backs are not shown,
hidden hand cards of all Ages mix.
"""

from collections import Counter
from random import Random
from typing import Final

from hegemon.play.memory import Memory, Place
from hegemon.rules.cards import (
    AGE_III,
    ECONOMY,
    KINDS,
    NUMBER_OF_CARDS,
    UTOPIA,
    age_of,
    card_of_age,
    count_of_age,
    domain_of,
)
from hegemon.rules.engine import legal
from hegemon.rules.piles import KIND_OF
from hegemon.rules.position import FIELDS, OVER, Position
from hegemon.rules.rulings import SHOW_BACKS
from hegemon.rules.setup import cards_removed
from hegemon.rules.view import SPECTATOR, Backs, View

# Somebody else who is asked to play a card has one that no Embargo forbids. A position without one is imagined again;
# a few tries are enough, so when so many have failed, nothing fits.
_TRIES: Final = 10_000


class Impossible(ValueError):
    """A view, or a memory of it, that no distribution of the game's cards could show."""


def imagine(view: View, memory: Memory, chance: Random) -> Position:
    """A position that fits the view and the memory, each of them with the same odds."""
    unseen = unseen_cards(view, memory)
    for _ in range(_TRIES):
        position = lay_out(view, memory, {age: cards[:] for age, cards in unseen.items()}, chance)
        if position.question == OVER or legal(position):
            return position
    raise Impossible("No hand that the seat at turn could have can answer what it is asked.")


def public_position(view: View) -> Position:
    """A position with everything that the viewer sees, and nothing where cards are hidden."""
    position = Position()
    for name, _, shape in FIELDS:
        if name in View.__slots__:
            seen = getattr(view, name)
            setattr(
                position, name, [row[:] for row in seen] if len(shape) == 2 else seen[:] if shape else seen
            )
    if view.viewer != SPECTATOR:
        position.hands[view.viewer] = view.hand_piles[:]
        position.kept[view.viewer] = view.kept_piles[:]
    return position


def unseen_cards(view: View, memory: Memory) -> dict[int, list[int]]:
    """The kinds of all cards that the viewer knows nothing of, by Age."""
    places = [*view.areas, view.discard_piles, view.center_piles, view.hand_piles, view.kept_piles]
    # A pile is the sum of its cards, so the piles of all places add up to one.
    seen = [sum(piles) for piles in zip(*places, strict=True)]
    seen[ECONOMY] += sum(map(sum, view.embargoes))
    if view.new_embargo:
        seen[ECONOMY] += card_of_age(age_of(view.new_embargo))
    seen[UTOPIA] += AGE_III * sum(map(sum, view.democracies))
    remembered = remembered_cards(memory)
    unseen: dict[int, list[int]] = {1: [], 2: [], 3: []}
    for kind in KINDS:
        domain, age = domain_of(kind), age_of(kind)
        number = NUMBER_OF_CARDS[domain][age - 1] - count_of_age(seen[domain], age) - remembered[kind]
        if number < 0:
            raise Impossible("More cards of a kind lie on the table than the game has.")
        unseen[age] += [kind] * number
    return unseen


def remembered_cards(memory: Memory) -> Counter[int]:
    """The kinds of all cards that the memory knows to be in other hands, whether or not it knows in which."""
    bundled = [bundle.cards for bundle in memory.bundles]
    kinds: Counter[int] = Counter()
    for cards in (*memory.certain.values(), *bundled, *memory.loose.values()):
        for card, number in cards.items():
            kinds[KIND_OF[card]] += number
    return kinds


def lay_out(view: View, memory: Memory, unseen: dict[int, list[int]], chance: Random) -> Position:
    """A position that fits the view and the memory, but perhaps leaves the seat at turn without an answer."""
    position = public_position(view)
    for cards in unseen.values():
        chance.shuffle(cards)
    deck = [kind for age in (3, 2, 1) for kind in take(unseen[age], view.deck_backs[age - 1])]
    position.deck_size = len(deck)
    position.deck[: len(deck)] = deck
    if not view.rulings & SHOW_BACKS:
        unseen = {0: mixed_with_box(view, memory, unseen, chance)}
    hidden = Hidden(view, position)
    put_remembered(hidden, memory, chance)
    for place, room in hidden.room.items():
        for back, number in room.items():
            for kind in take(unseen[back], number):
                hidden.lay(place, kind)
    return position


def take(cards: list[int], number: int) -> list[int]:
    """So many cards from the end of a list, which must have them."""
    if number > len(cards):
        raise Impossible("More hidden cards lie on the table than the game has left.")
    return [cards.pop() for _ in range(number)]


def mixed_with_box(view: View, memory: Memory, unseen: dict[int, list[int]], chance: Random) -> list[int]:
    """The unseen cards of all Ages that may be in other hands, when so many of each Age are in the box."""
    hidden = sum(sum(backs) for seat, backs in enumerate(view.backs) if seat != view.viewer)
    hidden += sum(sum(backs) for seat, backs in enumerate(view.kept_backs) if seat != view.viewer)
    hidden -= remembered_cards(memory).total()
    removed = cards_removed(view.players)
    # A study may show so many cards that the box is not full.
    boxed = removed if sum(map(len, unseen.values())) >= hidden + 3 * removed else 0
    mixed = [kind for cards in unseen.values() for kind in cards[boxed:]]
    chance.shuffle(mixed)
    return mixed


class Hidden:
    """The hidden places of a position that is being laid out, and how many cards are still missing there."""

    def __init__(self, view: View, position: Position) -> None:
        self.position = position
        self.backs_shown = bool(view.rulings & SHOW_BACKS)
        others = [seat for seat in range(view.players) if seat != view.viewer]
        self.room = {Place(seat): backs_by_age(view.backs[seat]) for seat in others}
        self.room |= {Place(seat, kept=True): backs_by_age(view.kept_backs[seat]) for seat in others}

    def room_for(self, place: Place, kind: int) -> int:
        """How many cards with the back of that kind are still missing in a place."""
        return self.room[place][age_of(kind) if self.backs_shown else 0]

    def put(self, place: Place, kind: int) -> None:
        """Lay a card where one with its back is missing."""
        if self.room_for(place, kind) == 0:
            raise Impossible("More cards are remembered to be in a hand than it holds.")
        self.room[place][age_of(kind) if self.backs_shown else 0] -= 1
        self.lay(place, kind)

    def lay(self, place: Place, kind: int) -> None:
        """Lay a card into a place."""
        piles = self.position.kept if place.kept else self.position.hands
        piles[place.seat][domain_of(kind)] += card_of_age(age_of(kind))


def put_remembered(hidden: Hidden, memory: Memory, chance: Random) -> None:
    """Lay out the cards that the viewer knows of, wherever they may be with the same odds for each missing card."""
    for place, cards in memory.certain.items():
        for card in cards.elements():
            hidden.put(place, KIND_OF[card])
    for bundle in memory.bundles:
        kinds = [KIND_OF[card] for card in bundle.cards.elements()]
        chance.shuffle(kinds)
        for place in bundle.places.elements():
            hidden.put(place, kinds.pop())
    # Groups of seats do not cross, so when the small ones come first, none takes another's last place and the odds of
    # every arrangement are the same.
    for seats in sorted(memory.loose, key=lambda seats: (len(seats), sorted(seats))):
        places = [Place(seat) for seat in sorted(seats)]
        for card in memory.loose[seats].elements():
            kind = KIND_OF[card]
            missing = [place for place in places for _ in range(hidden.room_for(place, kind))]
            hidden.put(chance.choice(missing or places), kind)


def backs_by_age(backs: Backs) -> dict[int, int]:
    """How many hidden cards of each Age lie somewhere; of no Age, 0, where backs are not shown."""
    return {0: backs[0]} if len(backs) == 1 else {1: backs[0], 2: backs[1], 3: backs[2]}
