"""What a server tells, as Python has it: seats count from 0, views and events are those of the library."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from hegemon.notation.reading import read_view
from hegemon.notation.record import Result
from hegemon.play.events import Event
from hegemon.play.serialization import event_from_dict, result_from_dict
from hegemon.rules.view import View

Facts = Mapping[str, Any]

_TAKEN_BACK: Final = "taken_back"


@dataclass(frozen=True)
class Choice:
    """A word on offer, and what it would do now."""

    word: str
    meaning: str


@dataclass(frozen=True)
class Sitter:
    """Who sits on a seat."""

    seat: int
    name: str
    bot: str | None
    open: bool
    """Whether nobody sits there yet, or any more."""
    stand_in: bool
    """Whether a bot answers for whoever holds the seat, and is away."""
    until: datetime | None
    """When the time of the seat is up, while it is asked and there is a clock."""


@dataclass(frozen=True)
class Look:
    """A table as one seat sees it, or somebody who only watches."""

    game: str
    seat: int | None
    """One's own seat; None for somebody who watches."""
    number: int
    """How many entries have been made: the number that a word answers."""
    waits: bool
    """Whether somebody has still to come; nobody sees a hand before."""
    seats: tuple[Sitter, ...]
    line: str
    """What is to be seen, as one line."""
    question: str
    choices: tuple[Choice, ...]
    asked: tuple[int, ...]
    """The seats that may choose now."""
    undo: bool
    """Whether one's last word can be taken back."""
    result: Result | None
    following: str | None
    """The game that was laid after this one for the same people, if anybody asked for another."""

    @cached_property
    def view(self) -> View:
        """What is to be seen."""
        return read_view(self.line)

    @property
    def words(self) -> tuple[str, ...]:
        """The words on offer."""
        return tuple(choice.word for choice in self.choices)

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names, by seat."""
        return tuple(sitter.name for sitter in self.seats)

    @property
    def stood_in(self) -> bool:
        """Whether a bot answers for one's own seat."""
        return self.seat is not None and self.seats[self.seat].stand_in


@dataclass(frozen=True)
class Entry:
    """What one entry did, as one's own seat saw it; entry 0 is the deal."""

    number: int
    events: tuple[Event, ...]
    taken_back: int | None = None
    """The number of the entry that no longer counts, where a word was taken back."""


@dataclass(frozen=True)
class Spoken:
    """Something that was said at the table besides the game. Nothing said binds anybody."""

    number: int
    at: datetime
    seat: int | None
    """The seat that said it; None is somebody who looks on."""
    name: str
    sentence: str
    phrase: str
    about: int | None
    domain: str


News = Entry | Spoken


def read_sitter(facts: Facts) -> Sitter:
    """Somebody on a seat, from the facts of a server."""
    return Sitter(
        seat=facts["seat"] - 1,
        name=facts["name"],
        bot=facts["bot"],
        open=facts["open"],
        stand_in=facts["substitute"],
        until=_moment(facts["until"]),
    )


def read_look(facts: Facts) -> Look:
    """A table, from the facts of a server."""
    return Look(
        game=facts["game"],
        seat=_seat(facts["seat"]),
        number=facts["version"],
        waits=facts["is_waiting"],
        seats=tuple(read_sitter(sitter) for sitter in facts["seats"]),
        line=facts["view"],
        question=facts["question"],
        choices=tuple(Choice(choice["choice"], choice["meaning"]) for choice in facts["choices"]),
        asked=tuple(seat - 1 for seat in facts["to_move"]),
        undo=facts["undo"],
        result=result_from_dict(facts["result"]) if facts["result"] is not None else None,
        following=facts["next_game"],
    )


def read_entry(facts: Facts) -> Entry:
    """An entry, from the facts of a server."""
    events = facts["events"]
    if len(events) == 1 and events[0]["event"] == _TAKEN_BACK:
        return Entry(facts["version"], (), events[0]["version"])
    return Entry(facts["version"], tuple(event_from_dict(event) for event in events))


def read_spoken(facts: Facts) -> Spoken:
    """Something that was said, from the facts of a server."""
    return Spoken(
        number=facts["number"],
        at=datetime.fromisoformat(facts["at"]),
        seat=_seat(facts["seat"]),
        name=facts["name"],
        sentence=facts["sentence"],
        phrase=facts["phrase"],
        about=_seat(facts["about"]),
        domain=facts["domain"],
    )


def _seat(number: int | None) -> int | None:
    return number - 1 if number is not None else None


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text is not None else None
