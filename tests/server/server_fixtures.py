"""Fixtures of the server and security tests: a server on a new database, and visitors with separate browsers."""

import io
import itertools
import logging
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from httpx import AsyncClient
from postgresql_server import PostgresqlServer, is_installed
from server_browser import Browser, visiting
from server_clock import Hands

from hegemon.server import logging as logs
from hegemon.server.runner import check_database, database_url
from tracing import without_tracing

#: The kinds of databases.
SQLITE, POSTGRESQL = "sqlite", "postgresql"

_NUMBERS = itertools.count(1)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def hands() -> Hands:
    """The time of the server, which stands still until a test advances it."""
    return Hands()


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database without games: it is created once, and every test gets a copy."""
    path = tmp_path_factory.mktemp("database") / "empty.db"
    check_database(database_url(str(path)))
    return path


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgresqlServer]:
    """A PostgreSQL server with an empty database, which is copied for every test."""
    if not is_installed():
        pytest.skip("PostgreSQL is not installed")
    with PostgresqlServer() as server:
        server.execute("CREATE DATABASE empty")
        check_database(server.url("empty"))
        yield server


@pytest.fixture
def postgresql_database(postgresql: PostgresqlServer) -> str:
    name = f"test{next(_NUMBERS)}"
    postgresql.execute(f"CREATE DATABASE {name} TEMPLATE empty STRATEGY FILE_COPY")
    return postgresql.url(name)


@pytest.fixture
def database(request: pytest.FixtureRequest, tmp_path: Path, empty_database: Path) -> Iterator[str]:
    """The URL of a database without games: SQLite's, or the kind that the test is repeated with."""
    if getattr(request, "param", SQLITE) == SQLITE:
        yield database_url(str(shutil.copy(empty_database, tmp_path / "games.db")))
    else:
        with without_tracing():  # the same code has been covered with SQLite
            yield request.getfixturevalue("postgresql_database")


@pytest.fixture
async def client(database: str) -> AsyncIterator[AsyncClient]:
    async with visiting(database) as client:
        yield client


@pytest.fixture
def browser(client: AsyncClient) -> Browser:
    return Browser(client)


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """The stream for the log in a test; afterwards the logging setup is restored."""
    kept = [
        (logger, logger.handlers, logger.level, logger.propagate)
        for logger in map(logging.getLogger, logs.LOGGERS)
    ]
    yield io.StringIO()
    for logger, handlers, level, propagate in kept:
        logger.handlers, logger.level, logger.propagate = handlers, level, propagate
        logger.manager._clear_cache()
