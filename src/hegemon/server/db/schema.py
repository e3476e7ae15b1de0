"""The schema of the database, and its rows."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    DateTime,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
)

from hegemon.server.db.options import TableOptions

#: The revision of the last migration.
SCHEMA_REVISION: Final = "0027"

#: The choice of a MoveRow that undoes the seat's last move.
UNDO: Final = "undo"

DEFAULT_OPTIONS: Final = TableOptions()

metadata: Final = MetaData()


def _game_key() -> Column[Any]:
    return Column("game", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True)


def _time(name: str, *, nullable: bool = False, index: bool = False) -> Column[datetime]:
    return Column(name, DateTime(timezone=True), nullable=nullable, index=index)


games: Final = Table(
    "games",
    metadata,
    Column("id", String(22), primary_key=True),
    _time("created_at"),
    _time("updated_at", index=True),
    Column("record", Text, nullable=False),
    Column("finished", Boolean, nullable=False),
    _time("started_at", nullable=True),
    Column("host", String(64), nullable=True, index=True),
    Column("options", Text, nullable=False, server_default="{}"),
    Column("public", Boolean, nullable=False, server_default=false()),
    Column("rated", Boolean, nullable=False, server_default=false()),
    Column("previous_game", String(22), nullable=True, unique=True, index=True),
    Column("counted", Boolean, nullable=False, server_default=false()),
    Column("archived", Boolean, nullable=False, server_default=false()),
)

_UNCOUNTED: Final = games.c.finished & ~games.c.counted
Index("ix_games_uncounted", games.c.id, sqlite_where=_UNCOUNTED, postgresql_where=_UNCOUNTED)

_UNARCHIVED: Final = games.c.finished & ~games.c.archived
Index(
    "ix_games_unarchived",
    games.c.updated_at,
    games.c.id,
    sqlite_where=_UNARCHIVED,
    postgresql_where=_UNARCHIVED,
)

_RESULTS: Final = games.c.public & games.c.finished
Index("ix_games_results", games.c.updated_at, sqlite_where=_RESULTS, postgresql_where=_RESULTS)

_UNFINISHED: Final = ~games.c.finished
Index("ix_games_unfinished", games.c.updated_at, sqlite_where=_UNFINISHED, postgresql_where=_UNFINISHED)

seats: Final = Table(
    "seats",
    metadata,
    _game_key(),
    Column("seat", Integer, primary_key=True),
    Column("bot", String(40), nullable=True),
    Column("owner", String(64), nullable=True, index=True),
    Column("name", String(24), nullable=True),
    Column("color", Integer, nullable=True),
    Column("invite", String(22), nullable=True, unique=True, index=True),
    Column("substitute", String(40), nullable=True),
    Column("hidden", Boolean, nullable=False, server_default=false()),  # from the lists of its owner
)

moves: Final = Table(
    "moves",
    metadata,
    _game_key(),
    Column("version", Integer, primary_key=True),
    Column("seat", Integer, nullable=False),
    Column("choice", String(255), nullable=False),
    Column("idempotency_key", String(64), nullable=True),
    _time("created_at"),
    UniqueConstraint("game", "idempotency_key"),
)

messages: Final = Table(
    "messages",
    metadata,
    _game_key(),
    Column("number", Integer, primary_key=True),
    _time("created_at"),
    Column("seat", Integer, nullable=True),
    Column("author", String(64), nullable=False, index=True),
    Column("name", String(24), nullable=False),
    Column("phrase", String(16), nullable=False),
    Column("target", Integer, nullable=True),
    Column("domain", String(1), nullable=False),
    Column("text", Text, nullable=False),
    Column("idempotency_key", String(64), nullable=True),
    Index("ix_messages_key", "game", "author", "idempotency_key", unique=True),
)

substitutions: Final = Table(
    "substitutions",
    metadata,
    _game_key(),
    Column("number", Integer, primary_key=True),
    _time("created_at"),
    Column("version", Integer, nullable=False),
    Column("seat", Integer, nullable=False),
    Column("reason", String(8), nullable=False),
)

analyses: Final = Table("analyses", metadata, _game_key(), Column("analysis", Text, nullable=False))

players: Final = Table(
    "players",
    metadata,
    Column("owner", String(64), primary_key=True),
    Column("name", String(24), nullable=False),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("games", Integer, nullable=False),
)

webhooks: Final = Table(
    "webhooks",
    metadata,
    _game_key(),
    Column("url", Text, nullable=False),
    Column("secret", String(64), nullable=False),
    Column("base_url", Text, nullable=False),
    _time("attempted_at", nullable=True),
    Column("status", Integer, nullable=True),
    Column("failure", String(16), nullable=False),
    _time("retry_at", nullable=True),
)

outbox: Final = Table(
    "outbox",
    metadata,
    _game_key(),
    Column("key", String(40), primary_key=True),
    Column("body", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    _time("due_at", nullable=True, index=True),
)

daily_deals: Final = Table(
    "daily_deals",
    metadata,
    Column("date", Date, primary_key=True),
    Column("record", Text, nullable=False),
    Column("bots", String(160), nullable=False),
    Column("seed", BigInteger, nullable=False),
)

daily_entries: Final = Table(
    "daily_entries",
    metadata,
    Column("date", Date, primary_key=True),
    Column("owner", String(64), primary_key=True, index=True),
    Column("game", String(22), nullable=False, unique=True),
    Column("name", String(24), nullable=False),
    _time("deadline"),
)

# No foreign key: results outlive their games, which may expire.
results: Final = Table(
    "results",
    metadata,
    Column("game", String(22), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("owner", String(64), nullable=False),
    _time("finished_at"),
    Column("players", Integer, nullable=False),
    Column("variant", String(8), nullable=False),
    Column("teams", Boolean, nullable=False),
    Column("level", String(40), nullable=False),
    Column("ending", String(8), nullable=False),
    Column("won", Boolean, nullable=False),
    Column("domain", Integer, nullable=True),
    Column("opening", Integer, nullable=True),
    Column("score", Integer, nullable=False),
    Column("turns", Integer, nullable=False),
    Column("accuracy", Float, nullable=True),
    Column("name", String(24), nullable=False, server_default=""),
    Column("mu", Float, nullable=True),
    Column("sigma", Float, nullable=True),
    Index("ix_results_owner", "owner"),
)

studies: Final = Table(
    "studies",
    metadata,
    Column("id", String(22), primary_key=True),
    Column("owner", String(64), nullable=False, index=True),
    _time("created_at"),
    _time("updated_at", index=True),
    Column("version", Integer, nullable=False),
    Column("title", String(80), nullable=False),
    Column("record", Text, nullable=False),
)


puzzle_ratings: Final = Table(
    "puzzle_ratings",
    metadata,
    Column("puzzle", String(16), primary_key=True),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("solved", Integer, nullable=False),
)

solvers: Final = Table(
    "solvers",
    metadata,
    Column("owner", String(64), primary_key=True),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("solved", Integer, nullable=False),
    Column("row", Integer, nullable=False),
    Column("best_row", Integer, nullable=False),
    Column("day", Date, nullable=True),
    Column("days", Integer, nullable=False),
    Column("best_days", Integer, nullable=False),
    _time("seen_at", index=True),
)

puzzle_attempts: Final = Table(
    "puzzle_attempts",
    metadata,
    Column("owner", String(64), primary_key=True),
    Column("puzzle", String(16), primary_key=True),
    Column("outcome", String(8), nullable=False),
)


@dataclass(frozen=True)
class SeatRow:
    """A seat: a bot's, a player's, open (with an invite), or empty."""

    bot: str | None
    """The level of the bot that sits here."""
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
    def player(self) -> str | None:
        """The level of the bot that plays here now, as the owner of the seat or as a substitute."""
        return self.bot or self.substitute

    def same_occupant(self, other: "SeatRow") -> bool:
        """Whether the same player or bot plays, regardless of name and color."""
        return (self.bot, self.owner, self.substitute) == (other.bot, other.owner, other.substitute)


@dataclass(frozen=True)
class MoveRow:
    """A move, or an undo. An undone move is kept; the undo is a separate row."""

    version: int
    seat: int
    choice: str
    """Several cards that were chosen at once are one move, such as `M,R`."""
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
    """`clock`: out of time; `vote`: voted by the others; `back`: the player has returned."""


@dataclass(frozen=True)
class Message:
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
    messages: tuple[Message, ...] = ()
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
    """Whether the host of the server has closed the table for good."""
    revisions: Mapping[str, int] = field(default_factory=dict)
    """The last transactions of other workers that had changed the game before it was loaded."""


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
        """The fields of the record."""
        return tomllib.loads(self.record)

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
