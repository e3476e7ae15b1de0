"""Science: Breakthrough."""

from typing import Final

from hegemon.rules.actions import FIRST_BREAKTHROUGH, slots_of
from hegemon.rules.cards import SCIENCE, move
from hegemon.rules.picks import ask
from hegemon.rules.position import DISCARD_FROM_HAND, Position
from hegemon.rules.rule import rule
from hegemon.rules.rulings import BREAKTHROUGH_ANY
from hegemon.rules.turn import draw

#: A Breakthrough draws five cards and then discards five.
BREAKTHROUGH_CARDS: Final = 5


@rule
def breakthroughs_on_offer(position: Position, domains: int) -> int:
    """A Breakthrough is paid with a Science card; in the Polish edition with any face-up card but Culture (D12)."""
    if not position.rulings & BREAKTHROUGH_ANY:
        domains &= 1 << SCIENCE
    return slots_of(domains) << FIRST_BREAKTHROUGH


@rule
def breakthrough(position: Position, domain: int) -> None:
    """Discard the card, draw five from the Age deck, then discard as many from hand as were drawn."""
    move(position.areas[position.seat], position.discard_piles, domain)
    drawn = draw(position, position.seat, BREAKTHROUGH_CARDS)
    if drawn > 0:
        ask(position, DISCARD_FROM_HAND, drawn)
