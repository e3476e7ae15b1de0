"""The data that a server sends, as Python objects; seats count from 0."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from hegemon.notation.reading import read_view
from hegemon.notation.record import Result
from hegemon.play.events import Event
from hegemon.play.selection import Selection
from hegemon.play.serialization import event_from_dict, result_from_dict
from hegemon.rules.piles import Cards
from hegemon.rules.view import View

JsonObject = Mapping[str, Any]

_UNDO_EVENT: Final = "undone"


@dataclass(frozen=True)
class Choice:
    """A legal choice with its description."""

    choice: str
    meaning: str


@dataclass(frozen=True)
class SeatInfo:
    """The player of a seat."""

    seat: int
    name: str
    bot: str | None
    open: bool
    """Whether the seat has no player yet, or no longer."""
    substitute: bool
    """Whether a bot plays for an absent player."""
    deadline: datetime | None
    """When the player's time runs out, if it is their turn and there is a clock."""


@dataclass(frozen=True)
class TableState:
    """A table as one seat or a spectator sees it."""

    game: str
    seat: int | None
    """The seat of this token; None for a spectator."""
    version: int
    """The number of moves and undos so far; a move is submitted for a version."""
    is_waiting: bool
    """Whether a seat is still open before the start; hands are hidden until then."""
    seats: tuple[SeatInfo, ...]
    line: str
    """The view, in notation."""
    question: str
    choices: tuple[Choice, ...]
    selection: Selection | None
    """The cards to choose, if the question asks for cards; `choices` has them one by one."""
    to_move: tuple[int, ...]
    """The seats that may choose now."""
    undo: bool
    """Whether the last move of this seat can be undone."""
    result: Result | None
    next_game: str | None
    """The rematch, if there is one."""

    @cached_property
    def view(self) -> View:
        return read_view(self.line)

    @property
    def choice_texts(self) -> tuple[str, ...]:
        return tuple(choice.choice for choice in self.choices)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(info.name for info in self.seats)

    @property
    def has_substitute(self) -> bool:
        """Whether a bot plays for this seat."""
        return self.seat is not None and self.seats[self.seat].substitute


@dataclass(frozen=True)
class MoveUpdate:
    """The events of one move as this seat saw them; version 0 is the deal."""

    version: int
    events: tuple[Event, ...]
    undone: int | None = None
    """The version of the move that was undone, where this one is an undo."""


@dataclass(frozen=True)
class ChatMessage:
    number: int
    at: datetime
    seat: int | None
    """The seat of the author; None for a spectator."""
    name: str
    sentence: str
    phrase: str
    about: int | None
    domain: str


Update = MoveUpdate | ChatMessage


def read_seat(data: JsonObject) -> SeatInfo:
    return SeatInfo(
        seat=data["seat"] - 1,
        name=data["name"],
        bot=data["bot"],
        open=data["open"],
        substitute=data["substitute"],
        deadline=datetime.fromisoformat(data["deadline"]) if data["deadline"] is not None else None,
    )


def read_state(data: JsonObject) -> TableState:
    return TableState(
        game=data["game"],
        seat=_seat(data["seat"]),
        version=data["version"],
        is_waiting=data["is_waiting"],
        seats=tuple(read_seat(info) for info in data["seats"]),
        line=data["view"],
        question=data["question"],
        choices=tuple(Choice(choice["choice"], choice["meaning"]) for choice in data["choices"]),
        selection=read_selection(data.get("selection")),
        to_move=tuple(seat - 1 for seat in data["to_move"]),
        undo=data["undo"],
        result=result_from_dict(data["result"]) if data["result"] is not None else None,
        next_game=data["next_game"],
    )


def read_selection(data: JsonObject | None) -> Selection | None:
    return Selection(data["number"], Cards(data["cards"])) if data is not None else None


def read_move(data: JsonObject) -> MoveUpdate:
    events = data["events"]
    if len(events) == 1 and events[0]["event"] == _UNDO_EVENT:
        return MoveUpdate(data["version"], (), events[0]["version"])
    return MoveUpdate(data["version"], tuple(event_from_dict(event) for event in events))


def read_message(data: JsonObject) -> ChatMessage:
    return ChatMessage(
        number=data["number"],
        at=datetime.fromisoformat(data["at"]),
        seat=_seat(data["seat"]),
        name=data["name"],
        sentence=data["sentence"],
        phrase=data["phrase"],
        about=_seat(data["about"]),
        domain=data["domain"],
    )


def _seat(number: int | None) -> int | None:
    return number - 1 if number is not None else None
