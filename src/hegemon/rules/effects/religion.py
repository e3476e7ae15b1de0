"""Religion: Inquisition."""

from hegemon.rules.actions import FIRST_INQUISITION
from hegemon.rules.cards import DOMAINS, RELIGION, move, total
from hegemon.rules.picks import ask
from hegemon.rules.position import GIVE, Position
from hegemon.rules.rule import rule
from hegemon.rules.turn import to_the_left


@rule
def inquisitions_on_offer(position: Position) -> int:
    """An Inquisition may name any other player, whatever that hand holds (A45, A46)."""
    return ((1 << (position.players - 1)) - 1) << FIRST_INQUISITION


@rule
def inquisition(position: Position, distance: int) -> None:
    """Discard a Religion card, take a player's whole hand, and give back as many cards of the enlarged hand."""
    move(position.areas[position.seat], position.discard_piles, RELIGION)
    target = to_the_left(position, distance)
    hand = position.hands[position.seat]
    taken = position.hands[target]
    cards = total(taken)
    for domain in range(DOMAINS):
        hand[domain] += taken[domain]
        taken[domain] = 0
    if cards > 0:
        position.target = target
        ask(position, GIVE, cards)
