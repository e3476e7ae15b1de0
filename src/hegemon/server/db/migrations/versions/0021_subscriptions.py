"""Subscriptions to notices, the key of the server, and the outbox of notices."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.create_table(
        "push_keys",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("private_key", sa.String(64), nullable=False),
    )
    op.create_table(
        "subscriptions",
        sa.Column("id", sa.String(22), primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False, index=True),
        sa.Column("session", sa.String(64), nullable=False, index=True),
        sa.Column("endpoint", sa.Text, nullable=False),
        sa.Column("public_key", sa.String(100), nullable=False),
        sa.Column("secret", sa.String(32), nullable=False),
        sa.Column("kinds", sa.String(60), nullable=False),
        sa.Column("language", sa.String(8), nullable=False),
        sa.Column("device", sa.String(200), nullable=False),
        sa.Column("base_url", sa.Text, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("chosen_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "push_outbox",
        sa.Column(
            "subscription",
            sa.String(22),
            sa.ForeignKey("subscriptions.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column(
            "game",
            sa.String(22),
            sa.ForeignKey("games.id", ondelete="CASCADE"),
            primary_key=True,
            index=True,
        ),
        sa.Column("key", sa.String(40), nullable=False),
        sa.Column("notified", sa.String(40), nullable=False),
        sa.Column("shown", sa.Boolean, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True, index=True),
    )


def downgrade() -> None:
    for table in ("push_outbox", "subscriptions", "push_keys"):
        op.drop_table(table)
