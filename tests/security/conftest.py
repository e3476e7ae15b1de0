"""The fixtures of the server tests."""

from server_fixtures import anyio_backend, browser, client, database, empty_database, hands

__all__ = ["anyio_backend", "browser", "client", "database", "empty_database", "hands"]
