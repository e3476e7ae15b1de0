"""Devices: sessions, passkeys, challenges, recovery codes and arrivals."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the five tables."""
    op.create_table(
        "sessions",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("token", sa.String(64), nullable=False, unique=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("browser", sa.String(20), nullable=False),
        sa.Column("system", sa.String(20), nullable=False),
        sa.Column("created_on", sa.Date, nullable=False),
        sa.Column("seen_on", sa.Date, nullable=False),
    )
    op.create_index("ix_sessions_owner", "sessions", ["owner"])
    op.create_index("ix_sessions_seen_on", "sessions", ["seen_on"])
    op.create_table(
        "passkeys",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("credential", sa.String(1400), nullable=False, unique=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("public_key", sa.LargeBinary, nullable=False),
        sa.Column("sign_count", sa.BigInteger, nullable=False),
        sa.Column("name", sa.String(24), nullable=False),
        sa.Column("created_on", sa.Date, nullable=False),
        sa.Column("used_on", sa.Date, nullable=True),
    )
    op.create_index("ix_passkeys_owner", "passkeys", ["owner"])
    op.create_table(
        "recovery_codes",
        sa.Column("owner", sa.String(64), primary_key=True),
        sa.Column("code", sa.String(64), nullable=False, unique=True),
        sa.Column("created_on", sa.Date, nullable=False),
    )
    op.create_table(
        "challenges",
        sa.Column("challenge", sa.String(64), primary_key=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_challenges_expires_at", "challenges", ["expires_at"])
    op.create_table(
        "arrivals",
        sa.Column("secret", sa.String(64), primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False, index=True),
        sa.Column("code", sa.String(64), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False, index=True),
    )


def downgrade() -> None:
    """Remove them."""
    for table in ("arrivals", "challenges", "recovery_codes", "passkeys", "sessions"):
        op.drop_table(table)
