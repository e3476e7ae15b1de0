"""The standings of a tournament: points and tie-breaks, computed from its saved games."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from hegemon.server.db.tournament_rows import Entry, Outcome, Pairing, TournamentSnapshot
from hegemon.server.tournaments.formats import CRITERIA

#: Points are counted in halves.
WIN: Final = 2

#: The integer that stands for one point in each column of the standings.
UNITS: Final = {
    "points": WIN,
    "buchholz": WIN,
    "sonneborn-berger": WIN * WIN,
    "score": 1,
    "comparison": 2,
    "wins": 1,
}


@dataclass(frozen=True)
class Standing:
    """A line of the standings."""

    rank: int
    entry: Entry
    values: dict[str, int]
    """By the criteria of the format, in order of precedence, in `UNITS`."""
    games: int
    wins: int


@dataclass(frozen=True)
class Cell:
    """A game of an entry: its seat, its opponents, and the result if there is one."""

    pairing: Pairing
    seat: int

    @property
    def opponents(self) -> tuple[int, ...]:
        return (*self.pairing.entries[: self.seat], *self.pairing.entries[self.seat + 1 :])

    @property
    def points(self) -> int | None:
        """In half points; None if the game is not over."""
        return points_of(self.pairing, self.seat)

    @property
    def score(self) -> int | None:
        return self.pairing.outcome.scores[self.seat] if self.pairing.outcome is not None else None

    @property
    def won(self) -> bool:
        return self.pairing.outcome is not None and self.seat in self.pairing.outcome.winners


def points_of(pairing: Pairing, seat: int) -> int | None:
    """The half points of a seat: a win or a bye is two, a shared win one; None if the game is not over."""
    if pairing.is_bye:
        return WIN
    if pairing.outcome is None:
        return None
    return _winner_points(pairing.outcome) if seat in pairing.outcome.winners else 0


def _winner_points(outcome: Outcome) -> int:
    return WIN if len(outcome.winners) == 1 else WIN // 2


def cells_of(pairings: Iterable[Pairing]) -> dict[int, list[Cell]]:
    """The games of each entry, in the order of the rounds."""
    cells = defaultdict[int, list[Cell]](list)
    for pairing in pairings:
        for seat, number in enumerate(pairing.entries):
            cells[number].append(Cell(pairing, seat))
    return cells


def half_points(entries: Iterable[Entry], played: Iterable[Pairing]) -> Counter[int]:
    """The half points of each entry so far."""
    points = Counter({entry.number: 0 for entry in entries})
    for pairing in played:
        for seat, number in enumerate(pairing.entries):
            points[number] += points_of(pairing, seat) or 0
    return points


def standings(snapshot: TournamentSnapshot) -> list[Standing]:
    """The entries, best first; those with the same values share a rank, and are listed in order of entry."""
    cells = cells_of(snapshot.pairings)
    points = half_points(snapshot.entries, snapshot.pairings)
    compared = comparisons(snapshot.pairings)
    criteria = CRITERIA[snapshot.tournament.format]
    lines = [
        Standing(
            0,
            entry,
            _values(criteria, cells[entry.number], points, entry.number, compared),
            sum(cell.pairing.outcome is not None for cell in cells[entry.number]),
            sum(cell.won for cell in cells[entry.number]),
        )
        for entry in snapshot.entries
    ]
    return _ranked(lines)


def _values(
    criteria: Sequence[str], cells: Sequence[Cell], points: Counter[int], number: int, compared: Counter[int]
) -> dict[str, int]:
    values = {
        "points": points[number],
        "buchholz": sum(
            points[number] if cell.pairing.is_bye else sum(points[other] for other in cell.opponents)
            for cell in cells
            if cell.points is not None
        ),
        # The points of an opponent count in full for a win against them, and half for a shared win.
        "sonneborn-berger": sum(
            points[other] * (cell.points or 0) for cell in cells for other in cell.opponents
        ),
        "score": sum(cell.score or 0 for cell in cells),
        "comparison": compared[number],
        "wins": sum(cell.won for cell in cells),
    }
    return {name: values[name] for name in criteria}


def _ranked(lines: Sequence[Standing]) -> list[Standing]:
    ordered = sorted(lines, key=lambda line: (*(-value for value in line.values.values()), line.entry.number))
    ranked: list[Standing] = []
    for place, line in enumerate(ordered, 1):
        is_tied = ranked and ranked[-1].values == line.values
        rank = ranked[-1].rank if is_tied else place
        ranked.append(Standing(rank, line.entry, line.values, line.games, line.wins))
    return ranked


def comparisons(pairings: Iterable[Pairing]) -> Counter[int]:
    """The half points of each entry against entries with the same seat at other tables of the same round."""
    by_seat = defaultdict[tuple[int, int], list[tuple[int, int]]](list)
    for pairing in pairings:
        if pairing.outcome is not None:
            for seat, number in enumerate(pairing.entries):
                by_seat[pairing.round, seat].append((number, pairing.outcome.scores[seat]))
    compared = Counter[int]()
    for scores in by_seat.values():
        for number, score in scores:
            others = [other for entry, other in scores if entry != number]
            compared[number] += sum(2 * (other < score) + (other == score) for other in others)
    return compared
