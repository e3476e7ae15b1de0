"""The rows of the tables in `schema`, as values."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any, Final

from hegemon.server.db.options import DEFAULT_OPTIONS, TableOptions

#: The choice of a MoveRow that undoes the seat's last move.
UNDO: Final = "undo"

#: The prefixes of the lines of a record that lists of games read; each field is on a separate line.
_LISTED_FIELDS: Final = ("players =", "variant =", "teams =")


@dataclass(frozen=True)
class SeatRow:
    """A seat: a bot's, a player's, open (with an invite), or empty."""

    bot: str | None
    """The level of the bot that the seat belongs to."""
    owner: str | None
    """The digest of the player's token."""
    name: str | None = None
    """None if the name in the record still applies."""
    color: int | None = None
    """None for the default color of the seat."""
    invite: str | None = None
    """The secret that gives access to the seat. It stays valid afterwards, so the same link leads back to it."""
    substitute: str | None = None
    """The level of the bot that plays for an absent player."""

    @property
    def is_open(self) -> bool:
        return self.bot is None and self.owner is None and self.invite is not None

    @property
    def is_empty(self) -> bool:
        """Whether the seat has no player and cannot be taken: a former player's, or one of an imported game."""
        return self.bot is None and self.owner is None and self.invite is None

    @property
    def acting_bot(self) -> str | None:
        """The level of the bot that plays the seat now, as its own or as a substitute; None if a person does."""
        return self.bot or self.substitute

    def same_occupant(self, other: "SeatRow") -> bool:
        """Whether the same player or bot plays, regardless of name and color."""
        return (self.bot, self.owner, self.substitute) == (other.bot, other.owner, other.substitute)


@dataclass(frozen=True)
class MoveRow:
    """A move, or an undo. The row of an undone move remains; the undo is another row."""

    version: int
    seat: int
    choice: str
    """Several cards that are chosen together are one choice, such as `M,R`."""
    idempotency_key: str | None = None
    created_at: datetime | None = field(default=None, compare=False)
    """None for the current time."""


@dataclass(frozen=True)
class Substitution:
    """A substitute bot takes over a seat, or its player returns."""

    number: int
    created_at: datetime
    version: int
    seat: int
    reason: str
    """`clock`: out of time; `vote`: voted out by the others; `resigned`: has resigned; `left`: has withdrawn from the
    tournament; `back`: the player has returned."""


@dataclass(frozen=True)
class MessageRow:
    """A chat message: a phrase with its seat or Domain, or a text."""

    number: int
    created_at: datetime
    seat: int | None
    """None for a spectator; only spectators see such messages until the game is over."""
    author: str
    """The digest of the author's token."""
    name: str = ""
    """The name of a spectator; a seat has the name of its player."""
    phrase: str = ""
    target: int | None = None
    """The seat that a phrase names."""
    domain: str = ""
    """The Domain that a phrase names, by its letter."""
    text: str = ""
    idempotency_key: str | None = None
    """A key that no other message of the author at this table has."""


@dataclass(frozen=True)
class GameRow:
    """A game with its seats, moves, substitutions and latest messages."""

    id: str
    record: str
    """The record without its moves."""
    seats: tuple[SeatRow, ...]
    moves: tuple[MoveRow, ...]
    updated_at: datetime
    finished: bool
    messages: tuple[MessageRow, ...] = ()
    started_at: datetime | None = None
    """When the clocks were started."""
    substitutions: tuple[Substitution, ...] = ()
    host: str | None = None
    """The digest of the token that created the table."""
    options: TableOptions = DEFAULT_OPTIONS
    public: bool = False
    rated: bool = False
    """Whether the ratings have been updated after this game."""
    counted: bool = False
    """Whether its results have been saved."""
    previous_game: str | None = None
    next_game: str | None = None
    """The rematch."""
    closed: bool = False
    """Whether the host of the server has closed the table."""
    revisions: Mapping[str, int] = field(default_factory=dict)
    """The last transactions of other workers that had changed the game before it was loaded."""


@dataclass(frozen=True)
class GameUpdate:
    """The parts of a `GameRow` that can change, with the moves after a version."""

    seats: tuple[SeatRow, ...]
    moves: tuple[MoveRow, ...]
    messages: tuple[MessageRow, ...]
    started_at: datetime | None
    substitutions: tuple[Substitution, ...]
    host: str | None
    public: bool
    rated: bool
    counted: bool
    next_game: str | None
    closed: bool
    revisions: Mapping[str, int]


@dataclass(frozen=True)
class Summary:
    """A game in a list of games."""

    id: str
    record: str
    updated_at: datetime
    finished: bool
    options: TableOptions
    seats: tuple[SeatRow, ...]

    @cached_property
    def recorded(self) -> dict[str, Any]:
        """The fields of the record that lists show; parsing the others would take longer."""
        lines = self.record.split("\n")
        return tomllib.loads("\n".join(line for line in lines if line.startswith(_LISTED_FIELDS)))

    @property
    def is_readable(self) -> bool:
        """Whether a list can show the game; a damaged one must not prevent the others from being listed."""
        try:
            return {"variant", "teams"} <= self.recorded.keys() and len(self.names) > 0
        except (KeyError, TypeError, ValueError):
            return False

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(
            seat.name or name for seat, name in zip(self.seats, self.recorded["players"], strict=True)
        )


@dataclass(frozen=True)
class RatedPlayer:
    """A player with a rating: mean, uncertainty and number of games."""

    owner: str
    name: str
    mu: float
    sigma: float
    games: int


@dataclass(frozen=True)
class StudyRow:
    """A study, and the digest of its owner's token."""

    id: str
    owner: str
    title: str
    record: str
    version: int
    updated_at: datetime


@dataclass(frozen=True)
class PuzzleRating:
    """The rating of a puzzle, by the first attempts at it."""

    puzzle: str
    mu: float
    sigma: float
    attempts: int = 0
    solved: int = 0


@dataclass(frozen=True)
class Solver:
    """A person who solves puzzles: the rating from first attempts, and current streaks."""

    owner: str
    mu: float
    sigma: float
    attempts: int = 0
    solved: int = 0
    row: int = 0
    """The number of consecutive puzzles solved at the first attempt."""
    best_row: int = 0
    day: date | None = None
    """The last day whose puzzle was solved."""
    days: int = 0
    """The number of consecutive days up to and including that one."""
    best_days: int = 0


@dataclass(frozen=True)
class Webhook:
    """The webhook of a table, and how the last attempt went."""

    url: str
    secret: str
    """The key of the signatures."""
    base_url: str
    """The base of links to this server."""
    attempted_at: datetime | None = None
    status: int | None = None
    """The HTTP status of the response; None if there was none."""
    failure: str = ""
    """A key of WEBHOOK_REJECTIONS; empty after success."""
    retry_at: datetime | None = None
    """None after success, and after the last attempt."""


@dataclass(frozen=True)
class OutboxItem:
    """A notification to send."""

    game: str
    key: str
    body: str
    attempts: int
    webhook: Webhook

    @property
    def id(self) -> str:
        """The delivery id, by which a receiver recognizes duplicates."""
        return f"{self.game}.{self.key}"

    @property
    def url(self) -> str:
        return self.webhook.url


@dataclass(frozen=True)
class DailyDeal:
    """The deal of a day, which is the same for everyone."""

    date: date
    record: str
    """The record without its moves."""
    bots: tuple[str | None, ...]
    """The level of the bot on each seat; None for the person's."""
    seed: int
    """The seed of the bots."""


@dataclass(frozen=True)
class DailyEntry:
    """A person's entry for the deal of a day; each person plays a deal once."""

    date: date
    owner: str
    game: str
    name: str
    """The name in the table of results; empty for none."""
    deadline: datetime
    """A game that ends later does not count."""


@dataclass(frozen=True)
class ResultRow:
    """The result of a person in a finished game."""

    game: str
    seat: int
    owner: str
    finished_at: datetime
    players: int
    variant: str
    teams: bool
    level: str
    """The level of the strongest bot among the opponents; empty if another person played."""
    ending: str
    """The name of the `Ending`, in lower case."""
    won: bool
    domain: int | None
    """The Domain of a Hegemony."""
    opening: int | None
    """The Domain of the first card that the person played."""
    score: int
    turns: int
    """The number of turns of the person."""
    accuracy: float | None = None
    """From 0 to 1, from the analysis of the game, if there is one."""
    name: str = ""
    """The name of the person in that game; empty for results from before names were saved."""
    mu: float | None = None
    sigma: float | None = None
    """The person's rating after a rated game; None for any other game, and for people without a rating."""


def in_utc(moment: datetime) -> datetime:
    """Restore the time zone, which SQLite drops."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def in_utc_or_none(moment: datetime | None) -> datetime | None:
    return in_utc(moment) if moment is not None else None
