"""Carta Impera Victoria as a library; `Game` is where to start. `__all__` lists the whole public API."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from hegemon.analysis.analyzer import analyze, analyze_decision, analyze_decisions
    from hegemon.analysis.report import Analysis, AnalysisError, Chances, Decision, Luck
    from hegemon.kernels.batch import Batch
    from hegemon.kernels.gpu_batch import GpuBatch, Setup
    from hegemon.kernels.observation import OBSERVATION_VERSION
    from hegemon.notation.errors import NotationError
    from hegemon.notation.problems import problems
    from hegemon.notation.reading import read_position, read_view
    from hegemon.notation.record import Record, RecordError, Result, read_record, write_record
    from hegemon.notation.setup import SetupError
    from hegemon.notation.writing import write_position, write_view
    from hegemon.play.commitment import check_shuffle
    from hegemon.play.determinization import determinize, determinize_batch
    from hegemon.play.events import (
        ChoseGift,
        CoinMoved,
        CoinReturned,
        Dealt,
        DeckRanOut,
        Discarded,
        Drew,
        EmbargoLifted,
        Event,
        Fetched,
        GameEnded,
        GaveBack,
        Kept,
        Passed,
        Played,
        PutDemocracy,
        PutEmbargo,
        Revealed,
        SkippedPlay,
        TookBack,
        TookFromCenter,
        TookHand,
        TurnBegan,
        UsedEffect,
    )
    from hegemon.play.game import Game
    from hegemon.play.legality import IllegalMoveError, Reason
    from hegemon.play.match import play_match
    from hegemon.play.memory import Memory
    from hegemon.play.observation import observation
    from hegemon.play.player import Player
    from hegemon.play.selection import Selection
    from hegemon.play.solver import Outlook, TurnTooLarge, solve
    from hegemon.rules.actions import ACTIONS, CHOICES, Action, ActionKind, Effect
    from hegemon.rules.cards import Domain
    from hegemon.rules.piles import Card, Cards
    from hegemon.rules.position import Ending, Position, Question
    from hegemon.rules.view import SPECTATOR, View

__all__ = [
    "ACTIONS",
    "CHOICES",
    "OBSERVATION_VERSION",
    "SPECTATOR",
    "Action",
    "ActionKind",
    "Analysis",
    "AnalysisError",
    "Batch",
    "Card",
    "Cards",
    "Chances",
    "ChoseGift",
    "CoinMoved",
    "CoinReturned",
    "Dealt",
    "Decision",
    "DeckRanOut",
    "Discarded",
    "Domain",
    "Drew",
    "Effect",
    "EmbargoLifted",
    "Ending",
    "Event",
    "Fetched",
    "Game",
    "GameEnded",
    "GaveBack",
    "GpuBatch",
    "IllegalMoveError",
    "Kept",
    "Luck",
    "Memory",
    "NotationError",
    "Outlook",
    "Passed",
    "Played",
    "Player",
    "Position",
    "PutDemocracy",
    "PutEmbargo",
    "Question",
    "Reason",
    "Record",
    "RecordError",
    "Result",
    "Revealed",
    "Selection",
    "Setup",
    "SetupError",
    "SkippedPlay",
    "TookBack",
    "TookFromCenter",
    "TookHand",
    "TurnBegan",
    "TurnTooLarge",
    "UsedEffect",
    "View",
    "analyze",
    "analyze_decision",
    "analyze_decisions",
    "check_shuffle",
    "determinize",
    "determinize_batch",
    "observation",
    "play_match",
    "problems",
    "read_position",
    "read_record",
    "read_view",
    "solve",
    "write_position",
    "write_record",
    "write_view",
]

# A name is imported when it is first used: importing the package costs next to nothing, and a game needs no NumPy.
_MODULES: Final = {
    "analysis.analyzer": "analyze analyze_decision analyze_decisions",
    "analysis.report": "Analysis AnalysisError Chances Decision Luck",
    "kernels.batch": "Batch",
    "kernels.gpu_batch": "GpuBatch Setup",
    "kernels.observation": "OBSERVATION_VERSION",
    "notation.errors": "NotationError",
    "notation.problems": "problems",
    "notation.reading": "read_position read_view",
    "notation.record": "Record RecordError Result read_record write_record",
    "notation.setup": "SetupError",
    "notation.writing": "write_position write_view",
    "play.commitment": "check_shuffle",
    "play.events": (
        "ChoseGift CoinMoved CoinReturned Dealt DeckRanOut Discarded Drew EmbargoLifted Event "
        "Fetched GameEnded GaveBack Kept Passed Played PutDemocracy PutEmbargo Revealed SkippedPlay "
        "TookBack TookFromCenter TookHand TurnBegan UsedEffect"
    ),
    "play.game": "Game",
    "play.determinization": "determinize determinize_batch",
    "play.legality": "IllegalMoveError Reason",
    "play.match": "play_match",
    "play.memory": "Memory",
    "play.observation": "observation",
    "play.player": "Player",
    "play.selection": "Selection",
    "play.solver": "Outlook TurnTooLarge solve",
    "rules.actions": "ACTIONS CHOICES Action ActionKind Effect",
    "rules.cards": "Domain",
    "rules.piles": "Card Cards",
    "rules.position": "Ending Position Question",
    "rules.view": "SPECTATOR View",
}
_MODULE_OF: Final = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
