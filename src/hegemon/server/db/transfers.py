"""Copying a database row by row: from PostgreSQL into a SQLite file with the same schema, and back.

A backup of either database is such a file, so each can be restored into the other.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from sqlalchemy import Connection, Engine, Table, create_engine, func, insert, select, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from hegemon.server.db.database import Database
from hegemon.server.db.errors import DatabaseError, StorageError
from hegemon.server.db.migrate import migrate, schema_mismatch
from hegemon.server.db.schema import metadata
from hegemon.server.db.store import Store, run_exclusively

#: The number of rows that are read and written at a time.
_BATCH_SIZE: Final = 5_000

#: Replaces NUL, which PostgreSQL does not store in a text; SQLite files from before it was rejected may contain it.
_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"

#: Called with the number of rows that have been copied so far.
Progress = Callable[[int], None]


def no_progress(_: int) -> None:
    """Report nothing."""


def export(url: str, file: Path, progress: Progress = no_progress) -> None:
    """Copy all rows of a PostgreSQL database, as they are at one moment, into a new SQLite file.

    The server may be running: the copy is read in one transaction, which neither sees nor blocks later changes.
    """
    upgrade(file)
    target = create_engine(f"sqlite:///{file}")
    try:
        with target.begin() as written:
            asyncio.run(_export(url, written, progress))
    finally:
        target.dispose()


def load(url: str, file: Path, *, replace: bool, progress: Progress = no_progress) -> None:
    """Copy all rows of a SQLite file into a PostgreSQL database, in one transaction.

    A database that contains anything is not changed without `replace`. No server may be using it.
    """
    source = create_engine(f"sqlite:///file:{quote(str(file.absolute()))}?mode=ro&uri=true")
    try:
        run_exclusively(url, lambda store: _load(store, source, replace, progress))
    except (SQLAlchemyError, StorageError, OSError) as error:
        reason = str(getattr(error, "orig", None) or error)
        raise DatabaseError(
            "The backup cannot be restored: {error}. Nothing was changed.", error=reason
        ) from error
    finally:
        source.dispose()


def upgrade(file: Path) -> None:
    """Upgrade a SQLite file to the schema of this version, or create it; it is a single file, without a log."""

    async def run() -> None:
        database = Database(f"sqlite+aiosqlite:///{file}")
        try:
            await migrate(database)
        finally:
            await database.close()

    asyncio.run(run())
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")


# ---------------------------------------------------------------- PostgreSQL to SQLite


async def _export(url: str, written: Connection, progress: Progress) -> None:
    database = Database(url)
    try:
        async with _snapshot(database) as connection:
            if problem := await schema_mismatch(database):
                raise DatabaseError("The server is of another version: {problem}", problem=problem)
            copied = 0
            for table in metadata.sorted_tables:
                # The migrations may have added rows, such as an empty one.
                written.execute(table.delete())
                rows = await connection.stream(select(table).execution_options(yield_per=_BATCH_SIZE))
                async for batch in rows.mappings().partitions(_BATCH_SIZE):
                    written.execute(insert(table), [dict(row) for row in batch])
                    copied += len(batch)
                    progress(copied)
    except (SQLAlchemyError, StorageError, OSError) as error:
        reason = str(getattr(error, "orig", None) or error)
        raise DatabaseError(
            "The database {path} cannot be copied: {error}.", path=database.location, error=reason
        ) from error
    finally:
        await database.close()


@asynccontextmanager
async def _snapshot(database: Database) -> AsyncIterator[AsyncConnection]:
    """A connection that sees the database as it is now, regardless of how long it reads."""
    async with database.reading() as connection:
        options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        await connection.execution_options(**options)
        async with connection.begin():
            await _without_time_limits(connection)
            yield connection


async def _without_time_limits(connection: AsyncConnection) -> None:
    """Switch off the timeouts of a transaction."""
    for limit in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"):
        await connection.execute(text(f"SET LOCAL {limit} = 0"))


# ---------------------------------------------------------------- SQLite to PostgreSQL


async def _load(store: Store, source: Engine, replace: bool, progress: Progress) -> None:
    tables = metadata.sorted_tables
    async with store.database.writing() as connection:
        await _without_time_limits(connection)
        names = ", ".join(f'"{table.name}"' for table in tables)
        await connection.execute(text(f"LOCK TABLE {names} IN ACCESS EXCLUSIVE MODE"))
        if not replace:
            await _check_empty(connection)
        await connection.execute(text(f"TRUNCATE {names}"))
        copied = 0
        with source.connect() as read:
            for table in tables:
                found = read.execution_options(yield_per=_BATCH_SIZE).execute(select(table))
                for batch in found.partitions():
                    await _write(connection, table, batch)
                    copied += len(batch)
                    progress(copied)
        for table in tables:
            await _set_sequence(connection, table)


async def _check_empty(connection: AsyncConnection) -> None:
    """Raise DatabaseError for a database that contains anything."""
    for name in ("games", "players", "profiles", "studies", "tournaments", "solvers"):
        if await connection.scalar(
            select(func.count()).select_from(select(metadata.tables[name]).limit(1).subquery())
        ):
            raise DatabaseError(
                "This database is not empty. To delete everything in it and restore the backup, add --replace."
            )


async def _write(connection: AsyncConnection, table: Table, rows: Sequence[Iterable[Any]]) -> None:
    """Write rows by COPY, which is several times as fast as INSERT."""
    raw = await connection.get_raw_connection()
    driver: Any = raw.driver_connection  # asyncpg's, whose errors SQLAlchemy does not translate
    try:
        await driver.copy_records_to_table(
            table.name,
            columns=[column.name for column in table.columns],
            records=[tuple(map(_for_postgresql, row)) for row in rows],
        )
    except Exception as error:
        raise StorageError(f"{table.name}: {error}") from error


def _for_postgresql(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\0", _REPLACEMENT) if "\0" in value else value
    if isinstance(value, datetime):  # SQLite has dropped the time zone
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value
    return value


async def _set_sequence(connection: AsyncConnection, table: Table) -> None:
    """Continue the sequence of a table after the restored rows."""
    column = table.autoincrement_column
    if column is None:
        return
    sequence = await connection.scalar(select(func.pg_get_serial_sequence(table.name, column.name)))
    if sequence is not None:
        highest = select(func.coalesce(func.max(column), 0) + 1).scalar_subquery()
        await connection.execute(select(func.setval(sequence, highest, False)))
