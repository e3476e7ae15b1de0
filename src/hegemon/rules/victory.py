"""The end of the game: Hegemony, Majority with its tie-breaks, and teams."""

from typing import Final

from hegemon.rules.cards import COUNT, DOMAINS, UTOPIA
from hegemon.rules.position import HEGEMONY, Position
from hegemon.rules.rule import rule

#: Our rule against endless play: the number of whole rounds without a draw that end the game (A111).
STALLED_ROUNDS: Final = 10


@rule
def hegemony_threshold(position: Position, seat: int, domain: int) -> int:
    """Cards needed to win in that Domain: 7, or 8 with two players, and one more for each Democracy on it."""
    return (8 if position.players == 2 else 7) + position.democracies[seat][domain]


@rule
def hegemony(position: Position, seat: int) -> int:
    """The first Domain in which the seat has reached Hegemony, or -1."""
    area = position.areas[seat]
    for domain in range(DOMAINS):
        if (area[domain] & COUNT) >= hegemony_threshold(position, seat, domain):
            return domain
    return -1


@rule
def sides(position: Position) -> int:
    """The number of sides: two teams, or each player alone."""
    return 2 if position.teams else position.players


@rule
def side_of(position: Position, seat: int) -> int:
    """The side a seat plays for: in a team game seats 0 and 2 against seats 1 and 3."""
    return seat & (1 if position.teams else 3)


@rule
def best_count(position: Position, side: int, domain: int) -> int:
    """The most cards that one member of a side has in a Domain; teammates' cards are never added up."""
    best = position.areas[side][domain] & COUNT
    if position.teams:
        best = max(best, position.areas[side + 2][domain] & COUNT)
    return best


@rule
def has_majority(position: Position, side: int, domain: int) -> bool:
    """Whether a side scores a Domain: it has cards there, and no side has more; all tied leaders score."""
    own = best_count(position, side, domain)
    for other in range(sides(position)):
        if best_count(position, other, domain) > own:
            return False
    return own > 0


@rule
def points(position: Position, side: int) -> int:
    """One point for each Domain in which the side has the majority."""
    won = 0
    for domain in range(DOMAINS):
        if has_majority(position, side, domain):
            won += 1
    return won


@rule
def leaders_by_points(position: Position) -> int:
    """The sides with the most points, one bit per side."""
    best = -1
    leaders = 0
    for side in range(sides(position)):
        won = points(position, side)
        if won > best:
            best = won
            leaders = 0
        if won == best:
            leaders |= 1 << side
    return leaders


@rule
def leaders_by_cards(position: Position, contenders: int, domain: int) -> int:
    """Of the sides still tied, those with the most cards of a Domain."""
    best = -1
    leaders = 0
    for side in range(sides(position)):
        if contenders >> side & 1:
            cards = best_count(position, side, domain)
            if cards > best:
                best = cards
                leaders = 0
            if cards == best:
                leaders |= 1 << side
    return leaders


@rule
def majority_winners(position: Position) -> int:
    """The sides that win by Majority: most points, then most Utopia, Culture, Science, Economy, Religion, Military."""
    contenders = leaders_by_points(position)
    for domain in range(UTOPIA, -1, -1):
        contenders = leaders_by_cards(position, contenders, domain)
    return contenders


@rule
def winners(position: Position) -> int:
    """The seats that won a finished game, one bit per seat."""
    if position.ending == HEGEMONY:
        won = 1 << side_of(position, position.seat)
    else:
        won = majority_winners(position)
    seats = 0
    for seat in range(position.players):
        seats |= (won >> side_of(position, seat) & 1) << seat
    return seats
