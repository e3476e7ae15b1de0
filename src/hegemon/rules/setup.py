"""The set-up: the Age deck, the deal, and the Draft."""

from enum import IntEnum
from typing import Final

from hegemon.rules.actions import draft_action, drafted_kind
from hegemon.rules.cards import (
    DOMAINS,
    NUMBER_OF_CARDS,
    age_of,
    card_of_age,
    count_of_age,
    domain_of,
    kind_of,
    total,
)
from hegemon.rules.position import CENTER_PICK, DRAFT_PICK, Position
from hegemon.rules.rule import rule
from hegemon.rules.turn import HAND_SIZE, begin_turn, draw


class Variant(IntEnum):
    """How the cards are dealt."""

    BASIC = 0
    DRAFT = 1


BASIC: Final = int(Variant.BASIC)

#: Each player drafts three cards for the hand; the fourth of every packet goes to the center.
DRAFT_PICKS: Final = 3


@rule
def cards_removed(players: int) -> int:
    """The number of unseen cards of each Age that go back to the box."""
    return 3 if players < 4 else 0


@rule
def cards_of_age(players: int, age: int) -> int:
    """The number of cards of an Age in the deck at the start."""
    cards = -cards_removed(players)
    for domain in range(DOMAINS):
        cards += NUMBER_OF_CARDS[domain][age - 1]
    return cards


@rule
def deal(position: Position, variant: int) -> None:
    """Deal from a shuffled Age deck: three cards each for Basic, a packet of four each for the Draft."""
    for seat in range(position.players):
        draw(position, seat, HAND_SIZE if variant == BASIC else DRAFT_PICKS + 1)
    position.drew = 0  # dealing is not drawing: the stall rule looks at whole rounds
    if variant == BASIC:
        position.round = 1
        begin_turn(position, 0)
    else:
        position.question = DRAFT_PICK
        position.left = DRAFT_PICKS


@rule
def owes_pick(position: Position, seat: int) -> bool:
    """Whether a seat still has to keep a card before the packets move on; picks are simultaneous (A06)."""
    return total(position.kept[seat]) == DRAFT_PICKS - position.left


@rule
def kinds_on_offer(piles: list[int]) -> int:
    """The draft actions for the cards in a packet or in the center."""
    actions = 0
    for domain in range(DOMAINS):
        for age in range(1, 4):
            if count_of_age(piles[domain], age):
                actions |= 1 << draft_action(kind_of(domain, age))
    return actions


@rule
def keep(position: Position, action: int) -> None:
    """Keep one card of the packet, face down; when all players have, the packets move on."""
    kind = drafted_kind(action)
    card = card_of_age(age_of(kind))
    position.hands[position.seat][domain_of(kind)] -= card
    position.kept[position.seat][domain_of(kind)] += card
    for seat in range(position.players):
        if owes_pick(position, seat):
            position.seat = seat
            return
    position.left -= 1
    if position.left > 0:
        pass_left(position)
        position.seat = 0
    else:
        reveal_center(position)
        position.question = CENTER_PICK
        position.seat = position.players - 1


@rule
def pass_left(position: Position) -> None:
    """Each player passes the packet to the player on the left."""
    last = position.players - 1
    for domain in range(DOMAINS):
        pile = position.hands[last][domain]
        for seat in range(last, 0, -1):
            position.hands[seat][domain] = position.hands[seat - 1][domain]
        position.hands[0][domain] = pile


@rule
def reveal_center(position: Position) -> None:
    """The last card of every packet goes face up into the center, all at once."""
    for seat in range(position.players):
        for domain in range(DOMAINS):
            position.center_piles[domain] += position.hands[seat][domain]
            position.hands[seat][domain] = 0


@rule
def take_from_center(position: Position, action: int) -> None:
    """Take a card of the center into the play area; counter-clockwise, the First Player last."""
    kind = drafted_kind(action)
    card = card_of_age(age_of(kind))
    position.center_piles[domain_of(kind)] -= card
    position.areas[position.seat][domain_of(kind)] += card
    if position.seat > 0:
        position.seat -= 1
        return
    for seat in range(position.players):
        for domain in range(DOMAINS):
            position.hands[seat][domain] = position.kept[seat][domain]
            position.kept[seat][domain] = 0
    position.round = 1
    begin_turn(position, 0)
