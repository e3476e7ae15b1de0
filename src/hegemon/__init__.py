"""Carta Impera Victoria as a library: `Game` is the door to everything."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from hegemon.kernels.batch import Batch
    from hegemon.notation.errors import NotationError
    from hegemon.notation.problems import problems
    from hegemon.notation.reading import read_position, read_view
    from hegemon.notation.record import Record, RecordError, Result, read_record, write_record
    from hegemon.notation.setup import SetupError
    from hegemon.notation.writing import write_position, write_view
    from hegemon.play.commitment import check_shuffle
    from hegemon.play.game import Game
    from hegemon.play.imagine import imagine
    from hegemon.play.legality import IllegalMoveError
    from hegemon.play.match import play_match
    from hegemon.play.memory import Memory
    from hegemon.play.player import Player
    from hegemon.rules.actions import CHOICES, Effect
    from hegemon.rules.cards import Domain
    from hegemon.rules.position import Ending, Position, Question
    from hegemon.rules.view import View

__all__ = [
    "CHOICES",
    "Batch",
    "Domain",
    "Effect",
    "Ending",
    "Game",
    "IllegalMoveError",
    "Memory",
    "NotationError",
    "Player",
    "Position",
    "Question",
    "Record",
    "RecordError",
    "Result",
    "SetupError",
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

# A name is fetched from its room when it is first asked for: importing the package costs next to nothing,
# and a game at the table does without NumPy.
_MODULES: Final = {
    "kernels.batch": "Batch",
    "notation.errors": "NotationError",
    "notation.problems": "problems",
    "notation.reading": "read_position read_view",
    "notation.record": "Record RecordError Result read_record write_record",
    "notation.setup": "SetupError",
    "notation.writing": "write_position write_view",
    "play.commitment": "check_shuffle",
    "play.game": "Game",
    "play.imagine": "imagine",
    "play.match": "play_match",
    "play.memory": "Memory",
    "play.player": "Player",
    "play.legality": "IllegalMoveError",
    "rules.cards": "Domain",
    "rules.position": "Ending Position Question",
    "rules.view": "View",
    "rules.actions": "CHOICES Effect",
}
_MODULE_OF: Final = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
