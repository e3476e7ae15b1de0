"""A sensible player in a few lines: how games are played out where chance alone would play too badly.

It judges every Domain by how near it is to Hegemony there and by who leads it, moves the cards that gain most, takes
every card advantage, and harms whoever is about to win. It looks at what its seat may know and at nothing else. It
holds no rule: it picks among what `legal` offers.
"""

from typing import Final

from hegemon.kernels.bits import count_bits, nth_bit
from hegemon.kernels.compiling import kernel, kernel_apart
from hegemon.kernels.random_play import choose_by_chance
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
from hegemon.rules.cards import (
    ALL_CARDS,
    COUNT,
    CULTURE,
    DOMAINS,
    ECONOMY,
    MILITARY,
    RELIGION,
    SCIENCE,
    UTOPIA,
    domain_of,
)
from hegemon.rules.picks import pickable
from hegemon.rules.position import (
    DEMOCRACY_DOMAIN,
    DISCARD_FROM_AREA,
    DISCARD_FROM_HAND,
    EFFECTS,
    EMBARGO_DOMAIN,
    FETCH,
    GIVE,
    MAX_PLAYERS,
    PLAY,
    TAKE_BACK,
    Position,
)
from hegemon.rules.shuffle import below, next_state
from hegemon.rules.turn import threshold
from hegemon.rules.victory import hegemony, hegemony_threshold, side_of

# A full column is worth this much, and one on its way a share that grows with the third power of its cards.
_HEGEMONY: Final = 100.0
_WON: Final = 10_000.0
# A card in play counts twenty towards its column and one in hand nine: whole numbers, which are quick and exact.
_IN_PLAY: Final = 20
_IN_HAND: Final = 9
# What a full column is worth, for each number of cards that fill it, by the third power of its whole way.
_BY_WAY: Final = (0.0, *(_HEGEMONY / (_IN_PLAY * needed) ** 3 for needed in range(1, COUNT + 1)))
# A Domain in which one leads when the deck is out, and the part of that which it is worth when the game begins.
_MAJORITY: Final = 12.0
_EARLY: Final = 0.1
# How likely the lead is to last, by how far one is behind or ahead: two cards or more behind, to two or more ahead.
_LEADS: Final = (0.1, 0.35, 0.65, 0.85, 1.0)
# What it is worth to have the cards for a permanent effect, a level.
_EFFECT: Final = 1.5
# An opponent's column counts by this part of one's own; one that a card or two would fill counts extra.
_THREAT: Final = 0.5
_ONE_CARD_AWAY: Final = 60.0
_TWO_CARDS_AWAY: Final = 15.0
# A rival's card in a Domain is worth this part of the lead.
_RIVAL: Final = 0.15
# An effect must gain this much: one that changes nothing only wastes a card.
_WORTHWHILE: Final = 0.05
# What five new cards to choose from are worth, another hand to choose from, and a fresh card for the poorest one.
_BREAKTHROUGH: Final = 3.0
_INQUISITION: Final = 2.0
_FRESH_CARD: Final = 0.5


@kernel
def majority_weight(position: Position) -> float:
    """What leading in a Domain is worth at this time of the game."""
    drawn = 1.0 - position.deck_size / ALL_CARDS
    return _MAJORITY * (_EARLY + (1.0 - _EARLY) * drawn * drawn)


@kernel
def lead(own: int, others: int) -> float:
    """How likely a Domain is to be scored in the end, by the cards that one has and the best rival has."""
    if own == 0:
        return 0.0
    return _LEADS[min(max(own - others, -2), 2) + 2]


@kernel
def most_of_rivals(position: Position, domain: int) -> int:
    """The most cards that an opponent of the seat has in a Domain."""
    most = 0
    side = side_of(position, position.seat)
    for other in range(MAX_PLAYERS):  # nobody has cards where nobody sits
        if side_of(position, other) != side:
            most = max(most, position.areas[other][domain] & COUNT)
    return most


@kernel
def effects_with(position: Position, cards: int) -> int:
    """How many levels of a permanent effect so many cards give."""
    return int(cards >= threshold(position, 1)) + int(cards >= threshold(position, 2))


@kernel_apart
def gain(position: Position, domain: int, played: int, drawn: int, weight: float) -> float:
    """What the seat gains in a Domain by so many cards more in play and so many more in hand."""
    seat = position.seat
    own = position.areas[seat][domain] & COUNT
    held = position.hands[seat][domain] & COUNT
    needed = hegemony_threshold(position, seat, domain)
    whole = _IN_PLAY * needed
    before = min(_IN_PLAY * own + _IN_HAND * held, whole)
    after = min(_IN_PLAY * (own + played) + _IN_HAND * (held + drawn), whole)
    value = _BY_WAY[needed] * (after * after * after - before * before * before)
    if played != 0:
        new = own + played
        rivals = most_of_rivals(position, domain)
        value += weight * (lead(new, rivals) - lead(own, rivals))
        if new >= needed:
            value += _WON
        if own >= needed:
            value -= _WON
        if domain != CULTURE:
            value += _EFFECT * (effects_with(position, new) - effects_with(position, own))
    return value


# ------------------------------------------------------------------ picks


@kernel
def into_play(question: int) -> int:
    """How many cards more a pick brings into the seat's play area."""
    if question in (DISCARD_FROM_AREA, TAKE_BACK):
        return -1
    return 0 if question in (DISCARD_FROM_HAND, GIVE, FETCH) else 1


@kernel
def into_hand(question: int) -> int:
    """How many cards more a pick brings into the seat's hand."""
    if question in (TAKE_BACK, FETCH):
        return 1
    return 0 if question == DISCARD_FROM_AREA else -1


@kernel
def best_pick(position: Position, choices: int, played: int, drawn: int, weight: float) -> int:
    """The best of the cards on offer, where only one is asked for."""
    best = -1
    most = 0.0
    for place in range(count_bits(choices)):
        domain = nth_bit(choices, place)
        value = gain(position, domain, played, drawn, weight)
        if best < 0 or value > most:
            best, most = domain, value
    return best


@kernel_apart
def sensible_pick(position: Position, choices: int) -> int:
    """The first, in the order that is asked for, of the cards that are best picked together."""
    played = into_play(position.question)
    drawn = into_hand(position.question)
    weight = majority_weight(position)
    if position.left == 1:
        return best_pick(position, choices, played, drawn, weight)
    there = 0  # five bits a Domain: how many of it may be picked
    for domain in range(position.floor, DOMAINS):
        there += pickable(position, domain) << (5 * domain)
    lowest = DOMAINS
    picked = 0  # likewise: how many of it are picked
    for _ in range(position.left):
        best = -1
        most = 0.0
        for domain in range(position.floor, DOMAINS):
            number = picked >> (5 * domain) & 31
            if there >> (5 * domain) & 31 > number:
                value = gain(position, domain, played * (number + 1), drawn * (number + 1), weight)
                if number > 0:
                    value -= gain(position, domain, played * number, drawn * number, weight)
                if best < 0 or value > most:
                    best, most = domain, value
        picked += 1 << (5 * best)
        lowest = min(lowest, best)
        if lowest == position.floor:
            break
    return lowest


# ------------------------------------------------------------------ harm


@kernel
def alarm(missing: int) -> float:
    """What it is worth to stop a column to which so many cards are missing."""
    if missing > 2:
        return 0.0
    return _TWO_CARDS_AWAY if missing == 2 else _ONE_CARD_AWAY


@kernel
def relief(position: Position, other: int, domain: int, cards: int) -> float:
    """What it is worth to the seat if a column of an opponent had one card less."""
    needed = hegemony_threshold(position, other, domain)
    slower = 3 * cards * cards - 3 * cards + 1
    value = _THREAT * _HEGEMONY * slower / (needed * needed * needed * (position.players - 1))
    if position.embargoes[other][domain] == 0:
        value += alarm(needed - cards) - alarm(needed - cards + 1)
    return value


@kernel_apart
def threatened_domain(position: Position, choices: int, target: int) -> int:
    """Of the Domains on offer, the one in which it is worth most to hold the target up."""
    best = -1
    most = 0.0
    for domain in range(DOMAINS):
        if choices >> domain & 1:
            value = relief(position, target, domain, position.areas[target][domain] & COUNT)
            if best < 0 or value > most:
                best, most = domain, value
    return best


@kernel_apart
def best_attack(position: Position, choices: int, weight: float) -> int:
    """The Attack that harms the others most for what it costs; -1 if none is worth it."""
    best = -1
    most = _WORTHWHILE
    paid = gain(position, MILITARY, -1, 0, weight)
    for domain in range(DOMAINS):
        if choices >> (FIRST_ATTACK + domain) & 1:
            value = 0.0
            for other in range(position.players):
                cards = position.areas[other][domain] & COUNT
                if cards > 0 and side_of(position, other) != side_of(position, position.seat):
                    value += relief(position, other, domain, cards) + _RIVAL * weight
            # Most Attacks would not even pay for the Military card.
            if value + paid > most:
                if domain == MILITARY:
                    value += gain(position, MILITARY, -2, 0, weight)
                else:
                    value += paid + gain(position, domain, -1, 0, weight)
                if value > most:
                    best, most = FIRST_ATTACK + domain, value
    return best


@kernel_apart
def best_marker(position: Position, choices: int, first: int, paid: int, weight: float) -> int:
    """The player on whom an Embargo or a Democracy gains most for the card it costs; -1 if nobody is."""
    best = -1
    most = _WORTHWHILE
    for distance in range(1, position.players):
        other = (position.seat + distance) % position.players
        offered = choices >> (first + distance) & 1
        if offered and side_of(position, other) != side_of(position, position.seat):
            for domain in range(DOMAINS):
                cards = position.areas[other][domain] & COUNT
                if cards == 0:
                    continue
                if first == FIRST_DEMOCRACY:
                    value = relief(position, other, domain, cards)
                elif position.embargoes[other][domain]:
                    value = 0.0
                else:
                    value = alarm(hegemony_threshold(position, other, domain) - cards)
                if value > most:
                    best, most = first + distance, value
    # The card is worth something, so whoever is not worth even nothing need not be weighed against it.
    return best if best >= 0 and most + gain(position, paid, -1, 0, weight) > _WORTHWHILE else -1


# ------------------------------------------------------------------ effects


@kernel
def effect_word(choices: int, domain: int) -> int:
    """The permanent effect of a Domain on offer, the stronger level first, own or copied; -1 if none is."""
    first = FIRST_PERMANENT + 2 * min(domain, SLOTS - 1)
    for word in (
        first + 1,
        first,
        first + 1 + FIRST_COPY - FIRST_PERMANENT,
        first + FIRST_COPY - FIRST_PERMANENT,
    ):
        if choices >> word & 1:
            return word
    return -1


@kernel_apart
def swap(position: Position, kept: int, weight: float) -> float:
    """What it gains to give up the worst card in play, or to take it to hand, and to play the best one in hand."""
    worst = -_WON
    best = -_WON
    for domain in range(DOMAINS):
        if position.areas[position.seat][domain]:
            worst = max(worst, gain(position, domain, -1, kept, weight))
        if position.hands[position.seat][domain] and position.embargoes[position.seat][domain] == 0:
            best = max(best, gain(position, domain, 1, -1, weight))
    return worst + best


@kernel_apart
def poorest_card(position: Position, weight: float) -> float:
    """What the card in hand that would be missed least is worth."""
    least = _WON
    for domain in range(DOMAINS):
        if position.hands[position.seat][domain]:
            least = min(least, -gain(position, domain, 0, -1, weight))
    return least


@kernel_apart
def sensible_effect(position: Position, choices: int, state: int) -> int:
    """Step 2: more cards, better cards, harm where it pays, and then the end of the step."""
    if hegemony(position, position.seat) >= 0:
        return END
    weight = majority_weight(position)
    word = effect_word(choices, RELIGION)
    if word < 0:
        word = effect_word(choices, UTOPIA)
    if word >= 0:
        return word
    word = effect_word(choices, SCIENCE)
    if word >= 0 and swap(position, 1, weight) > _WORTHWHILE:
        return word
    word = effect_word(choices, ECONOMY)
    if word >= 0 and swap(position, 0, weight) > _WORTHWHILE:
        return word
    word = -1
    if choices >> FIRST_ATTACK & ((1 << DOMAINS) - 1):
        word = best_attack(position, choices, weight)
    if word < 0 and choices >> FIRST_EMBARGO & 15:
        word = best_marker(position, choices, FIRST_EMBARGO, ECONOMY, weight)
    if word < 0 and choices >> FIRST_DEMOCRACY & 15:
        word = best_marker(position, choices, FIRST_DEMOCRACY, UTOPIA, weight)
    if word >= 0:
        return word
    if (
        choices >> (FIRST_BREAKTHROUGH + SCIENCE) & 1
        and gain(position, SCIENCE, -1, 0, weight) > -_BREAKTHROUGH
    ):
        return FIRST_BREAKTHROUGH + SCIENCE
    if choices >> FIRST_INQUISITION & 1 and gain(position, RELIGION, -1, 0, weight) > -_INQUISITION:
        return FIRST_INQUISITION + below(state, position.players - 1)
    word = effect_word(choices, MILITARY)
    if word >= 0 and position.deck_size > 0 and poorest_card(position, weight) < _FRESH_CARD:
        return word
    return END


@kernel_apart
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


@kernel_apart
def sensible_word(position: Position, choices: int, state: int) -> int:
    """What a sensible player chooses; now and then, in one of sixteen choices, whatever chance says."""
    question = position.question
    if below(state, 16) == 0:
        return choose_by_chance(choices, next_state(state))
    if question < PLAY:
        return sensible_draft(position, choices, state)
    if question == EFFECTS:
        return sensible_effect(position, choices, next_state(state))
    if question in (EMBARGO_DOMAIN, DEMOCRACY_DOMAIN):
        return threatened_domain(position, choices, position.target)
    return sensible_pick(position, choices)
