"""A server on a database of its own, and visitors with browsers of their own."""

from server_fixtures import anyio_backend, browser, client, database, empty_database, hands

__all__ = ["anyio_backend", "browser", "client", "database", "empty_database", "hands"]
