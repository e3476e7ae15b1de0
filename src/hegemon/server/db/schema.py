"""The tables that several modules use; others, such as `plans`, are defined in their own modules."""

from datetime import datetime
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
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
)

#: The revision of the last migration.
SCHEMA_REVISION: Final = "0028"

metadata: Final = MetaData()

#: Two bytes instead of four in PostgreSQL, for tables whose rows outlive a game; SQLite always uses as few as possible.
_SMALL: Final = Integer().with_variant(SmallInteger(), "postgresql")


def game_key() -> Column[Any]:
    """The primary key, or a part of it, of a table whose rows are deleted together with their game."""
    return Column("game", ForeignKey("games.id", ondelete="CASCADE"), primary_key=True)


def time_column(name: str, *, nullable: bool = False, index: bool = False) -> Column[datetime]:
    return Column(name, DateTime(timezone=True), nullable=nullable, index=index)


games: Final = Table(
    "games",
    metadata,
    Column("id", String(22), primary_key=True),
    time_column("created_at"),
    time_column("updated_at", index=True),
    Column("record", Text, nullable=False),
    Column("finished", Boolean, nullable=False),
    time_column("started_at", nullable=True),
    Column("host", String(64), nullable=True, index=True),
    Column("options", Text, nullable=False, server_default="{}"),
    Column("public", Boolean, nullable=False, server_default=false()),
    Column("rated", Boolean, nullable=False, server_default=false()),
    Column("previous_game", String(22), nullable=True),
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

_REMATCH: Final = games.c.previous_game.is_not(None)
Index(
    "ix_games_previous_game",
    games.c.previous_game,
    unique=True,
    sqlite_where=_REMATCH,
    postgresql_where=_REMATCH,
)

seats: Final = Table(
    "seats",
    metadata,
    game_key(),
    Column("seat", _SMALL, primary_key=True),
    Column("bot", String(40), nullable=True),
    Column("owner", String(64), nullable=True, index=True),
    Column("name", String(24), nullable=True),
    Column("color", _SMALL, nullable=True),
    Column("invite", String(22), nullable=True),
    Column("substitute", String(40), nullable=True),
    Column("hidden", Boolean, nullable=False, server_default=false()),  # from the lists of its owner
)

_INVITED: Final = seats.c.invite.is_not(None)
Index("ix_seats_invite", seats.c.invite, unique=True, sqlite_where=_INVITED, postgresql_where=_INVITED)

moves: Final = Table(
    "moves",
    metadata,
    game_key(),
    Column("version", Integer, primary_key=True),
    Column("seat", Integer, nullable=False),
    Column("choice", String(255), nullable=False),
    Column("idempotency_key", String(64), nullable=True),
    time_column("created_at"),
    UniqueConstraint("game", "idempotency_key"),
)

messages: Final = Table(
    "messages",
    metadata,
    game_key(),
    Column("number", Integer, primary_key=True),
    time_column("created_at"),
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
    game_key(),
    Column("number", Integer, primary_key=True),
    time_column("created_at"),
    Column("version", Integer, nullable=False),
    Column("seat", Integer, nullable=False),
    Column("reason", String(8), nullable=False),
)

analyses: Final = Table("analyses", metadata, game_key(), Column("analysis", Text, nullable=False))

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
    game_key(),
    Column("url", Text, nullable=False),
    Column("secret", String(64), nullable=False),
    Column("base_url", Text, nullable=False),
    time_column("attempted_at", nullable=True),
    Column("status", Integer, nullable=True),
    Column("failure", String(16), nullable=False),
    time_column("retry_at", nullable=True),
)

outbox: Final = Table(
    "outbox",
    metadata,
    game_key(),
    Column("key", String(40), primary_key=True),
    Column("body", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    time_column("due_at", nullable=True, index=True),
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
    time_column("deadline"),
)

# No foreign key: results outlive their games, which may expire.
results: Final = Table(
    "results",
    metadata,
    Column("game", String(22), primary_key=True),
    Column("seat", _SMALL, primary_key=True),
    Column("owner", String(64), nullable=False),
    time_column("finished_at"),
    Column("players", _SMALL, nullable=False),
    Column("variant", String(8), nullable=False),
    Column("teams", Boolean, nullable=False),
    Column("level", String(40), nullable=False),
    Column("ending", String(8), nullable=False),
    Column("won", Boolean, nullable=False),
    Column("domain", _SMALL, nullable=True),
    Column("opening", _SMALL, nullable=True),
    Column("score", _SMALL, nullable=False),
    Column("turns", _SMALL, nullable=False),
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
    time_column("created_at"),
    time_column("updated_at", index=True),
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
    time_column("seen_at", index=True),
)

puzzle_attempts: Final = Table(
    "puzzle_attempts",
    metadata,
    Column("owner", String(64), primary_key=True),
    Column("puzzle", String(16), primary_key=True),
    Column("outcome", String(8), nullable=False),
)
