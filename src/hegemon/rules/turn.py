"""A turn: play a card, apply effects, draw; then the end of the turn."""

from typing import Final

from hegemon.rules.cards import COUNT, DOMAINS, ECONOMY, RELIGION, age_of, card_of_age, domain_of, total
from hegemon.rules.position import EFFECTS, HEGEMONY, MAJORITY, OVER, PLAY, STALL, Position
from hegemon.rules.rule import rule
from hegemon.rules.rulings import PASSIVE_RELIGION
from hegemon.rules.victory import STALLED_ROUNDS, hegemony

#: Players draw up to three cards, unless Religion says more.
HAND_SIZE: Final = 3


@rule
def threshold(position: Position, level: int) -> int:
    """Cards needed for a permanent effect: 3 and 5 with two or three players, 2 and 4 with four."""
    return 2 * level + (0 if position.players == 4 else 1)


@rule
def raised_hand_size(level: int) -> int:
    """The hand size that Religion gives: 5 by the Holy Book, 7 by Divine Right."""
    return HAND_SIZE + 2 * level


@rule
def to_the_left(position: Position, distance: int) -> int:
    """The seat at a distance to the left of the player whose turn it is."""
    seat = position.seat + distance
    return seat if seat < position.players else seat - position.players


@rule
def total_playable(position: Position) -> int:
    """The number of cards the seat may play from hand: all but those of Domains under Embargo."""
    hand = position.hands[position.seat]
    embargoes = position.embargoes[position.seat]
    cards = 0
    for domain in range(DOMAINS):
        if not embargoes[domain]:
            cards += hand[domain] & COUNT
    return cards


@rule
def begin_turn(position: Position, seat: int) -> None:
    """A seat's turn begins; step 1 is skipped if no card in hand may be played."""
    position.seat = seat
    position.used = 0
    position.hand_size = HAND_SIZE
    position.left = 1
    position.question = PLAY
    if total_playable(position) == 0:
        begin_effects(position)


@rule
def jump_to_turn(position: Position, seat: int) -> None:
    """A seat's turn begins out of order: an unfinished choice of another seat is dropped."""
    position.plays = 0
    position.floor = 0
    position.target = 0
    position.new_embargo = 0
    begin_turn(position, seat)


@rule
def begin_effects(position: Position) -> None:
    """Step 2: the seat may apply effects, one at a time."""
    position.question = EFFECTS
    position.left = 0
    position.floor = 0


@rule
def draw(position: Position, seat: int, cards: int) -> int:
    """Draw cards from the top of the Age deck, at most as many as there are; return the number of cards drawn."""
    drawn = min(cards, position.deck_size)
    hand = position.hands[seat]
    top = position.deck_size - drawn
    for place in range(top, top + drawn):
        kind = position.deck[place]
        position.deck[place] = 0
        hand[domain_of(kind)] += card_of_age(age_of(kind))
    position.deck_size = top
    if drawn > 0:
        position.drew = 1
    return drawn


@rule
def refill_level(position: Position) -> int:
    """The hand size at the end of the turn; Religion is counted now where the table plays it passively (A40)."""
    if position.rulings & PASSIVE_RELIGION:
        religion = position.areas[position.seat][RELIGION] & COUNT
        if religion >= threshold(position, 2):
            return raised_hand_size(2)
        if religion >= threshold(position, 1):
            return raised_hand_size(1)
        return HAND_SIZE
    return position.hand_size


@rule
def lift_embargoes(position: Position) -> None:
    """The Embargoes that bound this turn go to the discard pile; one put on oneself in this turn binds the next."""
    embargoes = position.embargoes[position.seat]
    lifted = 0
    for domain in range(DOMAINS):
        lifted += embargoes[domain]
        embargoes[domain] = 0
    position.discard_piles[ECONOMY] += lifted
    if position.new_embargo:
        embargoes[domain_of(position.new_embargo)] = card_of_age(age_of(position.new_embargo))
        position.new_embargo = 0


@rule
def end_game(position: Position, ending: int) -> None:
    position.question = OVER
    position.ending = ending
    position.used = 0
    position.hand_size = HAND_SIZE


@rule
def end_turn(position: Position) -> None:
    """Step 3 and the end of the turn: draw up to the hand size, lift Embargoes, check whether the player has won."""
    seat = position.seat
    missing = refill_level(position) - total(position.hands[seat])
    if missing > 0:
        draw(position, seat, missing)
    lift_embargoes(position)
    if hegemony(position, seat) >= 0:
        end_game(position, HEGEMONY)
    elif seat + 1 < position.players:
        begin_turn(position, seat + 1)
    else:
        end_round(position)


@rule
def end_round(position: Position) -> None:
    """The last seat's turn is over: the game ends if the Age deck is out, or after ten rounds without a draw."""
    position.quiet_rounds = 0 if position.drew else position.quiet_rounds + 1
    position.drew = 0
    if position.deck_size == 0:
        end_game(position, MAJORITY)
    elif position.quiet_rounds == STALLED_ROUNDS:
        end_game(position, STALL)
    else:
        position.round += 1
        begin_turn(position, 0)
