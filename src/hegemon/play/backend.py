"""The table that a game is played on: by the rules as they stand, or by the same rules compiled."""

from collections.abc import Callable, MutableSequence
from typing import Protocol

from hegemon.notation.record import Record, initial_position
from hegemon.notation.rulings import read_rulings
from hegemon.notation.setup import SetupError, read_variant
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import Position

SPEEDS = ("interpreted", "compiled")


class Table(Protocol):
    """What a game needs of its table.

    Every choice comes through here, so the two things that are needed every time are had without a detour.
    """

    @property
    def first(self) -> int:
        """What may be chosen first, one bit a word."""
        ...

    @property
    def asked(self) -> MutableSequence[int] | memoryview:
        """The seat that is asked, as a list of one: in the draft another that owes a pick may be put there."""
        ...

    @property
    def say(self) -> Callable[[int], int]:
        """Carry out a legal choice of the asked seat; tells what may be chosen next."""
        ...

    @property
    def position(self) -> Position:
        """The position, for reading."""
        ...

    def copy(self) -> "Table":
        """Another table with the same cards in the same places."""
        ...


class InterpretedBackend:
    """A table whose position is changed by the rules as they stand."""

    __slots__ = ("asked", "first", "position")

    def __init__(self, position: Position) -> None:
        self.position = position
        self.asked = [position.seat]
        self.first = legal(position)

    def say(self, word: int) -> int:
        """Carry out a legal choice of the asked seat; tells what may be chosen next."""
        position = self.position
        position.seat = self.asked[0]
        apply(position, word)
        self.asked[0] = position.seat
        return legal(position)

    def copy(self) -> "InterpretedBackend":
        """Another table with the same cards in the same places."""
        return InterpretedBackend(self.position.copy())


def check_speed(speed: str) -> None:
    """Games are played at two speeds."""
    if speed not in SPEEDS:
        raise SetupError(f'A game is played "interpreted" or "compiled", not "{speed[:40]}".')


def is_compiled(speed: str) -> bool:
    """Whether to play by compiled code: where there is no Numba, everything is interpreted."""
    if speed != "compiled":
        return False
    # What only compiled games need comes when one is asked for.
    from hegemon.kernels.compiling import can_compile

    return can_compile()


def lay_table(record: Record, speed: str) -> Table:
    """A table with the cards dealt, for a record whose deck is known to be right."""
    if not is_compiled(speed):
        return InterpretedBackend(initial_position(record))
    from hegemon.kernels.backend import CompiledBackend

    return CompiledBackend(
        record.players, read_variant(record.variant), record.teams, read_rulings(record.rulings), record.deck
    )
