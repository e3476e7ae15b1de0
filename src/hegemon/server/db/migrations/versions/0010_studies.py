"""Studies."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table of studies."""
    op.create_table(
        "studies",
        sa.Column("id", sa.String(22), primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("title", sa.String(80), nullable=False),
        sa.Column("record", sa.Text, nullable=False),
    )
    op.create_index("ix_studies_owner", "studies", ["owner"])
    op.create_index("ix_studies_updated_at", "studies", ["updated_at"])


def downgrade() -> None:
    """Remove it."""
    op.drop_table("studies")
