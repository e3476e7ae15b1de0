"""The fields of every form; Litestar reads and validates them. A field that a form leaves out has its default."""

from dataclasses import dataclass
from typing import Final

from hegemon.server.texts import COLORS

#: Python reads no number of several thousand digits, and ours are short.
_MAX_DIGITS: Final = 9


def read_number(text: str) -> int | None:
    """A field that may be empty as a number; None for anything else, which no form of ours sends."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS else None


@dataclass(frozen=True)
class NewGameForm:
    """The options of a new game; without any seat it is a quick game against two bots."""

    seat1: str | None = None
    seat2: str | None = None
    seat3: str | None = None
    seat4: str | None = None
    name1: str = ""
    name2: str = ""
    name3: str = ""
    name4: str = ""
    variant: str = "basic"
    teams: str = ""
    rulings: str = ""
    clock: str = ""
    hands: str = "0"
    public: str = ""
    rated: str = ""

    @property
    def seats(self) -> tuple[str | None, ...]:
        return self.seat1, self.seat2, self.seat3, self.seat4

    @property
    def names(self) -> tuple[str, ...]:
        return self.name1, self.name2, self.name3, self.name4


@dataclass(frozen=True)
class ChoiceForm:
    """A choice, or without one the cards that were marked."""

    choice: str = ""
    card: list[str] | str = ""
    """One field for each card; a form with a single one sends no list."""

    @property
    def cards(self) -> list[str]:
        return self.card if isinstance(self.card, list) else [self.card] if self.card else []

    @property
    def chosen(self) -> str | list[str]:
        return self.choice or self.cards


@dataclass(frozen=True, kw_only=True)
class MoveForm(ChoiceForm):
    version: int
    idempotency_key: str
    seat: int


@dataclass(frozen=True)
class HintForm:
    step: int
    version: int
    seat: int


@dataclass(frozen=True)
class SeatForm:
    """The seat for which a visitor acts; empty for a spectator."""

    seat: str = ""


@dataclass(frozen=True)
class MessageForm(SeatForm):
    phrase: str = ""
    about: str = ""
    domain: str = ""
    text: str = ""
    name: str = ""


@dataclass(frozen=True)
class MuteForm(SeatForm):
    voice: str = ""


@dataclass(frozen=True)
class VoteForm(SeatForm):
    about: str = ""


@dataclass(frozen=True)
class PlayerForm:
    name: str = ""
    color: str = ""

    @property
    def color_number(self) -> int | None:
        number = read_number(self.color)
        return number if number in range(len(COLORS)) else None


@dataclass(frozen=True)
class BotForm:
    bot: str = ""


@dataclass(frozen=True)
class ReplayForm:
    """A moment of a finished game, and whose it is: the perspective, or the seat that plays on from there."""

    at: int
    seat: int


@dataclass(frozen=True)
class PlayOnForm(ReplayForm):
    """A moment to play on from, and the bot of the other seats."""

    bot: str = ""


@dataclass(frozen=True)
class WebhookForm:
    url: str = ""


@dataclass(frozen=True)
class KeyForm:
    """A personal link, and the owner whose key it replaces in this browser, from the page that asks."""

    key: str = ""
    replaces: str = ""


@dataclass(frozen=True)
class NewKeyForm:
    """A new key, and the owner whose key it replaces on the server."""

    new_key: str = ""
    owner: str = ""


@dataclass(frozen=True)
class RatingForm:
    wanted: str = ""
    name: str = ""


@dataclass(frozen=True)
class DailyForm:
    """The name for the table of results; empty for none."""

    name: str = ""


@dataclass(frozen=True)
class PuzzleForm(ChoiceForm):
    """A choice in a puzzle after some moves."""

    moves: str = ""


@dataclass(frozen=True)
class ArrangeForm:
    """A line, and what is changed in it: by a button, or by the fields of the table."""

    position: str = ""
    tool: str = ""
    put: str = ""
    take: str = ""
    players: str = ""
    seat: str = ""
    step: str = ""
    used: str | None = None
    asked: str | None = None
    coin: str | None = None
    round: str | None = None
    rulings: str = ""
    teams: str = ""
    fill: str = ""


@dataclass(frozen=True)
class NewStudyForm:
    """A position, or a finished game and the moment to begin at."""

    position: str = ""
    game: str = ""
    at: int = 0


@dataclass(frozen=True, kw_only=True)
class MomentForm:
    """A moment of a study in the version that was seen."""

    at: int
    version: int
    closed: str = ""


@dataclass(frozen=True, kw_only=True)
class StudyMoveForm(MomentForm, ChoiceForm):
    pass


@dataclass(frozen=True, kw_only=True)
class NoteForm(MomentForm):
    title: str = ""
    comment: str = ""


@dataclass(frozen=True, kw_only=True)
class LineForm(MomentForm):
    do: str


@dataclass(frozen=True)
class ThinkForm:
    at: int = 0
    how: str = ""
    closed: str = ""


@dataclass(frozen=True)
class SettingsForm:
    back: str = "/"
    language: str = ""
    theme: str = ""
    animation_speed: str = ""
    sound: str = ""
    confirm: str = ""
    passing: str = ""
    memory: str = ""
