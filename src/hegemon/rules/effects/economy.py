"""Economy: Embargo."""

from hegemon.rules.cards import COUNT, DOMAINS, ECONOMY, age_of_card, kind_of, oldest, total
from hegemon.rules.position import EMBARGO_DOMAIN, Position
from hegemon.rules.rule import rule
from hegemon.rules.rulings import EMBARGO_SELF
from hegemon.rules.turn import begin_effects
from hegemon.rules.words import EMBARGO


@rule
def players_with_cards(position: Position) -> int:
    """The players with something to aim at once the paying card is gone, one bit for each distance to the left."""
    players = 0
    for distance in range(position.players):
        area = position.areas[(position.seat + distance) % position.players]
        if total(area) > (1 if distance == 0 else 0):
            players |= 1 << distance
    return players


@rule
def embargoes_on_offer(position: Position) -> int:
    """An Embargo may be put on another player who has a face-up card; on oneself where the rulings allow it (D01)."""
    players = players_with_cards(position)
    if not position.rulings & EMBARGO_SELF:
        players &= ~1
    return players << EMBARGO


@rule
def domains_to_mark(position: Position, paid: int) -> int:
    """The Domains a marker may be put on: those in which the target has a face-up card that is not the marker."""
    area = position.areas[position.target]
    choices = 0
    for domain in range(DOMAINS):
        lying = area[domain] & COUNT
        if position.target == position.seat and domain == paid:
            lying -= 1
        if lying > 0:
            choices |= 1 << domain
    return choices


@rule
def aim(position: Position, question: int, distance: int) -> None:
    """Aim an Embargo or a Democracy at a player; the Domain is asked next."""
    position.target = (position.seat + distance) % position.players
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


@rule
def aim_embargo(position: Position, distance: int) -> None:
    """Choose the player whose Domain is to be put under Embargo."""
    aim(position, EMBARGO_DOMAIN, distance)
