"""The position of a game, modified by interpreted or compiled rules."""

from collections.abc import Callable, MutableSequence
from typing import Final, Protocol

from hegemon.notation.errors import quoted
from hegemon.notation.record import Record, initial_position
from hegemon.notation.rulings import read_rulings
from hegemon.notation.setup import SetupError, read_variant
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import Position

SPEEDS: Final = ("interpreted", "compiled")


class Backend(Protocol):
    """A position that moves are applied to; `apply` and `to_move`, which every move uses, are plain attributes."""

    @property
    def initial_choices(self) -> int:
        """The legal actions of the position that the backend was created with, one bit per action."""
        ...

    @property
    def to_move(self) -> MutableSequence[int] | memoryview:
        """The seat to move, as a sequence of one item; in the draft, it can be set to another seat that owes a pick."""
        ...

    @property
    def apply(self) -> Callable[[int], int]:
        """Apply a legal action of the seat to move; return the next legal actions."""
        ...

    @property
    def position(self) -> Position:
        """The current position; read-only."""
        ...

    def copy(self) -> "Backend": ...


class InterpretedBackend:
    __slots__ = ("initial_choices", "position", "to_move")

    def __init__(self, position: Position) -> None:
        self.position = position
        self.to_move = [position.seat]
        self.initial_choices = legal(position)

    def apply(self, action: int) -> int:
        position = self.position
        position.seat = self.to_move[0]
        apply(position, action)
        self.to_move[0] = position.seat
        return legal(position)

    def copy(self) -> "InterpretedBackend":
        return InterpretedBackend(self.position.copy())


def check_speed(speed: str) -> None:
    """Raise a SetupError unless games can be played at that speed."""
    if speed not in SPEEDS:
        raise SetupError("A game is played interpreted or compiled, not {speed}.", speed=quoted(speed))


def is_compiled(speed: str) -> bool:
    """Whether to play with compiled code: without Numba, everything is interpreted."""
    if speed != "compiled":
        return False
    # Imported here because only compiled games need NumPy and Numba.
    from hegemon.kernels.compiler import can_compile

    return can_compile()


def dealt_backend(record: Record, speed: str) -> Backend:
    """The position after the deal of a record whose deck has been checked."""
    if not is_compiled(speed):
        return InterpretedBackend(initial_position(record))
    from hegemon.kernels.backend import CompiledBackend

    return CompiledBackend(
        record.players, read_variant(record.variant), record.teams, read_rulings(record.rulings), record.deck
    )


def backend_at(position: Position, speed: str) -> Backend:
    """A backend that starts at a copy of that position."""
    if not is_compiled(speed):
        return InterpretedBackend(position.copy())
    from hegemon.kernels.backend import CompiledBackend

    return CompiledBackend.from_position(position)
