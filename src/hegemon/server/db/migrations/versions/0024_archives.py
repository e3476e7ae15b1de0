"""Archives, into which a server packs the moves of finished games while it runs."""

import sqlalchemy as sa
from alembic import op

from hegemon.server.db.archives import ArchiveError, unpack

revision = "0024"
down_revision = "0023"

_archives = sa.table("archives", sa.column("game"), sa.column("moves", sa.LargeBinary))
_moves = sa.table(
    "moves",
    sa.column("game"),
    sa.column("version"),
    sa.column("seat"),
    sa.column("choice"),
    sa.column("created_at", sa.DateTime(timezone=True)),
)


def upgrade() -> None:
    op.create_table(
        "archives",
        sa.Column("game", sa.String(22), sa.ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("moves", sa.LargeBinary, nullable=False),
    )
    op.add_column("games", sa.Column("archived", sa.Boolean, nullable=False, server_default=sa.false()))
    finished, archived = (sa.column(name, sa.Boolean) for name in ("finished", "archived"))
    due = finished & ~archived
    op.create_index(
        "ix_games_unarchived", "games", ["updated_at", "id"], sqlite_where=due, postgresql_where=due
    )


def downgrade() -> None:
    connection = op.get_bind()
    for game in connection.scalars(sa.select(_archives.c.game)).all():
        packed = connection.scalar(sa.select(_archives.c.moves).where(_archives.c.game == game))
        try:
            rows = unpack(packed or b"")
        except ArchiveError as error:
            raise ArchiveError(f"The moves of game {game} cannot be restored: {error}.") from error
        if rows:
            restored = [
                {"game": game, "version": row.version, "seat": row.seat, "choice": row.choice}
                | {"created_at": row.created_at}
                for row in rows
            ]
            connection.execute(sa.insert(_moves), restored)
    op.drop_index("ix_games_unarchived", "games")
    op.drop_column("games", "archived")
    op.drop_table("archives")
