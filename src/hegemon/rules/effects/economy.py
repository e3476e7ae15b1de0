"""Economy: Embargo."""

from hegemon.rules.actions import FIRST_EMBARGO
from hegemon.rules.cards import COUNT, ECONOMY, age_of_card, any_cards, domains_with, kind_of, oldest, total
from hegemon.rules.position import Position
from hegemon.rules.rule import rule
from hegemon.rules.rulings import EMBARGO_SELF
from hegemon.rules.turn import begin_effects, to_the_left


@rule
def others_with_cards(position: Position) -> int:
    """The other players with a card to aim at, one bit for each distance to the left."""
    players = 0
    for distance in range(1, position.players):
        players |= any_cards(position.areas[to_the_left(position, distance)]) << distance
    return players


@rule
def oneself(position: Position, ruling: int) -> int:
    """The bit for oneself, where a ruling allows it and a card to aim at is left after the payment."""
    return int(position.rulings & ruling != 0 and total(position.areas[position.seat]) > 1)


@rule
def embargoes_on_offer(position: Position, others: int) -> int:
    """An Embargo may be put on another player who has a face-up card; on oneself where the rulings allow it (D01)."""
    return (others | oneself(position, EMBARGO_SELF)) << FIRST_EMBARGO


@rule
def domains_to_mark(position: Position, paid: int) -> int:
    """The Domains a marker may be put on: those in which the target has a face-up card that is not the marker."""
    area = position.areas[position.target]
    domains = domains_with(1, area)
    if position.target == position.seat and (area[paid] & COUNT) == 1:
        domains &= ~(1 << paid)
    return domains


@rule
def aim(position: Position, question: int, distance: int) -> None:
    """Aim an Embargo or a Democracy at a player; the Domain is chosen next."""
    position.target = to_the_left(position, distance)
    position.question = question


@rule
def embargo(position: Position, domain: int) -> None:
    """Put an Economy card face down on the target's Domain: no card of it may be played in that player's next turn."""
    seat = position.seat
    card = oldest(position.areas[seat][ECONOMY])
    position.areas[seat][ECONOMY] -= card
    if position.target == seat:
        position.new_embargo = kind_of(domain, age_of_card(card))
    else:
        position.embargoes[position.target][domain] += card
    position.target = 0
    begin_effects(position)
