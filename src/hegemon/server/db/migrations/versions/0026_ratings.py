"""The history of ratings is part of the results, which have the same owners, games and times.

The index of results no longer includes their times: all queries read every result of a person.
"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0024"

_COLUMNS = ("owner", "game", "finished_at", "mu", "sigma")

_results = sa.table("results", *map(sa.column, _COLUMNS))
_changes = sa.table("rating_changes", *map(sa.column, _COLUMNS))


def upgrade() -> None:
    for name in ("mu", "sigma"):
        op.add_column("results", sa.Column(name, sa.Float, nullable=True))
    same = (_changes.c.owner == _results.c.owner) & (_changes.c.game == _results.c.game)
    values = {
        name: sa.select(_changes.c[name]).where(same).scalar_subquery().correlate(_results)
        for name in ("mu", "sigma")
    }
    op.execute(_results.update().where(sa.exists().where(same).correlate(_results)).values(**values))
    op.drop_table("rating_changes")
    _index_results("owner")


def downgrade() -> None:
    op.create_table(
        "rating_changes",
        sa.Column("owner", sa.String(64), primary_key=True),
        sa.Column("game", sa.String(22), primary_key=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("mu", sa.Float, nullable=False),
        sa.Column("sigma", sa.Float, nullable=False),
    )
    rated = sa.select(*(_results.c[name] for name in _COLUMNS)).where(_results.c.mu.is_not(None))
    op.execute(_changes.insert().from_select(_COLUMNS, rated))
    for name in ("sigma", "mu"):
        op.drop_column("results", name)
    _index_results("owner", "finished_at")


def _index_results(*columns: str) -> None:
    op.drop_index("ix_results_owner", "results")
    op.create_index("ix_results_owner", "results", columns)
