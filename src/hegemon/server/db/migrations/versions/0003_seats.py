"""The host and the options of a table; seats with names and colors that can be open, given away and substituted."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; the owner of the first seat of an old table becomes its host."""
    op.add_column("games", sa.Column("host", sa.String(64), nullable=True))
    op.add_column("games", sa.Column("terms", sa.Text, nullable=False, server_default="{}"))
    op.add_column("games", sa.Column("public", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("games", sa.Column("rated", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("games", sa.Column("previous", sa.String(22), nullable=True))
    op.create_index("ix_games_previous", "games", ["previous"], unique=True)
    op.add_column("seats", sa.Column("name", sa.String(24), nullable=True))
    op.add_column("seats", sa.Column("colour", sa.Integer, nullable=True))
    op.add_column("seats", sa.Column("invite", sa.String(22), nullable=True))
    op.add_column("seats", sa.Column("stand_in", sa.String(40), nullable=True))
    op.create_index("ix_seats_invite", "seats", ["invite"], unique=True)
    op.create_table(
        "people",
        sa.Column("holder", sa.String(64), primary_key=True),
        sa.Column("name", sa.String(24), nullable=False),
        sa.Column("mu", sa.Float, nullable=False),
        sa.Column("sigma", sa.Float, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
    )
    op.execute(
        "UPDATE games SET host = (SELECT holder FROM seats WHERE seats.game = games.id AND holder IS NOT NULL"
        " ORDER BY seat LIMIT 1)"
    )


def downgrade() -> None:
    """Remove it."""
    op.drop_table("people")
    op.drop_index("ix_seats_invite", "seats")
    op.drop_index("ix_games_previous", "games")
    for table, names in {
        "seats": ("stand_in", "invite", "colour", "name"),
        "games": ("previous", "rated", "public", "terms", "host"),
    }.items():
        for name in names:
            op.drop_column(table, name)
