"""The reference board: what each permanent effect asks for and grants, as data."""

from typing import Final

from hegemon.rules.actions import SLOTS, domain_of_slot, slots_of
from hegemon.rules.cards import total
from hegemon.rules.picks import ask
from hegemon.rules.position import DISCARD_FROM_AREA, DISCARD_FROM_HAND, EFFECTS, FETCH, TAKE_BACK, Position
from hegemon.rules.rule import rule
from hegemon.rules.turn import raised_hand_size

#: The ten permanent effects: the question, the number of cards to pick, and the number of cards to play then.
#: Religion asks for nothing: it raises the hand size by its level.
REFERENCE_BOARD: Final[tuple[tuple[int, int, int], ...]] = (
    (DISCARD_FROM_HAND, 1, 0),  # Assassination
    (DISCARD_FROM_HAND, 2, 0),  # Purge
    (EFFECTS, 0, 0),  # Holy Book
    (EFFECTS, 0, 0),  # Divine Right
    (DISCARD_FROM_AREA, 1, 1),  # Development
    (DISCARD_FROM_AREA, 2, 2),  # Monopoly
    (TAKE_BACK, 1, 1),  # Experiment
    (TAKE_BACK, 2, 2),  # Research
    (FETCH, 1, 0),  # Oligarchy
    (FETCH, 2, 0),  # Republic
)


@rule
def level_of(effect: int) -> int:
    return (effect & 1) + 1


@rule
def domain_of_effect(effect: int) -> int:
    return domain_of_slot(effect >> 1)


@rule
def is_affordable(position: Position, effect: int) -> bool:
    """Whether there are as many cards as a permanent effect asks for (A20, A29); Religion needs a deck (A44)."""
    question = REFERENCE_BOARD[effect][0]
    cards = REFERENCE_BOARD[effect][1]
    if question == DISCARD_FROM_HAND:
        return total(position.hands[position.seat]) >= cards
    if question == FETCH:
        return total(position.discard_piles) >= cards
    if question == EFFECTS:
        return position.deck_size > 0
    return total(position.areas[position.seat]) >= cards


@rule
def effects_of(domains: int, level: int) -> int:
    """The permanent effects on one level of a set of Domains, one bit per effect."""
    slots = slots_of(domains)
    # Each slot has two bits, one per level: bit n moves to bit 2 * n.
    slots = (slots | slots << 4) & 0b1_0000_1111
    slots = (slots | slots << 2) & 0b1_0011_0011
    slots = (slots | slots << 1) & 0b1_0101_0101
    return slots << (level - 1)


@rule
def affordable_effects(position: Position) -> int:
    """The permanent effects for which there are enough cards, one bit per effect."""
    effects = 0
    for effect in range(2 * SLOTS):
        if is_affordable(position, effect):
            effects |= 1 << effect
    return effects


@rule
def use_permanent(position: Position, effect: int) -> None:
    """Apply a permanent effect, one's own or a copied one: it uses up the Domain's one permanent effect this turn."""
    position.used |= 1 << domain_of_effect(effect)
    if REFERENCE_BOARD[effect][0] == EFFECTS:
        position.hand_size = raised_hand_size(level_of(effect))
    else:
        ask(position, REFERENCE_BOARD[effect][0], REFERENCE_BOARD[effect][1])
        position.plays = REFERENCE_BOARD[effect][2]
