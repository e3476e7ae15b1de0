"""Analyses of finished games."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.create_table(
        "analyses",
        sa.Column("game", sa.String(22), sa.ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("analysis", sa.Text, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("analyses")
