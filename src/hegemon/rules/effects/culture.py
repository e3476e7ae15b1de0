"""Culture: Inspiration and the coin."""

from hegemon.rules.cards import COUNT, CULTURE, domains_with
from hegemon.rules.effects.board import domain_of_effect, level_of, use_permanent
from hegemon.rules.position import MAX_PLAYERS, Position
from hegemon.rules.rule import rule
from hegemon.rules.rulings import COIN_TIE
from hegemon.rules.turn import threshold, to_the_left


@rule
def most_among_others(position: Position, seat: int, domain: int) -> int:
    """The most cards that another player has in a Domain."""
    most = 0
    for other in range(MAX_PLAYERS):  # empty seats have no cards
        if other != seat:
            most = max(most, position.areas[other][domain] & COUNT)
    return most


@rule
def domains_of_others_with(cards: int, position: Position) -> int:
    """The Domains of which another player has at least that many cards, one bit per Domain."""
    domains = 0
    for distance in range(1, position.players):
        domains |= domains_with(cards, position.areas[to_the_left(position, distance)])
    return domains


@rule
def leads_culture(position: Position, seat: int) -> bool:
    """Whether a seat has more Culture cards than each other player, teammates included (D11, A92)."""
    return (position.areas[seat][CULTURE] & COUNT) > most_among_others(position, seat, CULTURE)


@rule
def copy_effect(position: Position, effect: int) -> None:
    """Inspiration: apply another player's permanent effect, and put the coin by the next player who has it."""
    domain = domain_of_effect(effect)
    needed = threshold(position, level_of(effect))
    for distance in range(position.players - 1, 0, -1):
        other = to_the_left(position, distance)
        if (position.areas[other][domain] & COUNT) >= needed:
            position.coin_seat = other
    position.coin_domain = domain
    position.coin_owner = position.seat + 1
    position.used |= 1 << CULTURE
    use_permanent(position, effect)


@rule
def update_coin(position: Position) -> None:
    """The coin goes back beside the deck when another player has as many Culture cards, or more by the ruling (D08)."""
    if position.coin_owner:
        owner = position.coin_owner - 1
        own = position.areas[owner][CULTURE] & COUNT
        needed = own if position.rulings & COIN_TIE else own + 1
        if most_among_others(position, owner, CULTURE) >= needed:
            position.coin_owner = 0
            position.coin_seat = 0
            position.coin_domain = 0
