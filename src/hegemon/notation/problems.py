"""What no real game could show: the difference between a study and a position that was played."""

from collections.abc import Iterator

from hegemon.notation.cards import write_cards
from hegemon.rules.cards import (
    CULTURE,
    ECONOMY,
    KINDS,
    NUMBER_OF_CARDS,
    UTOPIA,
    age_of,
    count,
    count_of_age,
    domain_of,
    kind_of,
    total,
)
from hegemon.rules.effects.culture import most_elsewhere
from hegemon.rules.position import Position, Question
from hegemon.rules.rulings import COIN_TIE, EMBARGO_SELF
from hegemon.rules.setup import cards_removed
from hegemon.rules.turn import HAND_SIZE
from hegemon.rules.victory import STALLED_ROUNDS, hegemony


def problems(position: Position) -> list[str]:
    """Why this position cannot have come about in a game; nothing, as far as can be told, if it can."""
    return [
        *problems_with_cards(position),
        *problems_with_deck(position),
        *problems_with_hands(position),
        *problems_with_markers(position),
        *problems_with_time(position),
    ]


def problems_with_cards(position: Position) -> Iterator[str]:
    """Cards are conserved: what is not on the table is in the box."""
    missing = {1: 0, 2: 0, 3: 0}
    for kind in KINDS:
        most = NUMBER_OF_CARDS[domain_of(kind)][age_of(kind) - 1]
        number = number_of_kind(position, kind)
        missing[age_of(kind)] += most - number
        if number > most:
            yield f"There are {number} cards {write_cards([kind])}, and the game has {most}."
    boxed = cards_removed(position.players)
    for age, number in missing.items():
        if number != boxed:
            yield f"Of Age {'I' * age}, {number} cards are not on the table, and {boxed} should be in the box."


def problems_with_deck(position: Position) -> Iterator[str]:
    """The deck lies in the order of the Ages."""
    ages = [age_of(kind) for kind in position.deck[: position.deck_size]]
    if ages != sorted(ages, reverse=True):
        yield "The Age deck is out of order: III lies at the bottom, I on top."


def problems_with_hands(position: Position) -> Iterator[str]:
    """Everybody begins every turn with three cards at least, and the draft is in step."""
    drafting = position.question in (Question.DRAFT, Question.CENTRE)
    if not drafting:
        if position.centre != [0] * len(position.centre) or any(total(kept) for kept in position.kept):
            yield "Only in the draft are there kept cards and a centre."
        for seat in range(position.players):
            waits = seat != position.seat or position.question == Question.PLAY
            last_turn = position.deck_size == 0 and seat < position.seat
            taken = position.question == Question.GIVE and seat == position.target
            over = position.question == Question.OVER
            full = total(position.hands[seat]) >= HAND_SIZE
            if waits and not (last_turn or taken or over or full):
                yield f"Seat {seat + 1} should hold {HAND_SIZE} cards at least between its turns."
    elif any(total(area) for area in position.areas) and position.question == Question.DRAFT:
        yield "In the draft nobody has played a card yet."


def problems_with_markers(position: Position) -> Iterator[str]:
    """Embargoes come from others, one a turn, unless the rulings allow one's own; the coin follows the lead."""
    own = 1 if position.rulings & EMBARGO_SELF else 0
    for seat in range(position.players):
        embargoes = sum(count(pile) for pile in position.embargoes[seat])
        if embargoes > position.players - 1 + own:
            yield f"Seat {seat + 1} is under {embargoes} Embargoes, and one a player is the most."
    if position.new_embargo and not own:
        yield "By these rulings nobody can put an Embargo on oneself."
    if position.coin_owner:
        owner = position.coin_owner - 1
        lead = count(position.areas[owner][CULTURE]) - most_elsewhere(position, owner, CULTURE)
        if lead < (1 if position.rulings & COIN_TIE else 0):
            yield f"Seat {owner + 1} does not lead in Culture, so the coin should lie beside the deck."


def problems_with_time(position: Position) -> Iterator[str]:
    """Rounds are counted from 1 after the draft, and nobody plays on after a Hegemony."""
    drafting = position.question in (Question.DRAFT, Question.CENTRE)
    if (position.round == 0) != drafting:
        yield "Rounds are counted from 1; only the draft is in round 0."
    if position.quiet_rounds >= STALLED_ROUNDS and position.question != Question.OVER:
        yield f"After {STALLED_ROUNDS} rounds without a draw the game is over."
    for seat in range(position.players):
        at_turn = seat == position.seat
        if not at_turn and hegemony(position, seat) >= 0:
            yield f"Seat {seat + 1} has reached Hegemony and would have won."


def number_of_kind(position: Position, kind: int) -> int:
    """How many cards of a kind a position shows, wherever they lie."""
    domain, age = domain_of(kind), age_of(kind)
    places = (*position.hands, *position.areas, *position.kept, position.discard_pile, position.centre)
    cards = position.deck.count(kind) + sum(count_of_age(piles[domain], age) for piles in places)
    if domain == ECONOMY:
        cards += sum(count_of_age(pile, age) for column in position.embargoes for pile in column)
        cards += position.new_embargo > 0 and age_of(position.new_embargo) == age
    if kind == kind_of(UTOPIA, 3):
        cards += sum(sum(column) for column in position.democracies)
    return cards
