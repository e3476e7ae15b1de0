"""Webhooks, and the outbox of their notifications."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables of webhooks and notices."""
    op.create_table(
        "webhooks",
        sa.Column("game", sa.String(22), sa.ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("base", sa.Text, nullable=False),
        sa.Column("tried", sa.DateTime(timezone=True), nullable=True),
        sa.Column("status", sa.Integer, nullable=True),
        sa.Column("failure", sa.String(16), nullable=False),
        sa.Column("again", sa.DateTime(timezone=True), nullable=True),
    )
    op.create_table(
        "notices",
        sa.Column("game", sa.String(22), sa.ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("key", sa.String(40), primary_key=True),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("due", sa.DateTime(timezone=True), nullable=True),
    )
    op.create_index("ix_notices_due", "notices", ["due"])


def downgrade() -> None:
    """Remove them."""
    op.drop_table("notices")
    op.drop_table("webhooks")
