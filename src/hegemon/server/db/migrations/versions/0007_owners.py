"""Find everything that belongs to an owner without reading every row; post a message once."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_INDEXES = (("games", "host"), ("messages", "author"))


def upgrade() -> None:
    for table, column in _INDEXES:
        op.create_index(f"ix_{table}_{column}", table, [column])
    op.add_column("messages", sa.Column("idempotency_key", sa.String(64), nullable=True))
    op.create_index("ix_messages_key", "messages", ["game", "author", "idempotency_key"], unique=True)


def downgrade() -> None:
    op.drop_index("ix_messages_key", "messages")
    op.drop_column("messages", "idempotency_key")
    for table, column in _INDEXES:
        op.drop_index(f"ix_{table}_{column}", table)
