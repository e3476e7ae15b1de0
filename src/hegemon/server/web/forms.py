"""The fields of all forms, which Litestar parses and validates. A field that a form omits has its default."""

from dataclasses import dataclass
from typing import Final

from hegemon.server.texts import COLORS

#: The maximum number of digits: our numbers are short, and Python refuses to parse thousands of digits.
_MAX_DIGITS: Final = 9


def read_number(text: str) -> int | None:
    """The number in a field; None if the field is empty or, in a forged form, not a number."""
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
    """One field for each card; a form with a single card does not send a list."""

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
class PlanForm(SeatForm):
    """A prepared turn and its condition, or one to delete."""

    line: str = ""
    unchanged: str = ""
    when: str = ""
    """The number of a seat and the letter of a Domain, as in 2M; empty for none."""
    plan: str = ""

    @property
    def other(self) -> int | None:
        number = read_number(self.when[:1])
        return number - 1 if number is not None else None

    @property
    def domain(self) -> str:
        return self.when[1:]


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
class ReportForm(SeatForm):
    what: str = ""
    comment: str = ""


@dataclass(frozen=True)
class HostForm:
    token: str = ""


@dataclass(frozen=True)
class ModerationForm:
    """An action of the host, its target, and the section of the page to return to."""

    action: str
    report: str = ""
    game: str = ""
    seat: str = ""
    mute: str = ""
    pattern: str = ""
    back: str = ""


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
class ProfileForm(PlayerForm):
    public: str = ""


@dataclass(frozen=True)
class BotForm:
    bot: str = ""


@dataclass(frozen=True)
class ReplayForm:
    """A moment of a finished game, and a seat: the perspective, or the seat that plays on from there."""

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
    """A personal link, the owner whose key it replaces in this browser (from the confirmation page), and the action."""

    key: str = ""
    replaces: str = ""
    do: str = ""
    """`merge`: bring the games of this browser along."""


@dataclass(frozen=True)
class NewKeyForm:
    """A new key, and the owner whose key it replaces on the server."""

    new_key: str = ""
    owner: str = ""


@dataclass(frozen=True)
class VacationForm:
    """The first and the last day, as in 2030-08-01."""

    first: str = ""
    last: str = ""


@dataclass(frozen=True)
class CalendarForm:
    wanted: str = ""


@dataclass(frozen=True)
class PasskeyForm:
    """The response of an authenticator as JSON, or the new name of a passkey."""

    answer: str = ""
    name: str = ""


@dataclass(frozen=True)
class CodeForm:
    code: str = ""


@dataclass(frozen=True)
class ArrivalForm:
    """How a browser that already has games signs in: it may `merge` or `leave` them, or `stay` as it is."""

    do: str = ""


@dataclass(frozen=True)
class RatingForm:
    wanted: str = ""
    name: str = ""


@dataclass(frozen=True)
class DailyForm:
    """The name for the table of results; empty for none."""

    name: str = ""


@dataclass(frozen=True)
class TournamentForm:
    """A new tournament; the kind is a format and the players at a table, such as `swiss-2`."""

    title: str = ""
    kind: str = "swiss-2"
    rounds: str = "5"
    variant: str = "basic"
    clock: str = "5m a game + 10s"
    pause: str = "60"
    starts: str = ""
    bot: str = "normal"
    public: str = ""


@dataclass(frozen=True)
class EntryForm:
    """The number of an entry in a tournament."""

    number: str = ""


@dataclass(frozen=True)
class PuzzleForm(ChoiceForm):
    """A choice in a puzzle after some moves."""

    moves: str = ""


@dataclass(frozen=True)
class ArrangeForm:
    """A position in notation, and a change of it: by a button, or by the fields of the table."""

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
    """A moment of a study, and the version that the visitor has seen."""

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


@dataclass(frozen=True)
class SubscriptionForm:
    """A browser's subscription to notices."""

    endpoint: str = ""
    public_key: str = ""
    secret: str = ""
    kinds: str | None = None
    """None leaves the device's kinds unchanged; a new device begins with all."""
    replaces: str = ""
    """The previous endpoint, if the browser has changed it automatically."""


@dataclass(frozen=True)
class KindsForm:
    """The notices that a device shows."""

    turn: str = ""
    begins: str = ""
    reminder: str = ""
