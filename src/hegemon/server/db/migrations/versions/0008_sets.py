"""A move may be a set of cards, which is longer than one choice."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    _resize(8, 255)


def downgrade() -> None:
    _resize(255, 8)


def _resize(old: int, new: int) -> None:
    with op.batch_alter_table("moves") as moves:
        moves.alter_column(
            "choice", existing_type=sa.String(old), type_=sa.String(new), existing_nullable=False
        )
