"""Pairing: computes the tables of the next round from the entries and the pairings so far.

A table is a tuple of entry numbers, by seat; a single number has a bye. Everything here is a pure function: the same
tournament gives the same tables. The draw comes from the seed of the tournament.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from random import Random
from typing import Final

from hegemon.server.db.tournament_rows import Entry, Pairing
from hegemon.server.tournaments.formats import GROUP_SIZE
from hegemon.server.tournaments.standings import half_points

Seating = tuple[int, ...]

#: The opponent of an entry that has a bye.
BYE: Final = 0

#: The largest acceptable difference between the number of games that an entry sits first and second.
_MAX_IMBALANCE: Final = 2

#: The cost of a pairing is one integer. Its parts have enough bits that no sum over one part outweighs the next one.
_DRAW_BITS: Final = 10
_PART_BITS: Final = 20


def draw_order(entries: Iterable[Entry], seed: int, salt: int = 0) -> list[int]:
    """The numbers of entries in the order of the draw."""
    numbers = [entry.number for entry in entries]
    Random(f"{seed} {salt}").shuffle(numbers)
    return numbers


# ------------------------------------------------------------------ Swiss


class Swiss:
    """The Swiss system, which minimizes the total cost of the pairings of a round.

    In order of importance, a round should have few rematches and second byes, no pairs who have both sat first (or both
    second) at least two times more often, a bye low in the standings, small differences of points, and balanced seats;
    finally, the draw decides.

    If there are at most half as many rounds as players, there are always pairs who have not met (by Dirac's theorem, as
    everyone has met less than half of the field). If there are more, the rounds are those of a round robin, which never
    run out, and the cheapest remaining one is played each time.
    """

    def __init__(self, entries: Sequence[Entry], played: Sequence[Pairing], seed: int, rounds: int) -> None:
        self.numbers = [entry.number for entry in entries if not entry.withdrawn]
        self._withdrawn = [entry.number for entry in entries if entry.withdrawn]
        self._bots = {entry.number for entry in entries if entry.bot is not None}
        self._points = half_points(entries, played)
        self._round = max((pairing.round for pairing in played), default=0) + 1
        self._random = Random(f"{seed} {self._round}")
        self._meetings = Counter(frozenset(with_bye(pairing.entries)) for pairing in played)
        self._balance, self._first_in_last_game = seat_balance(played)
        self._draw_order = draw_order(entries, seed)
        self._has_schedule = 2 * rounds > len(entries) + len(entries) % 2
        self.costs = {
            (one, other): self._cost(one, other)
            for one, other in combinations(sorted([*self.numbers, BYE], reverse=True), 2)
        }

    def _cost(self, one: int, other: int) -> int:
        parts = [self._meetings[frozenset((one, other))]]
        if other == BYE:
            parts += [0, 2 * self._points[one] + (one not in self._bots), 0, 0]
        else:
            difference = self._points[one] - self._points[other]
            balance = self._balance[one] + self._balance[other]
            parts += [abs(balance) >= 2 * _MAX_IMBALANCE, 0, difference**2, balance**2]
        cost = 0
        for part in parts:
            cost = (cost << _PART_BITS) + part
        return (cost << _PART_BITS) + self._random.getrandbits(_DRAW_BITS)

    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of the next round with the lowest total cost."""
        return self._cheapest_round() if self._has_schedule else self._cheapest_matching()

    def _cheapest_round(self) -> list[tuple[int, int]]:
        """The cheapest round of a round robin that has not been played."""
        size = len(self._draw_order) + len(self._draw_order) % 2
        rounds = (round_robin(self._draw_order, number) for number in range(1, size))
        unplayed = [
            tables
            for tables in rounds
            if not any(len(table) == 2 and self._meetings[frozenset(table)] for table in tables)
        ]
        possible = [
            [_ordered(*with_bye(table)) for table in without_withdrawn(tables, self._withdrawn)]
            for tables in unplayed
        ]
        return min(possible, key=lambda pairs: sum(self.costs[pair] for pair in pairs))

    def _cheapest_matching(self) -> list[tuple[int, int]]:
        import networkx as nx  # loaded when the first round is paired

        graph = nx.Graph()
        most = max(self.costs.values(), default=0)
        odd = len(self.numbers) % 2
        graph.add_weighted_edges_from(
            (*pair, most - cost) for pair, cost in self.costs.items() if odd or BYE not in pair
        )
        return sorted(_ordered(*pair) for pair in nx.max_weight_matching(graph, maxcardinality=True))

    def tables(self) -> list[Seating]:
        """The next round, the table of the leaders first and the bye last."""
        pairs = sorted(
            self.pairs(), key=lambda pair: (pair[1] == BYE, -sum(self._points[one] for one in pair), pair)
        )
        return [self._assign_seats(*pair) for pair in pairs]

    def _assign_seats(self, one: int, other: int) -> Seating:
        """Seat first the entry that sat first less often, or else not in its last game, or else one drawn by lot."""
        if other == BYE:
            return (one,)
        either = self._random.sample((one, other), 2)
        return tuple(
            sorted(either, key=lambda number: (self._balance[number], number in self._first_in_last_game))
        )


def _ordered(one: int, other: int) -> tuple[int, int]:
    """A pair in canonical order, with a bye last."""
    return max(one, other), min(one, other)


def with_bye(entries: Seating) -> Seating:
    return entries if len(entries) > 1 else (*entries, BYE)


def seat_balance(played: Iterable[Pairing]) -> tuple[Counter[int], set[int]]:
    """Games in which each entry sat first minus those in which it sat second, and who sat first in their last game."""
    balance, first_in_last_game = Counter[int](), set[int]()
    for pairing in played:
        if pairing.is_bye:
            continue
        first, second = pairing.entries
        balance[first] += 1
        balance[second] -= 1
        first_in_last_game.add(first)
        first_in_last_game.discard(second)
    return balance, first_in_last_game


# ------------------------------------------------------------------ round robin


def round_robin(numbers: Sequence[int], round_number: int) -> list[Seating]:
    """A round by the circle method: one entry stays, and the others rotate by one place per round.

    Everyone sits first as often as second, or once more or less if the number of games is odd.
    """
    circle = [*numbers, *([BYE] if len(numbers) % 2 else [])]
    last, moving = circle[-1], circle[:-1]
    size, turn = len(moving), round_number - 1
    meeting = moving[turn % size]
    tables = [(last, meeting) if turn % 2 else (meeting, last)]
    tables += [
        (moving[(turn + step) % size], moving[(turn - step) % size]) for step in range(1, len(circle) // 2)
    ]
    return [tuple(number for number in table if number != BYE) for table in tables]


def without_withdrawn(tables: Iterable[Seating], withdrawn: Iterable[int]) -> list[Seating]:
    """The tables of a round without withdrawn entries, whose opponents have a bye."""
    gone = set(withdrawn)
    left = (tuple(number for number in table if number not in gone) for table in tables)
    return sorted((table for table in left if table), key=lambda table: len(table) == 1)


def groups(numbers: Sequence[int]) -> list[Seating]:
    """All games of groups of four, formed from consecutive entries of the list."""
    return [
        table
        for first in range(0, len(numbers), GROUP_SIZE)
        for round_number in range(1, GROUP_SIZE)
        for table in round_robin(numbers[first : first + GROUP_SIZE], round_number)
    ]


# ------------------------------------------------------------------ duplicate


def duplicate(
    entries: Sequence[Entry], played: Sequence[Pairing], round_number: int, players: int, seed: int
) -> list[Seating]:
    """A round in which all tables have the same deal, and everyone has a different seat than in the last one.

    Over as many rounds as there are seats, everyone has every seat once: the field is divided by lot into as many
    classes as there are seats, every table has one entry of each class, and each class moves by one seat per round.
    Then the classes are drawn again. Entries that have met least often share a table.
    """
    cycle, turn = divmod(round_number - 1, players)
    numbers = draw_order(entries, seed, cycle)
    met = Counter(
        frozenset(pair) for pairing in played for pair in combinations(pairing.entries, 2)
    )  # fmt: skip
    tables = [[number] for number in numbers[::players]]
    for place in range(1, players):
        members = numbers[place::players]
        rotations = [members[shift:] + members[:shift] for shift in range(len(members))]
        best = min(rotations, key=lambda rotation: meetings(tables, rotation, met))
        for table, number in zip(tables, best, strict=True):
            table.append(number)
    return [tuple(table[(seat - turn) % players] for seat in range(players)) for table in tables]


def meetings(tables: Sequence[Sequence[int]], newcomers: Sequence[int], met: Counter[frozenset[int]]) -> int:
    """The number of times that the newcomers have met the others at their tables."""
    return sum(
        met[frozenset((number, newcomer))]
        for table, newcomer in zip(tables, newcomers, strict=True)
        for number in table
    )
