"""One card, one choice: the cards that an effect asks for are picked one at a time."""

from hegemon.rules.cards import COUNT, UTOPIA, domains_with, move
from hegemon.rules.position import (
    DISCARD_FROM_AREA,
    DISCARD_FROM_HAND,
    EFFECTS,
    FETCH,
    GIVE,
    PLAY,
    PLAY_MORE,
    TAKE_BACK,
    Position,
)
from hegemon.rules.rule import rule
from hegemon.rules.turn import begin_effects, total_playable


@rule
def ask(position: Position, question: int, cards: int) -> None:
    """Ask the seat for that many cards."""
    position.question = question
    position.left = cards
    position.floor = 0


@rule
def barred_domains(position: Position) -> int:
    """The Domains that the open question excludes, one bit per Domain: no card is played under Embargo."""
    if position.question in (PLAY, PLAY_MORE):
        return domains_with(1, position.embargoes[position.seat])
    return 0


@rule
def asks_for_cards(position: Position) -> bool:
    """Whether the open question asks for `position.left` cards of one place, whose order does not matter (A35)."""
    return PLAY <= position.question <= GIVE and position.question != EFFECTS


@rule
def pile_to_pick_from(position: Position, domain: int) -> int:
    """The pile of a Domain in the place that the open question takes cards from."""
    if position.question in (DISCARD_FROM_AREA, TAKE_BACK):
        return position.areas[position.seat][domain]
    if position.question == FETCH:
        return position.discard_piles[domain]
    return position.hands[position.seat][domain]


@rule
def pickable(position: Position, domain: int) -> int:
    """The number of cards of a Domain that the open question may take."""
    return 0 if barred_domains(position) >> domain & 1 else pile_to_pick_from(position, domain) & COUNT


@rule
def picks_on_offer(position: Position) -> int:
    """The Domains to pick from, in one order only, such that enough cards are left for the remaining picks."""
    # `pickable` of all six Domains at once: half of all legal actions come from here.
    if position.question in (DISCARD_FROM_AREA, TAKE_BACK):
        return picks_from(position.areas[position.seat], position, 0)
    if position.question == FETCH:
        return picks_from(position.discard_piles, position, 0)
    return picks_from(position.hands[position.seat], position, barred_domains(position))


@rule
def picks_from(piles: list[int], position: Position, barred: int) -> int:
    left = position.left
    actions = 0
    cards = 0
    for domain in range(UTOPIA, -1, -1):
        there = 0 if barred >> domain & 1 else piles[domain] & COUNT
        cards += there
        if there > 0 and cards >= left:
            actions |= 1 << domain
    return actions >> position.floor << position.floor


@rule
def pick(position: Position, domain: int) -> None:
    """Move one card as the open question says; the last one is followed by the plays that the effect grants."""
    hand = position.hands[position.seat]
    area = position.areas[position.seat]
    question = position.question
    if question == DISCARD_FROM_HAND:
        move(hand, position.discard_piles, domain)
    elif question == DISCARD_FROM_AREA:
        move(area, position.discard_piles, domain)
    elif question == TAKE_BACK:
        move(area, hand, domain)
    elif question == FETCH:
        move(position.discard_piles, hand, domain)
    elif question == GIVE:
        move(hand, position.hands[position.target], domain)
    else:
        move(hand, area, domain)
    position.left -= 1
    position.floor = domain
    if position.left == 0:
        finish_picks(position)


@rule
def finish_picks(position: Position) -> None:
    """All cards asked for are picked: play as many as the effect grants and the hand allows (A30), or go on."""
    plays = min(position.plays, total_playable(position)) if position.plays else 0
    position.plays = 0
    position.target = 0
    if plays > 0:
        ask(position, PLAY_MORE, plays)
    else:
        begin_effects(position)
