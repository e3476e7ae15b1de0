"""Upgrades from every earlier schema to this one and back, with a row in every table, on both databases."""

import itertools
from datetime import UTC, date, datetime

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from server_fixtures import POSTGRESQL, SQLITE
from sqlalchemy import Boolean, Date, DateTime, Float, Integer, LargeBinary, MetaData, func, insert, select
from sqlalchemy.ext.asyncio import create_async_engine
from test_migration import is_other_default

from hegemon import Game, write_record
from hegemon.server.db.migrate import alembic_config, schema_mismatch
from hegemon.server.db.schema import SCHEMA_REVISION, metadata
from hegemon.server.db.store import Store

pytestmark = pytest.mark.slow

REVISIONS = [script.revision for script in ScriptDirectory.from_config(alembic_config()).walk_revisions()][
    ::-1
]

RECORD = write_record(Game(2, seed=1).record())

#: The tables that describe processes; only PostgreSQL has them, and a server fills them.
PROCESSES = {"workers", "shards", "changes", "thinkers", "thinking_jobs"}

NUMBERS = itertools.count()


@pytest.fixture(params=[SQLITE, POSTGRESQL])
def url(request, tmp_path):
    """A database without tables."""
    if request.param == SQLITE:
        return f"sqlite+aiosqlite:///{tmp_path / 'games.db'}"
    server, name = request.getfixturevalue("postgresql"), f"upgraded{next(NUMBERS)}"
    server.execute(f"CREATE DATABASE {name}")
    return server.url(name)


@pytest.fixture
async def engine(url):
    engine = create_async_engine(url)
    yield engine
    await engine.dispose()


async def run(engine, work, *arguments):
    async with engine.begin() as connection:
        return await connection.run_sync(work, *arguments)


def migrate(connection, step, revision):
    config = alembic_config()
    config.attributes["connection"] = connection
    step(config, revision)


def reflected(connection):
    found = MetaData()
    found.reflect(connection)
    return [table for table in found.sorted_tables if table.name not in {"alembic_version", *PROCESSES}]


def value_for(column, revision):
    if column.name == "record":  # the moves had another name once
        return RECORD if revision >= "0006" else RECORD.replace("\nmoves = [", "\nwords = [")
    if column.foreign_keys or column.name in ("game", "owner"):
        return "one"
    if column.name in ("options", "terms", "analysis"):
        return "{}"
    match column.type:
        case Boolean():
            return False
        case Integer():
            return 1
        case Float():
            return 0.5
        case DateTime():
            return datetime(2030, 1, 1, tzinfo=UTC)
        case Date():
            return date(2030, 1, 1)
        case LargeBinary():
            return b""
    return "one" if column.primary_key else "some text"[: column.type.length or 99]


def fill(connection, revision):
    """Put a row into every table, and return their names."""
    tables = reflected(connection)
    for table in tables:
        if not connection.scalar(select(func.count()).select_from(table)):
            row = {column: value_for(column, revision) for column in table.columns}
            connection.execute(insert(table).values(row))
    return {table.name for table in tables}


def contents(connection):
    """The rows of every table, with their columns."""
    return {
        table.name: [dict(row) for row in connection.execute(select(table)).mappings()]
        for table in reflected(connection)
    }


def differences(connection):
    options = {"compare_type": True, "compare_server_default": is_other_default}
    options["include_name"] = lambda name, kind, _: kind != "table" or name not in PROCESSES
    return compare_metadata(MigrationContext.configure(connection, opts=options), metadata)


def test_the_chain_of_revisions_ends_at_this_one():
    assert REVISIONS[0] == "0001"
    assert REVISIONS[-1] == SCHEMA_REVISION
    assert sorted(REVISIONS) == REVISIONS


@pytest.mark.parametrize("revision", REVISIONS)
async def test_a_database_of_an_earlier_version_is_upgraded_and_downgraded_again(engine, url, revision):
    await run(engine, migrate, command.upgrade, revision)
    filled = await run(engine, fill, revision)
    before = await run(engine, contents)
    assert filled == before.keys()
    assert {len(rows) for rows in before.values()} == {1}

    await run(engine, migrate, command.upgrade, "head")
    assert await run(engine, differences) == []
    store = Store(url)
    assert await schema_mismatch(store.database) == ""
    row = await store.games.load("one")
    assert (row.record, len(row.seats)) == (RECORD, 1)
    await store.close()

    await run(engine, migrate, command.downgrade, revision)
    after = await run(engine, contents)
    assert after.keys() == before.keys()
    for name, rows in before.items():
        assert len(after[name]) == len(rows), name
        assert after[name][0].keys() == rows[0].keys(), name
    for name in ("games", "seats"):
        assert after[name] == before[name]


async def test_all_upgrades_can_be_downgraded(engine):
    await run(engine, migrate, command.upgrade, "head")
    await run(engine, migrate, command.downgrade, "base")
    assert await run(engine, reflected) == []
