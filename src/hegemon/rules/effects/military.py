"""Military: Attack."""

from hegemon.rules.actions import FIRST_ATTACK
from hegemon.rules.cards import COUNT, MILITARY, move
from hegemon.rules.position import Position
from hegemon.rules.rule import rule


@rule
def attacks_on_offer(position: Position, domains: int) -> int:
    """The Domains an Attack may name: those the seat still has a card in once the Military card is gone (A38, A39)."""
    last = (position.areas[position.seat][MILITARY] & COUNT) == 1
    return (domains & ~(last << MILITARY)) << FIRST_ATTACK


@rule
def attack(position: Position, domain: int) -> None:
    """Discard a Military card and one of the named Domain; everyone else who has one of that Domain loses one too."""
    move(position.areas[position.seat], position.discard_piles, MILITARY)
    for seat in range(position.players):
        if position.areas[seat][domain]:
            move(position.areas[seat], position.discard_piles, domain)
