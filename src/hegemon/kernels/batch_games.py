"""The storage of the games of a batch: arrays of records for compiled loops, or lists for the interpreter."""

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import numpy as np

from hegemon.kernels.compiler import compiled
from hegemon.kernels.determinization import Unseen, deal_tables
from hegemon.kernels.dtype import to_position, to_records
from hegemon.kernels.knowledge import KNOWLEDGE, forget
from hegemon.rules.position import OVER, Position

Array = np.ndarray[Any, np.dtype[Any]]
Loop = Callable[..., Any]


class CompiledGames:
    """The games of a batch for compiled loops: positions in an array of records, integers in arrays."""

    def __init__(self, empty: Position, games: int) -> None:
        self.empty = to_records([empty])
        self.tables = np.repeat(self.empty, games)
        self.numbers, self.states, self.sets = (np.zeros(games, np.int64) for _ in range(3))
        self.known = np.zeros(games * KNOWLEDGE, np.int64)

    def loop(self, loop: Loop) -> Loop:
        return compiled(loop)

    def actions(self, given: Array) -> Any:
        return np.ascontiguousarray(given, np.int64)

    def finish(self) -> None:
        self.tables["question"] = OVER

    def position(self, game: int) -> Position:
        return to_position(self.tables[game])

    def load(self, positions: Sequence[Position]) -> None:
        self.tables[:] = to_records(positions)
        self.known[:] = 0

    def deal(self, certain: Position, unseen: Unseen, state: int) -> None:
        compiled(deal_tables)(self.tables, to_records([certain]), unseen.arrays(), state)

    def copy(self) -> "CompiledGames":
        other = copy(self)
        other.tables, other.numbers = self.tables.copy(), self.numbers.copy()
        other.states, other.sets, other.known = self.states.copy(), self.sets.copy(), self.known.copy()
        return other


class InterpretedGames:
    """The games of a batch for the interpreter: positions and integers in lists."""

    def __init__(self, empty: Position, games: int) -> None:
        self.empty = [empty]
        self.tables = PositionList(empty.copy() for _ in range(games))
        self.numbers, self.states, self.sets = ([0] * games for _ in range(3))
        self.known = [0] * (games * KNOWLEDGE)

    def loop(self, loop: Loop) -> Loop:
        return loop

    def actions(self, given: Array) -> Any:
        return given.tolist()

    def finish(self) -> None:
        for position in self.tables:
            position.question = OVER

    def position(self, game: int) -> Position:
        return self.tables[game].copy()

    def load(self, positions: Sequence[Position]) -> None:
        for game, position in enumerate(positions):
            self.tables[game] = position
            forget(self.known, KNOWLEDGE * game)

    def deal(self, certain: Position, unseen: Unseen, state: int) -> None:
        deal_tables(self.tables, [certain], unseen, state)

    def copy(self) -> "InterpretedGames":
        other = copy(self)
        other.tables = PositionList(position.copy() for position in self.tables)
        other.numbers, other.states, other.sets = self.numbers[:], self.states[:], self.sets[:]
        other.known = self.known[:]
        return other


class PositionList(list[Position]):
    """A list that copies a position when it is assigned, as an array of records does."""

    def __setitem__(self, place: Any, position: Any) -> None:
        super().__setitem__(place, position.copy())
