"""Fixtures of the server and security tests: a server on its own database, and visitors with their own browsers."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from httpx import AsyncClient
from server_browser import Browser, visiting
from server_clock import Hands

from hegemon.server.runner import check_database, database_url


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def hands() -> Hands:
    """The time of the server, which stands still until a test lets it go on."""
    return Hands()


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database without games: it is made once, and every test has a copy."""
    path = tmp_path_factory.mktemp("database") / "empty.db"
    check_database(database_url(str(path)))
    return path


@pytest.fixture
def database(tmp_path: Path, empty_database: Path) -> str:
    return database_url(str(shutil.copy(empty_database, tmp_path / "games.db")))


@pytest.fixture
async def client(database: str) -> AsyncIterator[AsyncClient]:
    async with visiting(database) as client:
        yield client


@pytest.fixture
def browser(client: AsyncClient) -> Browser:
    return Browser(client)
