"""The tables of tournaments, their entries, rounds and pairings."""

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
    true,
)  # fmt: skip

from hegemon.server.db.schema import metadata, time_column


def _tournament_key() -> Column[Any]:
    return Column("tournament", ForeignKey("tournaments.id", ondelete="CASCADE"), primary_key=True)


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
    time_column("created_at"),
    time_column("starts_at", nullable=True),
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
    time_column("started_at"),
    time_column("ended_at", nullable=True),
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
