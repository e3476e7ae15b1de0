"""The majorities of a position, and how ties between them are broken."""

from dataclasses import dataclass

from hegemon.rules.cards import Domain
from hegemon.rules.position import Position
from hegemon.rules.victory import (
    best_count,
    leaders_by_cards,
    leaders_by_points,
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
    """The majorities of all sides, computed from one count of the cards."""
    counts = [[best_count(position, side, domain) for domain in Domain] for side in range(sides(position))]
    highest = [max(in_domain) for in_domain in zip(*counts, strict=True)]
    leads = [[own > 0 and own == most for own, most in zip(row, highest, strict=True)] for row in counts]
    ranks = [(sum(of_side), row[::-1]) for of_side, row in zip(leads, counts, strict=True)]
    step = len(counts)
    return tuple(
        MajorityRow(
            tuple(range(side, position.players, step)),
            names[side::step],
            tuple(zip(row, leads[side], strict=True)),
            ranks[side][0],
            ranks[side] == max(ranks),
        )
        for side, row in enumerate(counts)
    )


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
