"""Indexes for lists: of all games, those that are not over, the latest public results, and public tournaments."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    public, finished = (sa.column(name, sa.Boolean) for name in ("public", "finished"))
    over, unfinished, listed = public & finished, ~finished, public == sa.true()
    op.create_index("ix_games_updated_at", "games", ["updated_at"])
    op.create_index("ix_games_results", "games", ["updated_at"], sqlite_where=over, postgresql_where=over)
    op.create_index(
        "ix_games_unfinished", "games", ["updated_at"], sqlite_where=unfinished, postgresql_where=unfinished
    )
    op.create_index(
        "ix_tournaments_public", "tournaments", ["created_at"], sqlite_where=listed, postgresql_where=listed
    )


def downgrade() -> None:
    op.drop_index("ix_tournaments_public", "tournaments")
    op.drop_index("ix_games_unfinished", "games")
    op.drop_index("ix_games_results", "games")
    op.drop_index("ix_games_updated_at", "games")
