"""The evaluation function of the greedy bot and the heuristic policy: its terms and their weights.

The terms are kernels: the bot runs them interpreted, the search compiled. They read only public cards and the cards of
`position.seat`, and contain no rules.
"""

from typing import Final

from hegemon.kernels.compiler import kernel, kernel_not_inlined
from hegemon.rules.cards import ALL_CARDS, COUNT
from hegemon.rules.effects.culture import most_among_others
from hegemon.rules.position import MAX_PLAYERS, Position
from hegemon.rules.turn import threshold
from hegemon.rules.victory import hegemony_threshold, side_of

#: The value of a complete column, which wins at the end of this turn; larger than all other terms together.
WON: Final = 10_000.0
# The value of a complete column; that of an incomplete one grows with the cube of its cards.
_HEGEMONY: Final = 100.0
# The contribution of a card in play and in hand to its column; integers are fast and exact.
_IN_PLAY: Final = 20
_IN_HAND: Final = 9
# The factor of the cubed progress of a column, by the number of cards that complete it.
_PER_CUBE: Final = (0.0, *(_HEGEMONY / (_IN_PLAY * needed) ** 3 for needed in range(1, COUNT + 1)))

# The value of leading in a Domain when the deck is empty, and the fraction of it at the start of the game.
_MAJORITY: Final = 12.0
_MAJORITY_EARLY: Final = 0.1
# The chance to score a Domain in the end, from two or more cards behind to two or more ahead.
_LEADS: Final = (0.1, 0.35, 0.65, 0.85, 1.0)

# The value per level of each Domain's permanent effect, and the fraction of it for a single drafted card.
_EFFECT: Final = (0.5, 3.0, 2.0, 1.5, 0.0, 1.5)
_PROMISE: Final = 0.1

# The weight of an opponent's column relative to the seat's own, and the extra threat of a column that lacks one or two
# cards, unless an Embargo blocks it in its owner's next turn.
_THREAT: Final = 0.5
_ONE_CARD_AWAY: Final = 60.0
_TWO_CARDS_AWAY: Final = 15.0
# The weight of a teammate's column relative to the seat's own.
_TEAMMATE: Final = 0.5
# The weight of a card in another hand relative to one in play.
_GIFT: Final = 0.3

#: A column of at most this many cards lacks at least three for Hegemony with any number of players: no extra threat.
HARMLESS: Final = 4
# The threat reduction of removing one card from such a column, by the number of players; precomputed, because it is
# half of all evaluations.
_THREAT_REDUCTION: Final = tuple(
    tuple(
        _THREAT * (_PER_CUBE[needed] * (_IN_PLAY * cards) ** 3) / (players - 1)
        - _THREAT * (_PER_CUBE[needed] * (_IN_PLAY * (cards - 1)) ** 3) / (players - 1)
        for cards in range(HARMLESS + 1)
    )
    if players > 1
    else (0.0,) * (HARMLESS + 1)
    for players, needed in enumerate((8, 8, 8, 7, 7))
)


@kernel
def majority_weight(position: Position) -> float:
    """The value of leading in a Domain at this stage of the game."""
    drawn = 1.0 - position.deck_size / ALL_CARDS
    return _MAJORITY * (_MAJORITY_EARLY + (1.0 - _MAJORITY_EARLY) * drawn * drawn)


@kernel
def majority_chance(own: int, rivals: int) -> float:
    """The chance to score a Domain at the end, given the cards of a side and of its strongest rival."""
    if own == 0:
        return 0.0
    return _LEADS[min(max(own - rivals, -2), 2) + 2]


@kernel
def progress(cards: int, held: int, needed: int) -> float:
    """The value of a column towards Hegemony, given the cards in play and in hand."""
    steps = min(_IN_PLAY * cards + _IN_HAND * held, _IN_PLAY * needed)
    return _PER_CUBE[needed] * (steps * steps * steps)


@kernel
def effect_levels(position: Position, cards: int) -> int:
    """The number of levels of a permanent effect that these cards unlock."""
    return int(cards >= threshold(position, 1)) + int(cards >= threshold(position, 2))


@kernel
def most_cards(position: Position, domain: int, teammates: bool) -> int:
    """The most cards that an opponent, or a teammate, of the seat has in a Domain."""
    most = 0
    side = side_of(position, position.seat)
    for other in range(MAX_PLAYERS):  # absent seats have no cards
        if other != position.seat and (side_of(position, other) == side) == teammates:
            most = max(most, position.areas[other][domain] & COUNT)
    return most


@kernel
def near_win_threat(missing: int) -> float:
    """The extra threat of a column that lacks that many cards for Hegemony."""
    if missing > 2:
        return 0.0
    return _TWO_CARDS_AWAY if missing == 2 else _ONE_CARD_AWAY


@kernel
def threat(position: Position, other: int, domain: int, cards: int) -> float:
    """The threat of an opponent's column with that many cards."""
    needed = hegemony_threshold(position, other, domain)
    value = _THREAT * progress(cards, 0, needed) / (position.players - 1)
    return value if position.embargoes[other][domain] else value + near_win_threat(needed - cards)


@kernel
def harmless_threat_reduction(players: int, cards: int) -> float:
    """The threat reduction of removing one card from a harmless column without a Democracy."""
    return _THREAT_REDUCTION[players][cards]


@kernel
def threat_reduction(position: Position, other: int, domain: int, cards: int) -> float:
    """The threat reduction of removing one card from an opponent's column."""
    if cards <= HARMLESS and position.democracies[other][domain] == 0:
        return harmless_threat_reduction(position.players, cards)
    return full_threat_reduction(position, other, domain, cards)


@kernel_not_inlined
def full_threat_reduction(position: Position, other: int, domain: int, cards: int) -> float:
    """The same for columns of any length, with or without Democracies."""
    return threat(position, other, domain, cards) - threat(position, other, domain, cards - 1)


@kernel
def gift_cost(position: Position, other: int, domain: int) -> float:
    """The cost of giving a card to another seat; negative for a teammate."""
    cost = _GIFT * threat_reduction(position, other, domain, (position.areas[other][domain] & COUNT) + 1)
    return -cost if side_of(position, other) == side_of(position, position.seat) else cost


@kernel
def gain(position: Position, domain: int, played: int, drawn: int, weight: float) -> float:
    """The change in the value of a Domain with `played` more cards in play and `drawn` more in hand."""
    seat = position.seat
    own = position.areas[seat][domain] & COUNT
    held = position.hands[seat][domain] & COUNT
    needed = hegemony_threshold(position, seat, domain)
    value = progress(own + played, held + drawn, needed) - progress(own, held, needed)
    if played != 0:
        new = own + played
        if position.teams:
            rivals = most_cards(position, domain, False)
            mates = most_cards(position, domain, True)
            value += weight * (
                majority_chance(max(new, mates), rivals) - majority_chance(max(own, mates), rivals)
            )
        else:
            rivals = most_among_others(position, seat, domain)
            value += weight * (majority_chance(new, rivals) - majority_chance(own, rivals))
        if max(new, own) >= needed:
            value += WON * (int(new >= needed) - int(own >= needed))
        value += _EFFECT[domain] * (effect_levels(position, new) - effect_levels(position, own))
    return value


@kernel_not_inlined
def loss(position: Position, domain: int, weight: float) -> float:
    """The change in the value of a Domain with one card less in play; negative."""
    return gain(position, domain, -1, 0, weight)


@kernel
def drafted_gain(position: Position, domain: int, played: int, drawn: int) -> float:
    """The value that drafted cards add: `played` more in the area, `drawn` more among the picks."""
    seat = position.seat
    own = position.areas[seat][domain] & COUNT
    held = position.kept[seat][domain] & COUNT
    needed = hegemony_threshold(position, seat, domain)
    promise = _PROMISE * _EFFECT[domain] * (played + drawn * _IN_HAND / _IN_PLAY)
    return progress(own + played, held + drawn, needed) - progress(own, held, needed) + promise


@kernel
def domain_value(position: Position, domain: int, weight: float) -> float:
    """The value of a Domain: the seat's column and hand, the lead, the effect, and the other columns."""
    seat = position.seat
    own = position.areas[seat][domain] & COUNT
    needed = hegemony_threshold(position, seat, domain)
    value = progress(own, position.hands[seat][domain] & COUNT, needed)
    value += WON * int(own >= needed) + _EFFECT[domain] * effect_levels(position, own)
    ours, rivals = own, 0
    for other in range(position.players):
        cards = position.areas[other][domain] & COUNT
        if other == seat or cards == 0:
            continue
        if side_of(position, other) == side_of(position, seat):
            ours = max(ours, cards)
            value += _TEAMMATE * progress(cards, 0, hegemony_threshold(position, other, domain))
        else:
            rivals = max(rivals, cards)
            value -= threat(position, other, domain, cards)
    return value + weight * majority_chance(ours, rivals)
