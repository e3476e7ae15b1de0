"""The compiled backend of `hegemon.Game`.

A move is one call into compiled code. It bypasses Numba's dispatcher, which checks the types of the arguments on every
call: they are always the same here, and the check would take longer than the rules.
"""

from collections.abc import Callable, Iterable
from functools import cache, lru_cache, partial
from importlib import import_module
from typing import Any, Final

import numpy as np

from hegemon.kernels.compiler import compiled
from hegemon.kernels.dtype import POSITION_DTYPE, to_bytes, to_position
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import Position
from hegemon.rules.setup import deal
from hegemon.rules.shuffle import shuffle, stream

EntryPoint = Callable[[Any, int], Any]

# A structured dtype has fields, but NumPy's types allow None.
_OFFSET: Final = {name: POSITION_DTYPE.fields[name][1] for name in ("deck", "deck_size", "seat")}  # type: ignore[index]
_DECK: Final = _OFFSET["deck"]
_DECK_SIZE: Final = _OFFSET["deck_size"]
_SEAT: Final = _OFFSET["seat"]


def shuffle_deck(positions: Any, seed: int) -> None:
    """Shuffle the Age deck for the first game of a series."""
    shuffle(positions[0], stream(seed, 0))


def deal_cards(positions: Any, variant: int) -> Any:
    """Deal from the Age deck; return the legal actions."""
    deal(positions[0], variant)
    return np.uint64(legal(positions[0]))


def apply_action(positions: Any, action: int) -> Any:
    """Apply a legal action; return the next legal actions."""
    apply(positions[0], action)
    return np.uint64(legal(positions[0]))


# Keeps the dispatchers alive, which own the compiled code.
_DISPATCHERS: Final[list[Any]] = []


@cache
def entry(function: EntryPoint) -> EntryPoint:
    """The compiled entry point of one of these functions, without its dispatcher."""
    numba: Any = import_module("numba")
    dispatcher: Any = compiled(function, nogil=False)
    dispatcher.compile((numba.typeof(np.zeros(1, POSITION_DTYPE)), numba.int64))
    _DISPATCHERS.append(dispatcher)
    (overload,) = dispatcher.overloads.values()
    return overload.entry_point  # type: ignore[no-any-return]  # compiled code is untyped


@lru_cache
def _empty_position(players: int, teams: bool, rulings: int) -> bytes:
    return to_bytes(Position(players=players, teams=int(teams), rulings=rulings))


def shuffled_kinds(players: int, seed: int) -> tuple[int, ...]:
    """The kinds of a shuffled Age deck, from the top; identical to the interpreted result."""
    memory = bytearray(_empty_position(players, False, 0))
    entry(shuffle_deck)(np.frombuffer(memory, POSITION_DTYPE), seed)
    return tuple(memory[_DECK : _DECK + memory[_DECK_SIZE]][::-1])


class CompiledBackend:
    """A `hegemon.play.backend.Backend` with its position in a record that compiled code modifies."""

    __slots__ = ("_memory", "_position", "_position_bytes", "_record", "apply", "initial_choices", "to_move")

    initial_choices: int
    to_move: memoryview
    """The seat field of the record."""
    apply: Callable[[int], int]

    def __init__(self, players: int, variant: int, teams: bool, rulings: int, kinds: Iterable[int]) -> None:
        deck = bytes(kinds)[::-1]
        memory = bytearray(_empty_position(players, teams, rulings))
        memory[_DECK : _DECK + len(deck)] = deck
        memory[_DECK_SIZE] = len(deck)
        self._use(memory)
        self.initial_choices = entry(deal_cards)(self._record, variant)

    @classmethod
    def from_position(cls, position: Position) -> "CompiledBackend":
        backend = cls.__new__(cls)
        backend._use(bytearray(to_bytes(position)))
        backend.initial_choices = legal(position)
        return backend

    def _use(self, memory: bytearray) -> None:
        self._memory = memory
        self._record = np.frombuffer(memory, POSITION_DTYPE)
        self._position, self._position_bytes = Position(), b""
        self.to_move = memoryview(memory)[_SEAT : _SEAT + 1]
        self.apply = partial(entry(apply_action), self._record)

    @property
    def position(self) -> Position:
        if self._memory != self._position_bytes:
            self._position, self._position_bytes = to_position(self._record[0]), bytes(self._memory)
        return self._position

    def copy(self) -> "CompiledBackend":
        other = CompiledBackend.__new__(CompiledBackend)
        other._use(self._memory[:])
        other.initial_choices = self.initial_choices
        return other
