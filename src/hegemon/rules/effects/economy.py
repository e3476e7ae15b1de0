"""Economy: Embargo."""

from hegemon.rules.actions import FIRST_EMBARGO
from hegemon.rules.cards import COUNT, ECONOMY, age_of_card, domains_with, kind_of, oldest, total
from hegemon.rules.position import Position
from hegemon.rules.rule import rule
from hegemon.rules.rulings import EMBARGO_SELF
from hegemon.rules.turn import begin_effects, to_the_left


@rule
def players_with_cards(position: Position) -> int:
    """The players with a card to aim at after the payment, one bit for each distance to the left."""
    players = (total(position.areas[position.seat]) > 1) << 0
    for distance in range(1, position.players):
        players |= (total(position.areas[to_the_left(position, distance)]) > 0) << distance
    return players


@rule
def embargoes_on_offer(position: Position) -> int:
    """An Embargo may be put on another player who has a face-up card; on oneself where the rulings allow it (D01)."""
    players = players_with_cards(position)
    if not position.rulings & EMBARGO_SELF:
        players &= ~1
    return players << FIRST_EMBARGO


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
