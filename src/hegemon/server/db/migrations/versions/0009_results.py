"""Results of persons in finished games, and the deal of the day."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Create the tables; results of games that are already over are added while the server runs."""
    op.add_column("games", sa.Column("counted", sa.Boolean, nullable=False, server_default=sa.false()))
    uncounted = sa.column("finished", sa.Boolean) & ~sa.column("counted", sa.Boolean)
    op.create_index("ix_games_uncounted", "games", ["id"], sqlite_where=uncounted, postgresql_where=uncounted)
    op.create_table(
        "daily_deals",
        sa.Column("date", sa.Date, primary_key=True),
        sa.Column("record", sa.Text, nullable=False),
        sa.Column("bots", sa.String(160), nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "daily_entries",
        sa.Column("date", sa.Date, primary_key=True),
        sa.Column("owner", sa.String(64), primary_key=True, index=True),
        sa.Column("game", sa.String(22), nullable=False, unique=True),
        sa.Column("name", sa.String(24), nullable=False),
        sa.Column("deadline", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "results",
        sa.Column("game", sa.String(22), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("players", sa.Integer, nullable=False),
        sa.Column("variant", sa.String(8), nullable=False),
        sa.Column("teams", sa.Boolean, nullable=False),
        sa.Column("level", sa.String(40), nullable=False),
        sa.Column("ending", sa.String(8), nullable=False),
        sa.Column("won", sa.Boolean, nullable=False),
        sa.Column("domain", sa.Integer, nullable=True),
        sa.Column("opening", sa.Integer, nullable=True),
        sa.Column("score", sa.Integer, nullable=False),
        sa.Column("turns", sa.Integer, nullable=False),
        sa.Column("accuracy", sa.Float, nullable=True),
    )
    op.create_index("ix_results_owner", "results", ["owner", "finished_at"])


def downgrade() -> None:
    for table in ("results", "daily_entries", "daily_deals"):
        op.drop_table(table)
    op.drop_index("ix_games_uncounted", "games")
    with op.batch_alter_table("games") as games:
        games.drop_column("counted")
