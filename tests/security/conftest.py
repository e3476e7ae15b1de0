"""The fixtures of the server tests, and the marker of this folder."""

from pathlib import Path

import pytest
from server_fixtures import anyio_backend, browser, client, database, empty_database, hands

__all__ = ["anyio_backend", "browser", "client", "database", "empty_database", "hands"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.security)
