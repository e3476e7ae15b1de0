"""A sensible player in a few lines: how games are played out where chance alone would play too badly.

It builds up the Domain in which it is furthest, takes every card advantage, and stops whoever is about to win. It
looks at what its seat may know and at nothing else. It holds no rule: it picks among what `legal` offers.
"""

from typing import Final

from hegemon.kernels.bits import count_bits, nth_bit
from hegemon.kernels.compiling import kernel
from hegemon.kernels.random_play import choose_by_chance
from hegemon.rules.cards import (
    COUNT,
    CULTURE,
    DOMAINS,
    ECONOMY,
    MILITARY,
    RELIGION,
    SCIENCE,
    UTOPIA,
    domain_of,
    total,
)
from hegemon.rules.position import (
    DEMOCRACY_DOMAIN,
    EFFECTS,
    EMBARGO_DOMAIN,
    FETCH,
    PLAY,
    PLAY_MORE,
    Position,
)
from hegemon.rules.shuffle import below, next_state
from hegemon.rules.victory import hegemony_threshold, side_of
from hegemon.rules.words import (
    ATTACK,
    BREAKTHROUGH,
    COPY,
    DEMOCRACY,
    EMBARGO,
    END,
    INQUISITION,
    PERMANENT,
    SLOTS,
    drafted_kind,
)

# A card in a Domain is worth more the fewer cards are missing to Hegemony there.
_FAR: Final = 16


@kernel
def progress(position: Position, seat: int, domain: int) -> int:
    """How near a seat is to Hegemony in a Domain: the higher, the fewer cards are missing."""
    return _FAR + (position.areas[seat][domain] & COUNT) - hegemony_threshold(position, seat, domain)


@kernel
def worth(position: Position, seat: int, domain: int) -> int:
    """What a card of a Domain is worth to a seat: progress there first, cards in hand that would follow second."""
    return 4 * progress(position, seat, domain) + min(position.hands[seat][domain] & COUNT, 3)


@kernel
def main_domain(position: Position, seat: int) -> int:
    """The Domain in which a seat is furthest."""
    best, most = 0, -1
    for domain in range(DOMAINS):
        value = worth(position, seat, domain)
        if value > most:
            best, most = domain, value
    return best


@kernel
def most_wanted(position: Position, choices: int) -> int:
    """The Domain word on offer whose card is worth most to the seat."""
    best, most = 0, -1
    for domain in range(DOMAINS):
        if choices >> domain & 1:
            value = worth(position, position.seat, domain)
            if value > most:
                best, most = domain, value
    return best


@kernel
def least_wanted(position: Position, choices: int) -> int:
    """The Domain word on offer whose card is worth least to the seat."""
    best, least = 0, 1 << 30
    for domain in range(DOMAINS):
        if choices >> domain & 1:
            value = worth(position, position.seat, domain)
            if value < least:
                best, least = domain, value
    return best


@kernel
def greatest_threat(position: Position, seat: int) -> int:
    """The opponent who is nearest to Hegemony: `8 * progress + distance`, 0 if there is none."""
    threat = 0
    for distance in range(1, position.players):
        other = (seat + distance) % position.players
        if side_of(position, other) != side_of(position, seat):
            for domain in range(DOMAINS):
                threat = max(threat, 8 * progress(position, other, domain) + distance)
    return threat


@kernel
def threatened_domain(position: Position, choices: int, target: int) -> int:
    """Of the Domains on offer, the one in which the target is furthest."""
    best, most = 0, -1
    for domain in range(DOMAINS):
        if choices >> domain & 1 and progress(position, target, domain) > most:
            best, most = domain, progress(position, target, domain)
    return best


@kernel
def effect_word(choices: int, domain: int) -> int:
    """The permanent effect of a Domain on offer, the stronger level first, own or copied; -1 if none is."""
    first = PERMANENT + 2 * min(domain, SLOTS - 1)
    for word in (first + 1, first, first + 1 + COPY - PERMANENT, first + COPY - PERMANENT):
        if choices >> word & 1:
            return word
    return -1


@kernel
def can_swap(position: Position, main: int) -> bool:
    """Whether a card of the main Domain in hand could take the place of another card in the area."""
    area = position.areas[position.seat]
    held = position.hands[position.seat][main] & COUNT
    return held > 0 and position.embargoes[position.seat][main] == 0 and total(area) > (area[main] & COUNT)


@kernel
def defence(position: Position, choices: int, threat: int, main: int) -> int:
    """A discard effect against the player who is about to win, if it costs no card of the main Domain; -1 if none."""
    distance = threat & 7
    if choices >> (EMBARGO + distance) & 1 and main != ECONOMY:
        return EMBARGO + distance
    if choices >> (DEMOCRACY + distance) & 1 and main != UTOPIA:
        return DEMOCRACY + distance
    target = (position.seat + distance) % position.players
    endangered = threatened_domain(position, (1 << DOMAINS) - 1, target)
    if choices >> (ATTACK + endangered) & 1 and main not in (MILITARY, endangered):
        return ATTACK + endangered
    return -1


@kernel
def sensible_effect(position: Position, choices: int, state: int) -> int:
    """Step 2: more cards, better cards, a defence where it is needed, and then the end of the step."""
    seat = position.seat
    main = main_domain(position, seat)
    word = effect_word(choices, RELIGION)
    if word >= 0:
        return word
    word = effect_word(choices, UTOPIA)
    if word >= 0:
        return word
    if can_swap(position, main):
        word = effect_word(choices, SCIENCE)
        if word >= 0:
            return word
        word = effect_word(choices, ECONOMY)
        if word >= 0:
            return word
    threat = greatest_threat(position, seat)
    if threat >> 3 >= _FAR - 2:
        word = defence(position, choices, threat, main)
        if word >= 0:
            return word
    if main != SCIENCE and choices >> (BREAKTHROUGH + SCIENCE) & 1 and position.hands[seat][main] == 0:
        return BREAKTHROUGH + SCIENCE
    if main not in (RELIGION, CULTURE) and choices >> INQUISITION & 1 and below(state, 4) == 0:
        return INQUISITION + below(next_state(state), position.players - 1)
    return END


@kernel
def sensible_draft(position: Position, choices: int, state: int) -> int:
    """The card to draft: of a Domain that one has already, else one by chance."""
    kept = position.kept[position.seat]
    area = position.areas[position.seat]
    best, most = 0, -1
    for place in range(count_bits(choices)):
        word = nth_bit(choices, place)
        domain = domain_of(drafted_kind(word))
        state = next_state(state)
        value = 8 * ((kept[domain] & COUNT) + (area[domain] & COUNT)) + below(state, 8)
        if value > most:
            best, most = word, value
    return best


@kernel
def sensible_word(position: Position, choices: int, state: int) -> int:
    """What a sensible player chooses; now and then, in one of sixteen choices, whatever chance says."""
    question = position.question
    if below(state, 16) == 0:
        return choose_by_chance(choices, next_state(state))
    if question < PLAY:
        return sensible_draft(position, choices, state)
    if question == EFFECTS:
        return sensible_effect(position, choices, next_state(state))
    if question in (PLAY, PLAY_MORE, FETCH):
        return most_wanted(position, choices)
    if question in (EMBARGO_DOMAIN, DEMOCRACY_DOMAIN):
        return threatened_domain(position, choices, position.target)
    return least_wanted(position, choices)
