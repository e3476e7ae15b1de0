"""Step 2 of a turn: the effects on offer, and applying the chosen one."""

from hegemon.rules.actions import (
    END,
    FIRST_ATTACK,
    FIRST_BREAKTHROUGH,
    FIRST_COPY,
    FIRST_DEMOCRACY,
    FIRST_EMBARGO,
    FIRST_INQUISITION,
    FIRST_PERMANENT,
    domain_of_slot,
)
from hegemon.rules.cards import CULTURE, DOMAINS, ECONOMY, MILITARY, RELIGION, SCIENCE, UTOPIA, domains_with
from hegemon.rules.effects.board import affordable_effects, effects_of, use_permanent
from hegemon.rules.effects.culture import copy_effect, domains_of_others_with, leads_culture
from hegemon.rules.effects.economy import aim, embargoes_on_offer, others_with_cards
from hegemon.rules.effects.military import attack, attacks_on_offer
from hegemon.rules.effects.religion import inquisition, inquisitions_on_offer
from hegemon.rules.effects.science import breakthrough, breakthroughs_on_offer
from hegemon.rules.effects.utopia import democracies_on_offer
from hegemon.rules.position import DEMOCRACY_DOMAIN, EMBARGO_DOMAIN, Position
from hegemon.rules.rule import rule
from hegemon.rules.rulings import PASSIVE_RELIGION
from hegemon.rules.turn import end_turn, threshold

# In `position.used`, the bits of the discard effects follow those of the permanent ones.
_DISCARD_EFFECT = DOMAINS


@rule
def permanent_used(position: Position, domain: int) -> int:
    """Whether the Domain's permanent effect, own or copied, was used this turn (for Culture: Inspiration)."""
    return position.used >> domain & 1


@rule
def discard_used(position: Position, domain: int) -> int:
    """Whether the Domain's discard effect was used this turn."""
    return position.used >> (_DISCARD_EFFECT + domain) & 1


@rule
def permanents_on_offer(position: Position) -> int:
    """Permanent effects: one per Domain, by the cards in one's own area; or copied from another by Inspiration.

    An effect that one has oneself is never offered as a copy (D04): using it is the same and costs less.
    """
    inspired = not permanent_used(position, CULTURE) and leads_culture(position, position.seat)
    used = position.used
    if position.rulings & PASSIVE_RELIGION:
        used |= 1 << RELIGION
    actions = 0
    for level in range(1, 3):
        own = domains_with(threshold(position, level), position.areas[position.seat])
        copyable = domains_of_others_with(threshold(position, level), position) & ~own if inspired else 0
        if not own | copyable:
            break
        actions |= effects_of(own & ~used, level) << FIRST_PERMANENT
        actions |= effects_of(copyable & ~used, level) << FIRST_COPY
    if actions:
        affordable = affordable_effects(position)
        actions &= affordable << FIRST_PERMANENT | affordable << FIRST_COPY
    return actions


@rule
def discards_on_offer(position: Position) -> int:
    """Discard effects: one per Domain, for one face-up card of it and something to aim at."""
    domains = domains_with(1, position.areas[position.seat])
    unused = ~(position.used >> _DISCARD_EFFECT)
    payable = domains & unused
    # Products with 0 or 1 instead of branches, which a processor would often mispredict.
    actions = attacks_on_offer(position, domains) * (payable >> MILITARY & 1)
    actions |= inquisitions_on_offer(position) * (payable >> RELIGION & 1)
    if payable & (1 << ECONOMY | 1 << UTOPIA):
        others = others_with_cards(position)
        actions |= embargoes_on_offer(position, others) * (payable >> ECONOMY & 1)
        actions |= democracies_on_offer(position, others) * (payable >> UTOPIA & 1)
    return actions | breakthroughs_on_offer(position, domains) * (unused >> SCIENCE & 1)


@rule
def effects_on_offer(position: Position) -> int:
    """Every effect that may be applied now, and the end of the step."""
    return permanents_on_offer(position) | discards_on_offer(position) | 1 << END


@rule
def use_discard(position: Position, domain: int) -> None:
    """A Domain's discard effect may be used once a turn."""
    position.used |= 1 << (_DISCARD_EFFECT + domain)


@rule
def apply_effect(position: Position, action: int) -> None:
    """Apply the chosen effect, or end the step."""
    if action == END:
        end_turn(position)
    elif action >= FIRST_BREAKTHROUGH:
        use_discard(position, SCIENCE)
        breakthrough(position, domain_of_slot(action - FIRST_BREAKTHROUGH))
    elif action >= FIRST_DEMOCRACY:
        use_discard(position, UTOPIA)
        aim(position, DEMOCRACY_DOMAIN, action - FIRST_DEMOCRACY)
    elif action >= FIRST_EMBARGO:
        use_discard(position, ECONOMY)
        aim(position, EMBARGO_DOMAIN, action - FIRST_EMBARGO)
    elif action >= FIRST_INQUISITION:
        use_discard(position, RELIGION)
        inquisition(position, action - FIRST_INQUISITION + 1)
    elif action >= FIRST_ATTACK:
        use_discard(position, MILITARY)
        attack(position, action - FIRST_ATTACK)
    elif action >= FIRST_COPY:
        copy_effect(position, action - FIRST_COPY)
    else:
        use_permanent(position, action - FIRST_PERMANENT)
