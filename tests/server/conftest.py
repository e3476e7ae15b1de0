"""Fixtures: a server on a new database, and visitors with separate browsers."""

import pytest
from server_fixtures import (
    POSTGRESQL,
    SQLITE,
    anyio_backend,
    browser,
    client,
    database,
    empty_database,
    hands,
    log,
    postgresql,
    postgresql_database,
)

__all__ = [
    "anyio_backend",
    "browser",
    "client",
    "database",
    "empty_database",
    "hands",
    "log",
    "postgresql",
    "postgresql_database",
]

#: Modules that test saving and loading; their tests run on both databases.
ON_BOTH_DATABASES = {
    "test_api",
    "test_archives",
    "test_daily",
    "test_days",
    "test_devices",
    "test_lobby",
    "test_moderation",
    "test_nul",
    "test_outbox",
    "test_own_games",
    "test_passkeys",
    "test_people",
    "test_plans",
    "test_presence",
    "test_profiles",
    "test_push",
    "test_puzzles",
    "test_ratings",
    "test_rematch",
    "test_seating",
    "test_statistics",
    "test_store",
    "test_study",
    "test_substitutes",
    "test_thinking",
    "test_tournaments",
    "test_vacations",
    "test_webhooks",
}


def pytest_generate_tests(metafunc):
    """Run these tests on PostgreSQL too, except those marked `sqlite`; `make quick` skips the second run."""
    module = metafunc.module.__name__.rpartition(".")[2]
    is_about_sqlite = metafunc.definition.get_closest_marker("sqlite") is not None
    if module in ON_BOTH_DATABASES and "database" in metafunc.fixturenames and not is_about_sqlite:
        again = pytest.param(POSTGRESQL, marks=pytest.mark.slow)
        metafunc.parametrize("database", [SQLITE, again], indirect=True)
