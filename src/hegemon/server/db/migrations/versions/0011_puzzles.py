"""Puzzles: their ratings, those who solve them, and first attempts."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the three tables."""
    op.create_table(
        "puzzle_ratings",
        sa.Column("puzzle", sa.String(16), primary_key=True),
        sa.Column("mu", sa.Float, nullable=False),
        sa.Column("sigma", sa.Float, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("solved", sa.Integer, nullable=False),
    )
    op.create_table(
        "solvers",
        sa.Column("owner", sa.String(64), primary_key=True),
        sa.Column("mu", sa.Float, nullable=False),
        sa.Column("sigma", sa.Float, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("solved", sa.Integer, nullable=False),
        sa.Column("row", sa.Integer, nullable=False),
        sa.Column("best_row", sa.Integer, nullable=False),
        sa.Column("day", sa.Date, nullable=True),
        sa.Column("days", sa.Integer, nullable=False),
        sa.Column("best_days", sa.Integer, nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_solvers_seen_at", "solvers", ["seen_at"])
    op.create_table(
        "puzzle_attempts",
        sa.Column("owner", sa.String(64), primary_key=True),
        sa.Column("puzzle", sa.String(16), primary_key=True),
        sa.Column("outcome", sa.String(8), nullable=False),
    )


def downgrade() -> None:
    """Remove them."""
    for table in ("puzzle_attempts", "solvers", "puzzle_ratings"):
        op.drop_table(table)
