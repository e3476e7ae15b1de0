"""The tables of tournaments, their entries, rounds and pairings, and their rows as values."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

import msgspec
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
    true,
)  # fmt: skip

from hegemon.server.db.schema import metadata

#: The states of a tournament.
OPEN: Final = "open"
RUNNING: Final = "running"
OVER: Final = "over"


def _tournament_key() -> Column[Any]:
    return Column("tournament", ForeignKey("tournaments.id", ondelete="CASCADE"), primary_key=True)


def _time(name: str, *, nullable: bool = False) -> Column[datetime]:
    return Column(name, DateTime(timezone=True), nullable=nullable)


tournaments: Final = Table(
    "tournaments",
    metadata,
    Column("id", String(22), primary_key=True),
    Column("host", String(64), nullable=True, index=True),
    Column("title", String(60), nullable=False),
    Column("format", String(12), nullable=False),
    Column("players", Integer, nullable=False),
    Column("variant", String(8), nullable=False),
    Column("rounds", Integer, nullable=False),
    Column("clock", String(30), nullable=False),
    Column("pause", Integer, nullable=False),
    Column("bot", String(40), nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("public", Boolean, nullable=False),
    Column("league", String(8), nullable=True, unique=True),
    Column("language", String(8), nullable=False),
    _time("created_at"),
    _time("starts_at", nullable=True),
    Column("state", String(8), nullable=False, index=True),
    Column("revision", Integer, nullable=False),
)

_PUBLIC: Final = tournaments.c.public == true()  # as SQLite gets it in queries
Index("ix_tournaments_public", tournaments.c.created_at, sqlite_where=_PUBLIC, postgresql_where=_PUBLIC)

tournament_entries: Final = Table(
    "tournament_entries",
    metadata,
    _tournament_key(),
    Column("number", Integer, primary_key=True),
    Column("owner", String(64), nullable=True, index=True),
    Column("bot", String(40), nullable=True),
    Column("name", String(24), nullable=False),
    Column("withdrawn", Boolean, nullable=False),
    UniqueConstraint("tournament", "owner"),
)

tournament_rounds: Final = Table(
    "tournament_rounds",
    metadata,
    _tournament_key(),
    Column("number", Integer, primary_key=True),
    _time("started_at"),
    _time("ended_at", nullable=True),
    Column("deal", Text, nullable=False),
)

pairings: Final = Table(
    "pairings",
    metadata,
    _tournament_key(),
    Column("round", Integer, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("entries", String(40), nullable=False),
    Column("game", String(22), nullable=True, unique=True),
    Column("outcome", Text, nullable=True),
)


class Outcome(msgspec.Struct, frozen=True):
    """The result of a game of a tournament, by seat."""

    winners: tuple[int, ...]
    scores: tuple[int, ...]
    """A win counts ten, and a majority in a Domain one."""


@dataclass(frozen=True)
class Tournament:
    id: str
    host: str | None
    title: str
    format: str
    players: int
    """The number of players at each table."""
    variant: str
    rounds: int
    clock: str
    pause: int
    """Seconds between two rounds."""
    bot: str
    """The level of the bots that fill the remaining places."""
    seed: int
    """The seed of the draw."""
    created_at: datetime
    public: bool = False
    league: str | None = None
    """The week of the league, such as `2030-W01`."""
    language: str = ""
    starts_at: datetime | None = None
    """None if the host starts it."""
    state: str = OPEN
    revision: int = 0
    """The number of changes so far."""


@dataclass(frozen=True)
class Entry:
    number: int
    name: str
    owner: str | None = None
    bot: str | None = None
    withdrawn: bool = False


@dataclass(frozen=True)
class Round:
    number: int
    started_at: datetime
    ended_at: datetime | None = None
    deal: str = ""
    """The record of the deal that all tables play; empty if each has its own."""


@dataclass(frozen=True)
class Pairing:
    """The entries at a table of a round, by seat; one alone has a bye."""

    round: int
    number: int
    entries: tuple[int, ...]
    game: str | None = None
    outcome: Outcome | None = None
    has_table: bool = False
    """Whether the table of the game exists: it is created after the pairing is saved, and may expire."""
    is_withheld: bool = False
    """Whether the game is over but its outcome is not public yet."""

    @property
    def table(self) -> str | None:
        """The game, if its table can be viewed."""
        return self.game if self.has_table else None

    @property
    def is_bye(self) -> bool:
        return len(self.entries) == 1

    @property
    def is_open(self) -> bool:
        """Whether its game is not over."""
        return not self.is_bye and self.outcome is None and not self.is_withheld


@dataclass(frozen=True)
class Field:
    """A tournament with everything that is saved about it."""

    tournament: Tournament
    entries: tuple[Entry, ...]
    rounds: tuple[Round, ...]
    pairings: tuple[Pairing, ...]

    def entry_of(self, owner: str | None) -> Entry | None:
        return next((entry for entry in self.entries if owner is not None and entry.owner == owner), None)

    @property
    def current(self) -> Round | None:
        """The round that is played, or was played last."""
        return self.rounds[-1] if self.rounds else None

    def pairings_of(self, number: int) -> list[Pairing]:
        return [pairing for pairing in self.pairings if pairing.round == number]

    def games_of(self, owner: str | None) -> list[Pairing]:
        """The games that a person has to play now."""
        entry = self.entry_of(owner)
        if entry is None or entry.withdrawn:
            return []
        return [
            pairing
            for pairing in self.pairings
            if entry.number in pairing.entries and pairing.is_open and pairing.has_table
        ]

    def as_told(self) -> "Field":
        """The public state of the tournament, without outcomes that reveal a deal still being played."""
        sealed = {found.number for found in self.rounds if found.deal and found.ended_at is None}
        return replace(
            self,
            pairings=tuple(
                replace(pairing, outcome=None, is_withheld=True)
                if pairing.round in sealed and pairing.outcome is not None
                else pairing
                for pairing in self.pairings
            ),
        )
