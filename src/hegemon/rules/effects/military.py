"""Military: Attack."""

from hegemon.rules.cards import COUNT, DOMAINS, MILITARY, move
from hegemon.rules.position import Position
from hegemon.rules.rule import rule
from hegemon.rules.words import ATTACK


@rule
def attacks_on_offer(position: Position) -> int:
    """The Domains an Attack may name: those the seat still has a card in once the Military card is gone (A38, A39)."""
    area = position.areas[position.seat]
    choices = 0
    for domain in range(DOMAINS):
        if (area[domain] & COUNT) > (1 if domain == MILITARY else 0):
            choices |= 1 << (ATTACK + domain)
    return choices


@rule
def attack(position: Position, domain: int) -> None:
    """Discard a Military card and one of the named Domain; everyone else who has one of that Domain loses one too."""
    move(position.areas[position.seat], position.discard_pile, MILITARY)
    for seat in range(position.players):
        if position.areas[seat][domain]:
            move(position.areas[seat], position.discard_pile, domain)
