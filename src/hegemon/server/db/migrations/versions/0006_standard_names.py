"""Name tables and columns by the vocabulary in CONTRIBUTING.md."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_TABLES = {
    "entries": "moves",
    "talk": "messages",
    "notes": "substitutions",
    "people": "players",
    "notices": "outbox",
}
_COLUMNS = {
    "games": {
        "created": "created_at",
        "changed": "updated_at",
        "begun": "started_at",
        "terms": "options",
        "previous": "previous_game",
    },
    "seats": {"holder": "owner", "colour": "color", "stand_in": "substitute"},
    "moves": {"number": "version", "word": "choice", "command": "idempotency_key", "made": "created_at"},
    "messages": {"at": "created_at", "speaker": "author", "about": "target"},
    "substitutions": {"at": "created_at", "after": "version", "what": "reason"},
    "players": {"holder": "owner"},
    "webhooks": {"base": "base_url", "tried": "attempted_at", "again": "retry_at"},
    "outbox": {"tries": "attempts", "due": "due_at"},
}
#: Indexes whose names follow their columns: table and column before and after, and whether it is unique.
_INDEXES = (
    ("seats", "seats", "holder", "owner", False),
    ("games", "games", "previous", "previous_game", True),
    ("notices", "outbox", "due", "due_at", False),
)


def upgrade() -> None:
    for table, _, column, _, _ in _INDEXES:
        op.drop_index(f"ix_{table}_{column}", table)
    for old, new in _TABLES.items():
        op.rename_table(old, new)
    for table, columns in _COLUMNS.items():
        for old, new in columns.items():
            op.execute(f'ALTER TABLE {table} RENAME COLUMN "{old}" TO "{new}"')
    for _, table, _, column, unique in _INDEXES:
        op.create_index(f"ix_{table}_{column}", table, [column], unique=unique)
    _replace_in_games("record", "\nwords = [", "\nmoves = [")
    _replace_in_games("options", '"hands_after":', '"spectator_delay":')


def downgrade() -> None:
    _replace_in_games("options", '"spectator_delay":', '"hands_after":')
    _replace_in_games("record", "\nmoves = [", "\nwords = [")
    for _, table, _, column, _ in _INDEXES:
        op.drop_index(f"ix_{table}_{column}", table)
    for table, columns in _COLUMNS.items():
        for old, new in columns.items():
            op.execute(f'ALTER TABLE {table} RENAME COLUMN "{new}" TO "{old}"')
    for old, new in _TABLES.items():
        op.rename_table(new, old)
    for table, _, column, _, unique in _INDEXES:
        op.create_index(f"ix_{table}_{column}", table, [column], unique=unique)


def _replace_in_games(column: str, old: str, new: str) -> None:
    games = sa.table("games", sa.column(column, sa.Text))
    op.execute(games.update().values({column: sa.func.replace(games.c[column], old, new)}))
