"""Find everything that belongs to an owner without reading every row."""

from alembic import op

revision = "0007"
down_revision = "0006"

_INDEXES = (("games", "host"), ("messages", "author"))


def upgrade() -> None:
    for table, column in _INDEXES:
        op.create_index(f"ix_{table}_{column}", table, [column])


def downgrade() -> None:
    for table, column in _INDEXES:
        op.drop_index(f"ix_{table}_{column}", table)
