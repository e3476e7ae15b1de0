"""Direct connections with asyncpg, for LISTEN and NOTIFY, which SQLAlchemy does not support."""

from typing import Any, Final

from sqlalchemy import URL

#: Seconds until opening a connection or a statement counts as failed.
CONNECTION_TIMEOUT: Final = 5


async def connect(url: URL) -> Any:
    """An asyncpg connection to the database of a SQLAlchemy URL."""
    import asyncpg  # only PostgreSQL needs it
    from sqlalchemy.dialects.postgresql.asyncpg import PGDialect_asyncpg

    dialect: Any = PGDialect_asyncpg
    _, options = dialect().create_connect_args(url)
    # Some options of a URL are for SQLAlchemy only.
    known = {name: value for name, value in options.items() if not name.startswith("prepared_statement_")}
    return await asyncpg.connect(**known, timeout=CONNECTION_TIMEOUT, command_timeout=CONNECTION_TIMEOUT)
