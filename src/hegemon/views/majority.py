"""The majorities of a position, and how ties between them are broken."""

from dataclasses import dataclass

from hegemon.rules.cards import Domain
from hegemon.rules.position import Position
from hegemon.rules.victory import (
    best_count,
    has_majority,
    leaders_by_cards,
    leaders_by_points,
    majority_winners,
    points,
    side_of,
    sides,
)


@dataclass(frozen=True)
class MajorityRow:
    """One side: its seats and names, its best count in every Domain and whether it leads there, and its points."""

    seats: tuple[int, ...]
    names: tuple[str, ...]
    counts: tuple[tuple[int, bool], ...]
    points: int
    ahead: bool
    """Whether the side would win by Majority now."""


def majority_rows(position: Position, names: tuple[str, ...]) -> tuple[MajorityRow, ...]:
    ahead = majority_winners(position)
    rows = []
    for side in range(sides(position)):
        seats = tuple(seat for seat in range(position.players) if side_of(position, seat) == side)
        counts = tuple(
            (best_count(position, side, domain), has_majority(position, side, domain)) for domain in Domain
        )
        row_names = tuple(names[seat] for seat in seats)
        rows.append(MajorityRow(seats, row_names, counts, points(position, side), bool(ahead >> side & 1)))
    return tuple(rows)


@dataclass(frozen=True)
class TieBreak:
    """A Domain in which sides with equal points are compared, and the sides that are ahead after it."""

    domain: Domain
    most: int
    ahead: tuple[int, ...]


def tie_breaks(position: Position) -> tuple[TieBreak, ...]:
    """The comparisons between sides with equal points, in the order of the rules, until one side is ahead."""
    ahead = leaders_by_points(position)
    compared = []
    for domain in sorted(Domain, reverse=True):
        if ahead & (ahead - 1) == 0:
            break
        ahead = leaders_by_cards(position, ahead, domain)
        left = tuple(side for side in range(sides(position)) if ahead >> side & 1)
        compared.append(TieBreak(domain, best_count(position, left[0], domain), left))
    return tuple(compared)
