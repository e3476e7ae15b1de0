"""When a game with a clock began, and what is noted about its seats: who was away, and who came back."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table of notes."""
    op.add_column("games", sa.Column("begun", sa.DateTime(timezone=True), nullable=True))
    op.create_table(
        "notes",
        sa.Column("game", sa.String(22), sa.ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("after", sa.Integer, nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("what", sa.String(8), nullable=False),
    )


def downgrade() -> None:
    """Remove it."""
    op.drop_table("notes")
    with op.batch_alter_table("games") as games:
        games.drop_column("begun")
