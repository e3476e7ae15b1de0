"""The table that a game is played on: by the rules as they stand, or by the same rules compiled."""

from typing import Protocol

from hegemon.kernels.compiling import can_compile
from hegemon.notation.record import Record, first_position
from hegemon.notation.rulings import read_rulings
from hegemon.notation.table import TableError, read_variant
from hegemon.rules.choices import apply, legal
from hegemon.rules.position import Position

SPEEDS = ("interpreted", "compiled")


class Table(Protocol):
    """What a game needs of its table."""

    legal: int
    """What the seat that is asked may choose, one bit a word."""

    @property
    def seat(self) -> int:
        """The seat that is asked."""
        ...

    @property
    def position(self) -> Position:
        """The position, for reading."""
        ...

    def say(self, seat: int, word: int) -> None:
        """Carry out a legal choice of a seat."""
        ...

    def copy(self) -> "Table":
        """Another table with the same cards in the same places."""
        ...


class InterpretedTable:
    """A table whose position is changed by the rules as they stand."""

    __slots__ = ("legal", "position")

    def __init__(self, position: Position) -> None:
        self.position = position
        self.legal = legal(position)

    @property
    def seat(self) -> int:
        """The seat that is asked."""
        return self.position.seat

    def say(self, seat: int, word: int) -> None:
        """Carry out a legal choice of a seat."""
        self.position.seat = seat
        apply(self.position, word)
        self.legal = legal(self.position)

    def copy(self) -> "InterpretedTable":
        """Another table with the same cards in the same places."""
        other = InterpretedTable.__new__(InterpretedTable)
        other.position, other.legal = self.position.copy(), self.legal
        return other


def check_speed(speed: str) -> None:
    """Games are played at two speeds."""
    if speed not in SPEEDS:
        raise TableError(f'A game is played "interpreted" or "compiled", not "{speed[:40]}".')


def is_compiled(speed: str) -> bool:
    """Whether to play by compiled code: where there is no Numba, everything is interpreted."""
    return speed == "compiled" and can_compile()


def lay_table(record: Record, speed: str) -> Table:
    """A table with the cards dealt, for a record whose deck is known to be right."""
    if not is_compiled(speed):
        return InterpretedTable(first_position(record))
    from hegemon.kernels.table import CompiledTable

    return CompiledTable(
        record.players, read_variant(record.variant), record.teams, read_rulings(record.rulings), record.deck
    )
