"""A study: a game that begins with a position instead of a deal."""

from collections.abc import Sequence
from typing import NoReturn

from hegemon.notation.reading import read_position
from hegemon.notation.record import Record
from hegemon.notation.setup import SetupError
from hegemon.play.backend import InterpretedBackend, Table
from hegemon.play.events import Event
from hegemon.play.game import Game
from hegemon.rules.position import Position


class Study(Game):
    """A game that begins with a position, for lessons and puzzles; it is played by the same rules as any other.

    Nothing was dealt, so there is neither a record nor a shuffle to check.
    """

    def __init__(self, position: str, names: Sequence[str]) -> None:
        self._given = read_position(position)
        if len(names) != self._given.players:
            raise SetupError(f"There are {self._given.players} players and {len(names)} names.")
        self._speed = "interpreted"
        self._begin(Record(names=tuple(names), deck=()))

    def _lay(self) -> Table:
        return InterpretedBackend(self._first_position())

    def _first_position(self) -> Position:
        return self._given.copy()

    def _first_events(self, position: Position) -> list[Event]:
        return []

    def record(self) -> NoReturn:
        """There is none."""
        raise TypeError("A study begins with a position, and a record begins with a deal.")

    @property
    def commitment(self) -> NoReturn:
        """There is none."""
        raise TypeError("A study begins with a position: nothing was shuffled.")

    def __reduce__(self) -> NoReturn:
        raise TypeError("A study has no record, so it cannot be pickled.")
