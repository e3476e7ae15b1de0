"""The heuristic policy for playouts.

It moves the cards that gain most by the evaluation of `heuristic`, takes every card advantage, and hinders the players
who are about to win. It uses only what its seat may know, and contains no rules: it selects among the actions of
`legal`.
"""

from typing import Final

from hegemon.kernels.bits import count_bits, nth_bit, random_action
from hegemon.kernels.compiler import kernel, kernel_not_inlined
from hegemon.kernels.heuristic import (
    HARMLESS,
    WON,
    drafted_gain,
    gain,
    gift_cost,
    harmless_threat_reduction,
    loss,
    majority_weight,
    near_win_threat,
    threat_reduction,
)
from hegemon.rules.actions import (
    END,
    FIRST_ATTACK,
    FIRST_BREAKTHROUGH,
    FIRST_COPY,
    FIRST_DEMOCRACY,
    FIRST_EMBARGO,
    FIRST_INQUISITION,
    FIRST_PERMANENT,
    SLOTS,
    drafted_kind,
)
from hegemon.rules.cards import COUNT, DOMAINS, ECONOMY, MILITARY, RELIGION, SCIENCE, UTOPIA, domain_of
from hegemon.rules.picks import barred_domains, pile_to_pick_from
from hegemon.rules.position import (
    DEMOCRACY_DOMAIN,
    DISCARD_FROM_AREA,
    DISCARD_FROM_HAND,
    DRAFT_PICK,
    EFFECTS,
    EMBARGO_DOMAIN,
    FETCH,
    GIVE,
    OVER,
    PLAY,
    PLAY_MORE,
    TAKE_BACK,
    Position,
)
from hegemon.rules.shuffle import below, next_state
from hegemon.rules.turn import to_the_left
from hegemon.rules.victory import hegemony, hegemony_threshold, side_of

#: The minimum gain of an effect; below it, the effect is not worth its card.
WORTHWHILE: Final = 0.05
# The value of a rival's card in a Domain, as a fraction of the lead.
_RIVAL: Final = 0.15
# The values of a choice from five new cards, of a choice from another hand, and of replacing the worst card.
_BREAKTHROUGH: Final = 3.0
_INQUISITION: Final = 2.0
_FRESH_CARD: Final = 0.5
_PERMANENTS: Final = (1 << FIRST_ATTACK) - (1 << FIRST_PERMANENT)
# The change in the cards of the seat's play area and hand after a pick, by the open question.
_INTO_PLAY: Final = tuple(
    (question in (PLAY, PLAY_MORE)) - (question in (DISCARD_FROM_AREA, TAKE_BACK)) for question in range(OVER)
)
_INTO_HAND: Final = tuple(
    (question in (TAKE_BACK, FETCH)) - (question in (DISCARD_FROM_HAND, PLAY, PLAY_MORE, GIVE))
    for question in range(OVER)
)


@kernel_not_inlined
def pick_gain(position: Position, domain: int, number: int, weight: float) -> float:
    """The gain of one more card of a Domain, after `number` of them have been picked."""
    played = _INTO_PLAY[position.question]
    drawn = _INTO_HAND[position.question]
    value = gain(position, domain, played * (number + 1), drawn * (number + 1), weight)
    if number > 0:
        value -= gain(position, domain, played * number, drawn * number, weight)
    if position.question == GIVE:
        value -= gift_cost(position, position.target, domain)
    return value


@kernel
def best_play(position: Position, choices: int, weight: float) -> int:
    best = -1
    most = 0.0
    for place in range(count_bits(choices)):
        domain = nth_bit(choices, place)
        value = gain(position, domain, 1, -1, weight)
        if best < 0 or value > most:
            best, most = domain, value
    return best


@kernel
def best_pick(position: Position, choices: int, weight: float) -> int:
    """The best card, where only one is required."""
    best = -1
    most = 0.0
    for place in range(count_bits(choices)):
        domain = nth_bit(choices, place)
        value = pick_gain(position, domain, 0, weight)
        if best < 0 or value > most:
            best, most = domain, value
    return best


@kernel_not_inlined
def lowest_pick(position: Position, choices: int, weight: float) -> int:
    """The lowest Domain in the best set of cards to pick."""
    first = nth_bit(choices, 0)
    barred = barred_domains(position)
    lowest = DOMAINS
    picked = 0  # the number of picks of each Domain, five bits each
    left = position.left
    while left > 0:
        best = -1
        most = 0.0
        for domain in range(first, DOMAINS):
            number = picked >> (5 * domain) & 31
            if not barred >> domain & 1 and (pile_to_pick_from(position, domain) & COUNT) > number:
                value = pick_gain(position, domain, number, weight)
                if best < 0 or value > most:
                    best, most = domain, value
        lowest = min(lowest, best)
        if lowest == first:
            break
        # While the next card of that Domain gains no less, it is the best again.
        there = pile_to_pick_from(position, best) & COUNT
        number = picked >> (5 * best) & 31
        value = most
        while value >= most and left > 0:
            most = value
            number += 1
            left -= 1
            value = pick_gain(position, best, number, weight) if number < there else most - 1.0
        picked = picked & ~(31 << (5 * best)) | number << (5 * best)
    return lowest


@kernel_not_inlined
def pick_action(position: Position, choices: int) -> int:
    """The card to pick; of several, one of the lowest Domain, because picks are made in ascending order."""
    weight = majority_weight(position)
    if position.left > 1:
        return lowest_pick(position, choices, weight)
    if position.question in (PLAY, PLAY_MORE):
        return best_play(position, choices, weight)
    return best_pick(position, choices, weight)


@kernel_not_inlined
def domain_for_marker(position: Position, choices: int) -> int:
    """The Domain in which a marker hinders the target most."""
    best = -1
    most = 0.0
    for domain in range(DOMAINS):
        if choices >> domain & 1:
            value = threat_reduction(
                position, position.target, domain, position.areas[position.target][domain] & COUNT
            )
            if best < 0 or value > most:
                best, most = domain, value
    return best


@kernel_not_inlined
def best_attack(position: Position, choices: int, weight: float) -> int:
    """The Attack with the highest net gain, or -1 if none is worth its cost."""
    best = -1
    most = WORTHWHILE
    paid = loss(position, MILITARY, weight)
    for domain in range(DOMAINS):
        if choices >> (FIRST_ATTACK + domain) & 1:
            value = 0.0
            for other in range(position.players):
                cards = position.areas[other][domain] & COUNT
                if cards > 0 and side_of(position, other) != side_of(position, position.seat):
                    value += threat_reduction(position, other, domain, cards) + _RIVAL * weight
            # Most Attacks are not even worth the Military card.
            if value + paid > most:
                if domain == MILITARY:
                    value += gain(position, MILITARY, -2, 0, weight)
                else:
                    value += paid + loss(position, domain, weight)
                if value > most:
                    best, most = FIRST_ATTACK + domain, value
    return best


@kernel_not_inlined
def best_embargo(position: Position, choices: int, weight: float) -> int:
    """The Embargo against the most threatening column, or -1 if no player is about to win."""
    best = -1
    most = WORTHWHILE
    for distance in range(1, position.players):
        other = to_the_left(position, distance)
        offered = choices >> (FIRST_EMBARGO + distance) & 1
        if offered and side_of(position, other) != side_of(position, position.seat):
            for domain in range(DOMAINS):
                missing = hegemony_threshold(position, other, domain) - (
                    position.areas[other][domain] & COUNT
                )
                if missing <= 2 and not position.embargoes[other][domain] and near_win_threat(missing) > most:
                    best, most = FIRST_EMBARGO + distance, near_win_threat(missing)
    return best if best >= 0 and most + loss(position, ECONOMY, weight) > WORTHWHILE else -1


@kernel_not_inlined
def best_democracy(position: Position, choices: int, weight: float) -> int:
    """The Democracy with the highest net gain, or -1 if none is worth its cost."""
    best = -1
    most = WORTHWHILE
    paid = loss(position, UTOPIA, weight)
    # Among harmless columns the longest gains most, and often not even that is worth the Utopia card.
    longest = HARMLESS if harmless_threat_reduction(position.players, HARMLESS) + paid <= WORTHWHILE else 0
    for distance in range(1, position.players):
        other = to_the_left(position, distance)
        offered = choices >> (FIRST_DEMOCRACY + distance) & 1
        if offered and side_of(position, other) != side_of(position, position.seat):
            for domain in range(DOMAINS):
                cards = position.areas[other][domain] & COUNT
                if cards > longest:
                    value = threat_reduction(position, other, domain, cards)
                    if value > most:
                        best, most = FIRST_DEMOCRACY + distance, value
                    if cards <= HARMLESS and not position.democracies[other][domain]:
                        longest = cards
    return best if best >= 0 and most + paid > WORTHWHILE else -1


@kernel
def permanent_action(choices: int, domain: int) -> int:
    """The available permanent effect of a Domain, the stronger level first, own or copied; -1 if there is none."""
    first = FIRST_PERMANENT + 2 * min(domain, SLOTS - 1)
    own = choices >> first & 3
    if own:
        return first + (own >> 1)
    copy = first + FIRST_COPY - FIRST_PERMANENT
    copied = choices >> copy & 3
    return copy + (copied >> 1) if copied else -1


@kernel_not_inlined
def swap_pays(position: Position, kept: int, weight: float) -> bool:
    """Whether replacing a card in play by the best one in hand gains; `kept` is 1 if the former returns to hand."""
    best = -WON
    for domain in range(DOMAINS):
        if position.hands[position.seat][domain] and position.embargoes[position.seat][domain] == 0:
            best = max(best, gain(position, domain, 1, -1, weight))
    for domain in range(DOMAINS):
        if (
            position.areas[position.seat][domain]
            and gain(position, domain, -1, kept, weight) + best > WORTHWHILE
        ):
            return True
    return False


@kernel_not_inlined
def lowest_card_value(position: Position, weight: float) -> float:
    """The value of the least valuable card in hand."""
    least = WON
    for domain in range(DOMAINS):
        if position.hands[position.seat][domain]:
            least = min(least, -gain(position, domain, 0, -1, weight))
    return least


@kernel
def permanent_to_use(position: Position, choices: int, weight: float) -> int:
    """A permanent effect that gains more or better cards, or -1."""
    action = permanent_action(choices, RELIGION)
    if action < 0:
        action = permanent_action(choices, UTOPIA)
    if action >= 0:
        return action
    action = permanent_action(choices, SCIENCE)
    if action >= 0 and swap_pays(position, 1, weight):
        return action
    action = permanent_action(choices, ECONOMY)
    if action >= 0 and swap_pays(position, 0, weight):
        return action
    return -1


@kernel_not_inlined
def effect_action(position: Position, choices: int, state: int) -> int:
    """The action in step 2: first effects for more and better cards, then those against opponents, then the end."""
    if hegemony(position, position.seat) >= 0:
        return END
    weight = majority_weight(position)
    action = -1
    if choices & _PERMANENTS:
        action = permanent_to_use(position, choices, weight)
    if action < 0 and choices >> FIRST_ATTACK & ((1 << DOMAINS) - 1):
        action = best_attack(position, choices, weight)
    if action < 0 and choices >> FIRST_EMBARGO & 15:
        action = best_embargo(position, choices, weight)
    if action < 0 and choices >> FIRST_DEMOCRACY & 15:
        action = best_democracy(position, choices, weight)
    if action >= 0:
        return action
    action = FIRST_BREAKTHROUGH + SCIENCE
    if choices >> action & 1 and loss(position, SCIENCE, weight) > -_BREAKTHROUGH:
        return action
    if choices >> FIRST_INQUISITION & 1 and loss(position, RELIGION, weight) > -_INQUISITION:
        return FIRST_INQUISITION + below(state, position.players - 1)
    action = permanent_action(choices, MILITARY)
    if action >= 0 and position.deck_size > 0 and lowest_card_value(position, weight) < _FRESH_CARD:
        return action
    return END


@kernel_not_inlined
def draft_pick(position: Position, choices: int, state: int) -> int:
    """The draft pick with the highest gain, plus some noise."""
    played = 0 if position.question == DRAFT_PICK else 1
    best = -1
    most = 0.0
    for place in range(count_bits(choices)):
        action = nth_bit(choices, place)
        state = next_state(state)
        value = (
            drafted_gain(position, domain_of(drafted_kind(action)), played, 1 - played)
            + below(state, 8) / 8.0
        )
        if best < 0 or value > most:
            best, most = action, value
    return best


@kernel_not_inlined
def heuristic_action(position: Position, choices: int, state: int) -> int:
    """The action of the policy; one in sixteen is random."""
    question = position.question
    if below(state, 16) == 0:
        return random_action(choices, next_state(state))
    if question < PLAY:
        return draft_pick(position, choices, state)
    if question == EFFECTS:
        return effect_action(position, choices, next_state(state))
    if question in (EMBARGO_DOMAIN, DEMOCRACY_DOMAIN):
        return domain_for_marker(position, choices)
    return pick_action(position, choices)
