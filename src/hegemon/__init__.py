"""Carta Impera Victoria as a library: `Game` is the door to everything."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from hegemon.notation.errors import NotationError
from hegemon.notation.problems import problems
from hegemon.notation.reading import read_position, read_view
from hegemon.notation.record import Record, RecordError, Result, read_record, write_record
from hegemon.notation.table import TableError
from hegemon.notation.writing import write_position, write_view
from hegemon.play.commitment import check_shuffle
from hegemon.play.game import Game
from hegemon.play.imagine import imagine
from hegemon.play.match import play_match
from hegemon.play.memory import Memory
from hegemon.play.player import Player
from hegemon.play.refusal import Refusal
from hegemon.rules.cards import Domain
from hegemon.rules.effects.board import Effect
from hegemon.rules.position import Ending, Position, Question
from hegemon.rules.view import View
from hegemon.rules.words import WORDS

if TYPE_CHECKING:
    from hegemon.kernels.batch import Batch

__all__ = [
    "WORDS",
    "Batch",
    "Domain",
    "Effect",
    "Ending",
    "Game",
    "Memory",
    "NotationError",
    "Player",
    "Position",
    "Question",
    "Record",
    "RecordError",
    "Refusal",
    "Result",
    "TableError",
    "View",
    "check_shuffle",
    "imagine",
    "play_match",
    "problems",
    "read_position",
    "read_record",
    "read_view",
    "write_position",
    "write_record",
    "write_view",
]

# What needs NumPy comes when it is first named: a game at the table does without.
_LATER: Final = {"Batch": "hegemon.kernels.batch"}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)
