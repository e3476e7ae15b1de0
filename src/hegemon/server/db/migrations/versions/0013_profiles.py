"""Profiles: names that stay."""

import secrets
from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Make the table; players with a rating have a name already."""
    profiles = op.create_table(
        "profiles",
        sa.Column("owner", sa.String(64), primary_key=True),
        sa.Column("public_id", sa.String(22), nullable=False, unique=True),
        sa.Column("name", sa.String(24), nullable=False),
        sa.Column("color", sa.Integer, nullable=True),
        sa.Column("language", sa.String(8), nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("public", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )
    rated = (
        op.get_bind()
        .execute(sa.select(*(sa.table("players", sa.column("owner"), sa.column("name"))).c))
        .all()
    )
    op.bulk_insert(
        profiles,
        [
            {
                "owner": owner,
                "public_id": secrets.token_urlsafe(12),
                "name": name,
                "color": None,
                "language": "",
                "settings": "{}",
                "public": False,
                "created_at": datetime.now(UTC),
            }
            for owner, name in rated
        ],
    )


def downgrade() -> None:
    op.drop_table("profiles")
