"""Name tables and columns by the vocabulary in CONTRIBUTING.md."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_TABLES = {"entries": "moves", "talk": "messages", "notes": "substitutions", "people": "players"}
_COLUMNS = {
    "games": {"created": "created_at", "changed": "updated_at", "begun": "started_at", "terms": "options"},
    "seats": {"holder": "owner", "colour": "color", "stand_in": "substitute"},
    "moves": {"number": "version", "word": "choice", "command": "idempotency_key", "made": "created_at"},
    "players": {"holder": "owner"},
}


def upgrade() -> None:
    op.drop_index("ix_seats_holder", "seats")
    for old, new in _TABLES.items():
        op.rename_table(old, new)
    for table, columns in _COLUMNS.items():
        for old, new in columns.items():
            op.execute(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")
    op.create_index("ix_seats_owner", "seats", ["owner"])
    _replace_in_games("record", "\nwords = [", "\nmoves = [")
    _replace_in_games("options", '"hands_after":', '"spectator_delay":')


def downgrade() -> None:
    _replace_in_games("options", '"spectator_delay":', '"hands_after":')
    _replace_in_games("record", "\nmoves = [", "\nwords = [")
    op.drop_index("ix_seats_owner", "seats")
    for table, columns in _COLUMNS.items():
        for old, new in columns.items():
            op.execute(f"ALTER TABLE {table} RENAME COLUMN {new} TO {old}")
    for old, new in _TABLES.items():
        op.rename_table(new, old)
    op.create_index("ix_seats_holder", "seats", ["holder"])


def _replace_in_games(column: str, old: str, new: str) -> None:
    games = sa.table("games", sa.column(column, sa.Text))
    op.execute(games.update().values({column: sa.func.replace(games.c[column], old, new)}))
