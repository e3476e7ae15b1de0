"""One card, one choice: the cards that an effect asks for, picked one after the other."""

from hegemon.rules.cards import COUNT, DOMAINS, move
from hegemon.rules.position import (
    DISCARD_FROM_AREA,
    DISCARD_FROM_HAND,
    FETCH,
    GIVE,
    PLAY_MORE,
    TAKE_BACK,
    Position,
)
from hegemon.rules.rule import rule
from hegemon.rules.turn import begin_effects, playable, total_playable


@rule
def ask(position: Position, question: int, cards: int) -> None:
    """Ask the seat for so many cards."""
    position.question = question
    position.left = cards
    position.floor = 0


@rule
def pickable(position: Position, domain: int) -> int:
    """How many cards of a Domain lie where the open question takes cards from."""
    seat = position.seat
    question = position.question
    if question in (DISCARD_FROM_HAND, GIVE):
        return position.hands[seat][domain] & COUNT
    if question in (DISCARD_FROM_AREA, TAKE_BACK):
        return position.areas[seat][domain] & COUNT
    if question == FETCH:
        return position.discard_pile[domain] & COUNT
    return playable(position, domain)


@rule
def picks_on_offer(position: Position) -> int:
    """The Domains to pick from: in one order only, and never so that the cards still asked for run short."""
    choices = 0
    cards = 0
    for domain in range(DOMAINS - 1, position.floor - 1, -1):
        there = pickable(position, domain)
        cards += there
        if there > 0 and cards >= position.left:
            choices |= 1 << domain
    return choices


@rule
def pick(position: Position, domain: int) -> None:
    """Move one card as the open question says; after the last one, the plays that the effect grants."""
    hand = position.hands[position.seat]
    area = position.areas[position.seat]
    question = position.question
    if question == DISCARD_FROM_HAND:
        move(hand, position.discard_pile, domain)
    elif question == DISCARD_FROM_AREA:
        move(area, position.discard_pile, domain)
    elif question == TAKE_BACK:
        move(area, hand, domain)
    elif question == FETCH:
        move(position.discard_pile, hand, domain)
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
