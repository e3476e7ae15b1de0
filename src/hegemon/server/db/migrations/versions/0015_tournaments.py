"""Tournaments with their entries, rounds and pairings."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def _tournament_key() -> sa.Column[str]:
    return sa.Column(
        "tournament", sa.String(22), sa.ForeignKey("tournaments.id", ondelete="CASCADE"), primary_key=True
    )


def upgrade() -> None:
    op.create_table(
        "tournaments",
        sa.Column("id", sa.String(22), primary_key=True),
        sa.Column("host", sa.String(64), nullable=True, index=True),
        sa.Column("title", sa.String(60), nullable=False),
        sa.Column("format", sa.String(12), nullable=False),
        sa.Column("players", sa.Integer, nullable=False),
        sa.Column("variant", sa.String(8), nullable=False),
        sa.Column("rounds", sa.Integer, nullable=False),
        sa.Column("clock", sa.String(30), nullable=False),
        sa.Column("pause", sa.Integer, nullable=False),
        sa.Column("bot", sa.String(40), nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("public", sa.Boolean, nullable=False),
        sa.Column("league", sa.String(8), nullable=True, unique=True),
        sa.Column("language", sa.String(8), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("starts_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("state", sa.String(8), nullable=False, index=True),
        sa.Column("revision", sa.Integer, nullable=False),
    )
    op.create_table(
        "tournament_entries",
        _tournament_key(),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("owner", sa.String(64), nullable=True, index=True),
        sa.Column("bot", sa.String(40), nullable=True),
        sa.Column("name", sa.String(24), nullable=False),
        sa.Column("withdrawn", sa.Boolean, nullable=False),
        sa.UniqueConstraint("tournament", "owner"),
    )
    op.create_table(
        "tournament_rounds",
        _tournament_key(),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deal", sa.Text, nullable=False),
    )
    op.create_table(
        "pairings",
        _tournament_key(),
        sa.Column("round", sa.Integer, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("entries", sa.String(40), nullable=False),
        sa.Column("game", sa.String(22), nullable=True, unique=True),
        sa.Column("outcome", sa.Text, nullable=True),
    )


def downgrade() -> None:
    for table in ("pairings", "tournament_rounds", "tournament_entries", "tournaments"):
        op.drop_table(table)
