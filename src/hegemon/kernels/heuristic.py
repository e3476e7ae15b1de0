"""What a table is worth to a seat: the terms by which the greedy bot and the search's policy judge, with their weights.

They are kernels, so the bot runs them interpreted and the search compiled. They look only at what is public and at the
cards of `position.seat`, and hold no rule.
"""

from typing import Final

from hegemon.kernels.compiler import kernel, kernel_not_inlined
from hegemon.rules.cards import ALL_CARDS, COUNT
from hegemon.rules.effects.culture import most_elsewhere
from hegemon.rules.position import MAX_PLAYERS, Position
from hegemon.rules.turn import threshold
from hegemon.rules.victory import hegemony_threshold, side_of

#: A column that is full wins at the end of this turn: nothing else compares.
WON: Final = 10_000.0
# A full column is worth this much, and one on its way a share that grows with the third power of its cards.
_HEGEMONY: Final = 100.0
# A card in play counts twenty towards its column and one in hand nine: whole numbers, which are quick and exact.
_IN_PLAY: Final = 20
_IN_HAND: Final = 9
# The worth of a column by the third power of its progress, for each number of cards that fill it.
_PER_CUBE: Final = (0.0, *(_HEGEMONY / (_IN_PLAY * needed) ** 3 for needed in range(1, COUNT + 1)))

# Leading in a Domain when the deck is out, and the part of that which it is worth when the game begins.
_MAJORITY: Final = 12.0
_MAJORITY_EARLY: Final = 0.1
# How likely a lead is to last, from two cards or more behind to two or more ahead.
_LEADS: Final = (0.1, 0.35, 0.65, 0.85, 1.0)

# Having the cards for a Domain's permanent effect, a level; and what a single card promises of it in the draft.
_EFFECT: Final = (0.5, 3.0, 2.0, 1.5, 0.0, 1.5)
_PROMISE: Final = 0.1

# An opponent's column counts by this part of one's own; one that a card or two would fill counts extra, unless an
# Embargo binds it in its owner's next turn.
_THREAT: Final = 0.5
_ONE_CARD_AWAY: Final = 60.0
_TWO_CARDS_AWAY: Final = 15.0
# A teammate's columns count for the seat, by this part of its own.
_TEAMMATE: Final = 0.5
# A card in another hand counts by this part of what it would do in play.
_GIFT: Final = 0.3

#: A column of this many cards, or fewer, lacks at least three to Hegemony at any table: nothing is extra about it.
HARMLESS: Final = 4
# What it is worth that such a column had one card less, by the players at the table: half of all judgments.
_RELIEF: Final = tuple(
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
    """What leading in a Domain is worth at this time of the game."""
    drawn = 1.0 - position.deck_size / ALL_CARDS
    return _MAJORITY * (_MAJORITY_EARLY + (1.0 - _MAJORITY_EARLY) * drawn * drawn)


@kernel
def lead(own: int, rivals: int) -> float:
    """How likely a Domain is to be scored in the end, by the cards that a side and its best rival have."""
    if own == 0:
        return 0.0
    return _LEADS[min(max(own - rivals, -2), 2) + 2]


@kernel
def progress(cards: int, held: int, needed: int) -> float:
    """What a column is worth on its way to Hegemony, by the cards in play and in hand."""
    steps = min(_IN_PLAY * cards + _IN_HAND * held, _IN_PLAY * needed)
    return _PER_CUBE[needed] * (steps * steps * steps)


@kernel
def effect_levels(position: Position, cards: int) -> int:
    """How many levels of a permanent effect a number of cards gives."""
    return int(cards >= threshold(position, 1)) + int(cards >= threshold(position, 2))


@kernel
def most_cards(position: Position, domain: int, teammates: bool) -> int:
    """The most cards that an opponent, or a teammate, of the seat has in a Domain."""
    most = 0
    side = side_of(position, position.seat)
    for other in range(MAX_PLAYERS):  # empty seats have no cards
        if other != position.seat and (side_of(position, other) == side) == teammates:
            most = max(most, position.areas[other][domain] & COUNT)
    return most


@kernel
def alarm(missing: int) -> float:
    """What it is worth to stop a column to which that many cards are missing."""
    if missing > 2:
        return 0.0
    return _TWO_CARDS_AWAY if missing == 2 else _ONE_CARD_AWAY


@kernel
def threat(position: Position, other: int, domain: int, cards: int) -> float:
    """How much an opponent's column of that many cards counts against the seat."""
    needed = hegemony_threshold(position, other, domain)
    value = _THREAT * progress(cards, 0, needed) / (position.players - 1)
    return value if position.embargoes[other][domain] else value + alarm(needed - cards)


@kernel
def harmless_relief(players: int, cards: int) -> float:
    """What it is worth to a seat if a harmless column of an opponent, without a Democracy, had one card less."""
    return _RELIEF[players][cards]


@kernel
def relief(position: Position, other: int, domain: int, cards: int) -> float:
    """What it is worth to the seat if a column of an opponent had one card less."""
    if cards <= HARMLESS and position.democracies[other][domain] == 0:
        return harmless_relief(position.players, cards)
    return full_relief(position, other, domain, cards)


@kernel_not_inlined
def full_relief(position: Position, other: int, domain: int, cards: int) -> float:
    """The same for columns of every length, and under Democracies."""
    return threat(position, other, domain, cards) - threat(position, other, domain, cards - 1)


@kernel
def gift(position: Position, other: int, domain: int) -> float:
    """What a card given to another seat costs; less than nothing if it goes to a teammate."""
    cost = _GIFT * relief(position, other, domain, (position.areas[other][domain] & COUNT) + 1)
    return -cost if side_of(position, other) == side_of(position, position.seat) else cost


@kernel
def gain(position: Position, domain: int, played: int, drawn: int, weight: float) -> float:
    """What the seat gains in a Domain by `played` cards more in play and `drawn` more in hand."""
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
            value += weight * (lead(max(new, mates), rivals) - lead(max(own, mates), rivals))
        else:
            rivals = most_elsewhere(position, seat, domain)
            value += weight * (lead(new, rivals) - lead(own, rivals))
        if max(new, own) >= needed:
            value += WON * (int(new >= needed) - int(own >= needed))
        value += _EFFECT[domain] * (effect_levels(position, new) - effect_levels(position, own))
    return value


@kernel_not_inlined
def loss(position: Position, domain: int, weight: float) -> float:
    """What the seat gains, below zero, by one card less in play."""
    return gain(position, domain, -1, 0, weight)


@kernel
def drafted_gain(position: Position, domain: int, played: int, drawn: int) -> float:
    """What a drafted card adds to the start: `played` cards more in the area, `drawn` more among those kept."""
    seat = position.seat
    own = position.areas[seat][domain] & COUNT
    held = position.kept[seat][domain] & COUNT
    needed = hegemony_threshold(position, seat, domain)
    promise = _PROMISE * _EFFECT[domain] * (played + drawn * _IN_HAND / _IN_PLAY)
    return progress(own + played, held + drawn, needed) - progress(own, held, needed) + promise


@kernel
def domain_value(position: Position, domain: int, weight: float) -> float:
    """A Domain as it stands: the seat's column and hand, the lead, the effect, and what others have there."""
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
    return value + weight * lead(ours, rivals)
