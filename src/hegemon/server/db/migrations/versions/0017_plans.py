"""Plans."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.create_table(
        "plans",
        sa.Column("id", sa.String(22), primary_key=True),
        sa.Column("game", sa.String(22), sa.ForeignKey("games.id", ondelete="CASCADE"), nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("turn", sa.Integer, nullable=False),
        sa.Column("line", sa.String(255), nullable=False),
        sa.Column("unchanged", sa.Boolean, nullable=False),
        sa.Column("cards", sa.Text, nullable=False),
        sa.Column("other", sa.Integer, nullable=True),
        sa.Column("domain", sa.String(1), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("started", sa.Integer, nullable=True),
    )
    for column in ("game", "owner"):
        op.create_index(f"ix_plans_{column}", "plans", [column])


def downgrade() -> None:
    op.drop_table("plans")
