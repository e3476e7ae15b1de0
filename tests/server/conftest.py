"""A server on a database of its own, and visitors with browsers of their own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from httpx import AsyncClient
from server_browser import Browser, visiting


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite+aiosqlite:///{tmp_path / 'games.db'}"


@pytest.fixture
async def client(database: str) -> AsyncIterator[AsyncClient]:
    async with visiting(database) as client:
        yield client


@pytest.fixture
def browser(client: AsyncClient) -> Browser:
    return Browser(client)
