"""Options of SQLAlchemy's engines: SQLite's pragmas, PostgreSQL's timeouts, and the measurement of commits."""

import time
from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Connection, Engine, event

from hegemon.server.metrics import COMMIT_SECONDS

_PRAGMAS: Final = (
    "journal_mode=WAL",
    "synchronous=FULL",
    "foreign_keys=ON",
    "busy_timeout=5000",
    "cell_size_check=ON",  # find damage when a page is read
    "trusted_schema=OFF",  # a restored file may come from elsewhere
    "secure_delete=ON",  # leave no trace of erased data in the file
)

#: Options for PostgreSQL: at most 15 connections per process, and no timeout longer than that of a request.
POSTGRESQL_OPTIONS: Final[Mapping[str, Any]] = {
    "pool_size": 5,
    "max_overflow": 10,
    "pool_timeout": 10,
    "pool_recycle": 30 * 60,
    "connect_args": {
        "timeout": 10,
        "command_timeout": 20,
        "server_settings": {
            "application_name": "hegemon",
            "timezone": "UTC",
            "synchronous_commit": "on",  # regardless of the server's default
            "statement_timeout": "10s",
            "lock_timeout": "5s",
            "idle_in_transaction_session_timeout": "30s",
        },
    },
}

#: The key under which a connection stores when its commit began.
_COMMIT: Final = "commit"


def set_pragmas(engine: Engine) -> None:
    """Set SQLite's pragmas on each new connection of an engine."""
    event.listen(engine, "connect", _run_pragmas)


def measure_commits(engine: Engine) -> None:
    event.listen(engine, "commit", _begin_commit)
    event.listen(engine, "checkin", _end_commit)


def _run_pragmas(connection: Any, _: Any) -> None:
    cursor = connection.cursor()
    for pragma in _PRAGMAS:
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_commit(connection: Connection) -> None:
    connection.info[_COMMIT] = time.perf_counter()


def _end_commit(_: Any, record: Any) -> None:
    """Measure a commit, because its connection is returned to the pool as soon as it is done."""
    if (began := record.info.pop(_COMMIT, None)) is not None:
        COMMIT_SECONDS.observe(time.perf_counter() - began)
