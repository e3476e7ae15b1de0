"""Imagining what cannot be seen: a whole position that fits everything a seat knows.

Every card that the seat cannot place is equally likely in every place where it could lie: among the hidden cards of
the same Age in other hands, in the deck and in the box. Where backs are not shown, hidden hand cards of all Ages mix.
"""

from random import Random

from hegemon.play.memory import Memory
from hegemon.rules.cards import (
    ECONOMY,
    KINDS,
    NUMBER_OF_CARDS,
    UTOPIA,
    age_of,
    card_of_age,
    count_of_age,
    domain_of,
    kind_of,
)
from hegemon.rules.position import FIELDS, Position
from hegemon.rules.rulings import SHOW_BACKS
from hegemon.rules.setup import cards_removed
from hegemon.rules.view import Backs, View


class Impossible(ValueError):
    """A view, or a memory of it, that no distribution of the game's cards could show."""


def imagine(view: View, memory: Memory, chance: Random) -> Position:
    """A position that fits the view and the memory, each of them with the same odds."""
    position = public_position(view)
    unseen = unseen_cards(view, memory)
    for cards in unseen.values():
        chance.shuffle(cards)
    deck = [
        unseen[age].pop() for age in (3, 2, 1) for _ in range(expect(unseen[age], view.deck_backs[age - 1]))
    ]
    position.deck_size = len(deck)
    position.deck[: len(deck)] = deck
    for age in (1, 2, 3):
        boxed = cards_removed(view.players)
        del unseen[age][: expect(unseen[age], boxed)]
    if not view.rulings & SHOW_BACKS:
        mixed = [kind for cards in unseen.values() for kind in cards]
        chance.shuffle(mixed)
        unseen = {0: mixed}
    for seat in range(view.players):
        if seat != view.viewer:
            deal_hidden(view, memory, position, seat, unseen, chance)
    return position


def expect(cards: list[int], number: int) -> int:
    """So many cards, which must be there."""
    if number > len(cards):
        raise Impossible("More hidden cards lie on the table than the game has left.")
    return number


def public_position(view: View) -> Position:
    """A position with everything that the viewer sees."""
    position = Position()
    for name, _, shape in FIELDS:
        if name in View.__slots__ and name != "kept":
            seen = getattr(view, name)
            setattr(
                position, name, [row[:] for row in seen] if len(shape) == 2 else seen[:] if shape else seen
            )
    if view.hand is not None and view.kept is not None:
        position.hands[view.viewer] = view.hand[:]
        position.kept[view.viewer] = view.kept[:]
    return position


def unseen_cards(view: View, memory: Memory) -> dict[int, list[int]]:
    """The kinds of all cards whose place the viewer does not know, by Age."""
    places = [*view.areas, view.discard_pile, view.centre]
    if view.hand is not None and view.kept is not None:
        places += [view.hand, view.kept]
    places += [memory.known(seat) for seat in range(view.players) if seat != view.viewer]
    unseen: dict[int, list[int]] = {1: [], 2: [], 3: []}
    for kind in KINDS:
        domain, age = domain_of(kind), age_of(kind)
        seen = sum(count_of_age(piles[domain], age) for piles in places)
        if domain == ECONOMY:
            seen += sum(count_of_age(pile, age) for column in view.embargoes for pile in column)
            seen += view.new_embargo > 0 and age_of(view.new_embargo) == age
        if kind == kind_of(UTOPIA, 3):
            seen += sum(sum(column) for column in view.democracies)
        number = NUMBER_OF_CARDS[domain][age - 1] - seen
        if number < 0:
            raise Impossible("More cards of a kind lie on the table than the game has.")
        unseen[age] += [kind] * number
    return unseen


def deal_hidden(
    view: View, memory: Memory, position: Position, seat: int, unseen: dict[int, list[int]], chance: Random
) -> None:
    """Fill a seat's hidden places: the cards known to be there, then unseen ones; in the draft in any order."""
    hand, kept = backs_by_age(view.backs[seat]), backs_by_age(view.kept_backs[seat])
    held: dict[int, list[int]] = {age: [] for age in hand}
    known = memory.known(seat)
    for kind in KINDS:
        number = count_of_age(known[domain_of(kind)], age_of(kind))
        held[age_of(kind) if age_of(kind) in held else 0] += [kind] * number
    for age, cards in held.items():
        missing = hand[age] + kept[age] - len(cards)
        if missing < 0:
            raise Impossible("More cards are known to be in a hand than it holds.")
        cards += [unseen[age].pop() for _ in range(expect(unseen[age], missing))]
        if kept[age]:
            chance.shuffle(cards)
        for place, kind in enumerate(cards):
            piles = position.hands[seat] if place < hand[age] else position.kept[seat]
            piles[domain_of(kind)] += card_of_age(age_of(kind))


def backs_by_age(backs: Backs) -> dict[int, int]:
    """How many hidden cards of each Age lie somewhere; of no Age, 0, where backs are not shown."""
    return {0: backs[0]} if len(backs) == 1 else {1: backs[0], 2: backs[1], 3: backs[2]}
