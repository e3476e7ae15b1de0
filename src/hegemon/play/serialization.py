"""Events and results as JSON-ready dictionaries, and back. Seats count from 1, as in the notation."""

import dataclasses
import re
from enum import Enum
from typing import Any, Final, TypedDict

from hegemon.notation.record import Result
from hegemon.play.events import Event
from hegemon.rules.actions import Effect
from hegemon.rules.cards import Domain
from hegemon.rules.position import Ending

#: The fields that name a seat.
_SEATS: Final = ("seat", "target", "copied_from")
_ENUMS: Final[dict[str, type[Enum]]] = {"effect": Effect, "domain": Domain, "ending": Ending}


def event_name(kind: type[Event]) -> str:
    """The name of an event in JSON: `TurnBegan` is `turn_began`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


_KINDS: Final = {event_name(kind): kind for kind in Event.__subclasses__()}
_NAMES: Final = {kind: name for name, kind in _KINDS.items()}


def event_to_dict(event: Event) -> dict[str, Any]:
    facts = {
        field.name: _plain(field.name, getattr(event, field.name)) for field in dataclasses.fields(event)
    }
    return {"event": _NAMES[type(event)], **facts}


def _plain(name: str, value: Any) -> Any:
    match value:
        case Result():
            return result_to_dict(value)
        case Enum():
            return value.name.lower()
        case int() if name in _SEATS:
            return value + 1
        case tuple():
            return [_plain("", item) for item in value]
    return value


class ResultData(TypedDict):
    """How a game ended, and which seats won; a Hegemony names its Domain."""

    ending: str
    winners: list[int]
    domain: str | None


def result_to_dict(result: Result | None) -> ResultData | None:
    if result is None:
        return None
    return {
        "ending": _plain("ending", result.ending),
        "winners": [seat + 1 for seat in result.winners],
        "domain": _plain("domain", result.domain),
    }


def event_from_dict(facts: dict[str, Any]) -> Event:
    kind = _KINDS[facts["event"]]
    return kind(**{name: _read(name, value) for name, value in facts.items() if name != "event"})


def _read(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name in _SEATS:
        return value - 1
    if name in _ENUMS:
        return _ENUMS[name][value.upper()]
    if isinstance(value, list):
        return tuple(_read("", item) for item in value)
    return result_from_dict(value) if name == "result" else value


def result_from_dict(facts: dict[str, Any]) -> Result:
    winners = tuple(seat - 1 for seat in facts["winners"])
    return Result(_read("ending", facts["ending"]), winners, _read("domain", facts["domain"]))
