"""Why a position, such as that of a study, cannot arise in a game."""

from collections.abc import Iterator
from typing import Final

from hegemon.notation.cards import age_name, write_cards
from hegemon.notation.messages import Message, counted, message
from hegemon.rules.cards import (
    CULTURE,
    DOMAINS,
    ECONOMY,
    KINDS,
    MILITARY,
    NUMBER_OF_CARDS,
    RELIGION,
    SCIENCE,
    UTOPIA,
    age_of,
    count,
    count_of_age,
    domain_of,
    kind_of,
    total,
)
from hegemon.rules.effects.culture import most_among_others
from hegemon.rules.position import Ending, Position, Question
from hegemon.rules.rulings import COIN_TIE, DEMOCRACY_SELF, DEMOCRACY_TEAMMATE, EMBARGO_SELF
from hegemon.rules.setup import DRAFT_PICKS, cards_removed, owes_pick
from hegemon.rules.turn import HAND_SIZE
from hegemon.rules.victory import STALLED_ROUNDS, hegemony, side_of

#: The effects, as bits of `used`, of which one must have been used before a question can be open.
_ASKED_BY: Final = {
    Question.DISCARD_FROM_HAND: 1 << MILITARY | 1 << (DOMAINS + SCIENCE),
    Question.DISCARD_FROM_AREA: 1 << ECONOMY,
    Question.TAKE_BACK: 1 << SCIENCE,
    Question.PLAY_MORE: 1 << ECONOMY | 1 << SCIENCE,
    Question.FETCH: 1 << UTOPIA,
    Question.GIVE: 1 << (DOMAINS + RELIGION),
    Question.EMBARGO: 1 << (DOMAINS + ECONOMY),
    Question.DEMOCRACY: 1 << (DOMAINS + UTOPIA),
}


def problems(position: Position) -> list[str]:
    """Why a position cannot arise in a game; an empty list if no reason is known."""
    return [
        *problems_with_cards(position),
        *problems_with_deck(position),
        *(problems_with_draft(position) if drafting(position) else problems_with_hands(position)),
        *problems_with_questions(position),
        *problems_with_markers(position),
        *problems_with_time(position),
        *problems_with_victory(position),
    ]


def drafting(position: Position) -> bool:
    return position.question in (Question.DRAFT, Question.CENTER)


def number_of_kind(position: Position, kind: int) -> int:
    """The number of cards of a kind in all places."""
    domain, age = domain_of(kind), age_of(kind)
    places = (*position.hands, *position.areas, *position.kept, position.discard_piles, position.center_piles)
    cards = position.deck.count(kind) + sum(count_of_age(piles[domain], age) for piles in places)
    if domain == ECONOMY:
        cards += sum(count_of_age(pile, age) for columns in position.embargoes for pile in columns)
        cards += position.new_embargo > 0 and age_of(position.new_embargo) == age
    if kind == kind_of(UTOPIA, 3):
        cards += sum(sum(columns) for columns in position.democracies)
    return cards


def problems_with_cards(position: Position) -> Iterator[Message]:
    """Cards are conserved: those that are not on the table are in the box."""
    missing = {1: 0, 2: 0, 3: 0}
    for kind in KINDS:
        most = NUMBER_OF_CARDS[domain_of(kind)][age_of(kind) - 1]
        number = number_of_kind(position, kind)
        missing[age_of(kind)] += most - number
        if number > most:
            yield message(
                "There are {number} cards {kind}, and the game has {most}.",
                number=number,
                kind=write_cards([kind]),
                most=most,
            )
    boxed = cards_removed(position.players)
    for age, number in missing.items():
        if number < boxed:
            yield counted(
                "There is {number} card of Age {age} too many on the table.",
                "There are {number} cards of Age {age} too many on the table.",
                boxed - number,
                age=age_name(age),
            )
        if number > boxed:
            yield counted(
                "There is {number} card of Age {age} too few on the table.",
                "There are {number} cards of Age {age} too few on the table.",
                number - boxed,
                age=age_name(age),
            )


def problems_with_deck(position: Position) -> Iterator[Message]:
    """The deck is in the order of the Ages, and the round in which it runs out is the last."""
    ages = [age_of(kind) for kind in position.deck[: position.deck_size]]
    if ages != sorted(ages, reverse=True):
        yield message("The Age deck is out of order: III is at the bottom, I on top.")
    if not position.deck_size and not position.drew and position.question != Question.OVER:
        yield message("The Age deck is empty and no player drew this round, so the game should be over.")


def problems_with_draft(position: Position) -> Iterator[Message]:
    """In the draft, each seat keeps three cards out of packets of four, and there are no other cards on the table."""
    center = position.question == Question.CENTER
    for seat in range(position.players):
        kept = DRAFT_PICKS if center else DRAFT_PICKS - position.left + (not owes_pick(position, seat))
        packet = 0 if center else position.left + owes_pick(position, seat)
        played = 1 if center and seat > position.seat else 0
        numbers = [total(piles[seat]) for piles in (position.kept, position.hands, position.areas)]
        if numbers != [kept, packet, played]:
            yield message(
                "Seat {seat} should have {kept} kept, {packet} in its packet and {played} in play, not {found}.",
                seat=seat + 1,
                kept=kept,
                packet=packet,
                played=played,
                found=", ".join(map(str, numbers)),
            )
    in_center = position.seat + 1 if center else 0
    if total(position.center_piles) != in_center:
        yield counted(
            "The center should have {number} card.", "The center should have {number} cards.", in_center
        )
    markers = any(any(columns) for columns in (*position.embargoes, *position.democracies))
    if total(position.discard_piles) or markers or position.coin_owner:
        yield message(
            "In the draft there is no discard pile and no marker, and the Culture coin is by the deck."
        )


def problems_with_hands(position: Position) -> Iterator[Message]:
    """Each seat has at least three cards between turns, until the deck is empty."""
    if total(position.center_piles) or any(total(kept) for kept in position.kept):
        yield message("There are kept cards and a center only in the draft.")
    if position.question == Question.OVER:
        return
    for seat in range(position.players):
        waits = seat != position.seat or position.question == Question.PLAY
        had_last_turn = position.deck_size == 0 and seat < position.seat
        is_given_cards = position.question == Question.GIVE and seat == position.target
        if waits and not had_last_turn and not is_given_cards and total(position.hands[seat]) < HAND_SIZE:
            yield message(
                "Seat {seat} should have at least {number} cards in hand between its turns.",
                seat=seat + 1,
                number=HAND_SIZE,
            )


def problems_with_questions(position: Position) -> Iterator[Message]:
    """An effect that asks for something has been used, and is aimed where the rulings allow."""
    asked_by = _ASKED_BY.get(Question(position.question))
    if asked_by is not None and not position.used & asked_by:
        yield message("No effect that was used this turn asks for that.")
    on_self = position.target == position.seat
    if position.question == Question.EMBARGO and on_self and not position.rulings & EMBARGO_SELF:
        yield message("Under these rulings players cannot put an Embargo on themselves.")
    if position.question == Question.DEMOCRACY:
        if on_self and not position.rulings & DEMOCRACY_SELF:
            yield message("Under these rulings players cannot put a Democracy on themselves.")
        on_teammate = not on_self and side_of(position, position.target) == side_of(position, position.seat)
        if on_teammate and not position.rulings & DEMOCRACY_TEAMMATE:
            yield message("Under these rulings players cannot put a Democracy on a teammate.")


def problems_with_markers(position: Position) -> Iterator[Message]:
    """Embargoes come from other players, one per turn, unless the rulings allow own ones; the coin follows the lead."""
    own = 1 if position.rulings & EMBARGO_SELF else 0
    for seat in range(position.players):
        embargoes = sum(count(pile) for pile in position.embargoes[seat])
        if embargoes > position.players - 1 + own:
            yield message(
                "Seat {seat} has {number} Embargoes, but at most one per player is possible.",
                seat=seat + 1,
                number=embargoes,
            )
    if position.new_embargo and not own:
        yield message("Under these rulings players cannot put an Embargo on themselves.")
    if position.coin_owner:
        owner = position.coin_owner - 1
        lead = count(position.areas[owner][CULTURE]) - most_among_others(position, owner, CULTURE)
        if lead < (1 if position.rulings & COIN_TIE else 0):
            yield message(
                "Seat {seat} does not have the most Culture, so the Culture coin should be by the deck.",
                seat=owner + 1,
            )


def problems_with_time(position: Position) -> Iterator[Message]:
    """Rounds are counted from 1 after the draft, and ten without a draw are the last."""
    if (position.round == 0) != drafting(position):
        yield message("Rounds are counted from 1; only the draft is round 0.")
    if position.quiet_rounds > position.round or (drafting(position) and position.drew):
        yield message("There was no time for that many rounds without a draw, or for drawing.")
    if (position.quiet_rounds >= STALLED_ROUNDS) != (position.ending == Ending.STALL):
        yield message(
            "The game stalls after {number} rounds without a draw, and not before.", number=STALLED_ROUNDS
        )


def problems_with_victory(position: Position) -> Iterator[Message]:
    """Hegemony is checked at the end of a turn, and Majority at the end of a round with an empty deck."""
    for seat in range(position.players):
        turn_goes_on = position.question not in (Question.PLAY, Question.OVER)
        may_have_it = seat == position.seat and (turn_goes_on or position.ending == Ending.HEGEMONY)
        if hegemony(position, seat) >= 0 and not may_have_it:
            yield message("Seat {seat} has Hegemony and would have won.", seat=seat + 1)
    if position.ending in (Ending.MAJORITY, Ending.STALL):
        if position.seat != position.players - 1:
            yield message("By Majority or by the stall rule, a game ends after the turn of the last seat.")
        if (position.ending == Ending.MAJORITY) != (position.deck_size == 0):
            yield message("A game ends by Majority when the Age deck is empty, and stalls only before that.")
