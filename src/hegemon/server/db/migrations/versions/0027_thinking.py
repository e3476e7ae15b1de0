"""Thinkers on other hosts, and their jobs.

Only PostgreSQL has these tables. They are not logged: after a crash of the database, no job is worth doing.
"""

from alembic import op

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    if op.get_bind().dialect.name != "postgresql":
        return
    op.execute(
        "CREATE UNLOGGED TABLE thinkers (id varchar(22) PRIMARY KEY, version varchar(64) NOT NULL, "
        "places integer NOT NULL, until timestamp with time zone NOT NULL)"
    )
    op.execute(
        "CREATE UNLOGGED TABLE thinking_jobs (id varchar(22) PRIMARY KEY, server varchar(22) NOT NULL, "
        "version varchar(64) NOT NULL, job text NOT NULL, created_at timestamp with time zone NOT NULL, "
        "thinker varchar(22), claimed_until timestamp with time zone, answer text)"
    )


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP TABLE thinking_jobs")
        op.execute("DROP TABLE thinkers")
