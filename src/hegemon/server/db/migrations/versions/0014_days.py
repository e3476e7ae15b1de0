"""Vacations, and the addresses of calendars."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.create_table(
        "vacations",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("starts_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ends_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_vacations_owner", "vacations", ["owner"])
    op.create_table(
        "calendars",
        sa.Column("owner", sa.String(64), primary_key=True),
        sa.Column("secret", sa.String(43), nullable=False, unique=True),
        sa.Column("language", sa.String(8), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("calendars")
    op.drop_table("vacations")
