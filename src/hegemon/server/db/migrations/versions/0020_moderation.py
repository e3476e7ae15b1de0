"""Reports, mutes, removals, closed tables, blocked names, and the token of the host."""

from datetime import datetime

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"

_TABLES = ("reports", "mutes", "removals", "closures", "blocked_names", "host_tokens")


def _time(name: str) -> "sa.Column[datetime]":
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False)


def _game() -> "sa.Column[str]":
    return sa.Column("game", sa.String(22), sa.ForeignKey("games.id", ondelete="CASCADE"), primary_key=True)


def upgrade() -> None:
    op.create_table(
        "reports",
        sa.Column("id", sa.String(22), primary_key=True),
        _time("created_at"),
        sa.Column("reporter", sa.String(64), nullable=False),
        sa.Column("game", sa.String(22), nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("item", sa.String(20), nullable=False),
        sa.Column("seat", sa.Integer, nullable=True),
        sa.Column("subject", sa.String(64), nullable=True),
        sa.Column("name", sa.String(24), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("comment", sa.Text, nullable=False),
        sa.Column("outcome", sa.String(8), nullable=False),
        sa.UniqueConstraint("reporter", "game", "item"),
    )
    op.create_index("ix_reports_reporter", "reports", ["reporter"])
    op.create_index("ix_reports_subject", "reports", ["subject"])
    op.create_index("ix_reports_open", "reports", ["outcome", "created_at"])
    op.create_table(
        "mutes",
        sa.Column("id", sa.String(22), primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False, unique=True),
        sa.Column("name", sa.String(24), nullable=False),
        _time("created_at"),
    )
    op.create_table("removals", _game(), sa.Column("owner", sa.String(64), primary_key=True))
    op.create_index("ix_removals_owner", "removals", ["owner"])
    op.create_table("closures", _game(), _time("created_at"))
    op.create_table(
        "blocked_names", sa.Column("pattern", sa.String(48), primary_key=True), _time("created_at")
    )
    op.create_table("host_tokens", sa.Column("digest", sa.String(64), primary_key=True), _time("created_at"))


def downgrade() -> None:
    for table in _TABLES:
        op.drop_table(table)
