"""The connection to the database, through SQLAlchemy: SQLite by default, or PostgreSQL."""

import asyncio
import contextlib
import logging
import os
import secrets
import threading
import time
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar
from weakref import WeakSet

import aiosqlite
from sqlalchemy import (
    URL,
    Connection,
    ExceptionContext,
    Executable,
    String,
    create_engine,
    event,
    func,
    inspect,
    literal_column,
    select,
    table,
)
from sqlalchemy.exc import DBAPIError, IntegrityError, InvalidRequestError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from hegemon.notation.messages import message
from hegemon.server.db.files import (
    FIRST_TABLES,
    DatabaseError,
    DatabaseInUse,
    cannot_open,
    file_of,
    prepare_file,
)
from hegemon.server.db.schema import SCHEMA_REVISION, games
from hegemon.server.logging import note
from hegemon.server.metrics import COMMIT_SECONDS

if TYPE_CHECKING:
    from alembic.config import Config

Result = TypeVar("Result")

#: A statement, and the parameters of each of its executions.
Batch = tuple[Executable, Sequence[Mapping[str, Any]]]

_PRAGMAS: Final = (
    "journal_mode=WAL",
    "synchronous=FULL",
    "foreign_keys=ON",
    "busy_timeout=5000",
    "cell_size_check=ON",  # find damage when a page is read
    "trusted_schema=OFF",  # a restored file may come from elsewhere
    "secure_delete=ON",  # leave no trace of erased data in the file
)

_REVISION: Final = select(literal_column("version_num", String)).select_from(table("alembic_version"))

#: When a connection began to commit.
_COMMIT: Final = "commit"

#: How long closing waits for each connection's thread.
_CLOSE_TIMEOUT: Final = 5

#: Seconds for which the result of a health check is reused.
PROBE_INTERVAL: Final = 1

#: Options for PostgreSQL: at most 15 connections per process, each checked before use so that the server
#: survives a restart of the database. Nothing waits longer than a request may.
_POSTGRESQL: Final[Mapping[str, Any]] = {
    "pool_size": 5,
    "max_overflow": 10,
    "pool_timeout": 10,
    "pool_pre_ping": True,
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

#: Advisory locks in PostgreSQL: shared by the servers that use the database or held by one command alone, and for
#: the process that migrates its schema.
_USE_LOCK: Final = 4_201_066_150
_MIGRATION_LOCK: Final = 4_201_066_151

#: Classes of PostgreSQL error codes for which no statement is to blame: lost connections, transactions that
#: are read-only or were rolled back, a full disk or too many connections, operator intervention, system
#: errors, damage.
_FAILURE_CLASSES: Final = ("08", "25", "40", "53", "57", "58", "XX")

#: SQLite errors that report a damaged file. After one of them, nothing is written until the next start.
_DAMAGE: Final = ("SQLITE_CORRUPT", "SQLITE_NOTADB")


class ConflictError(Exception):
    """A unique key already exists: another worker was first."""


class StorageError(Exception):
    """The database could not be read or written: the disk is full or broken, or the file is damaged."""

    headers: Final = {"Retry-After": "10"}
    """Headers of the response that reports this error."""


class Database:
    def __init__(self, url: str) -> None:
        sqlite = url.startswith("sqlite")
        self.is_shared = not sqlite
        """Whether other workers can use the database at the same time."""
        self.worker = secrets.token_hex(8)
        """The id under which PostgreSQL notes what this process changes."""
        self._threads: WeakSet[threading.Thread] = WeakSet()
        options = {"async_creator": self._connect_to_sqlite} if sqlite else self._postgresql_options()
        self._engine: AsyncEngine = create_async_engine(url, hide_parameters=True, **options)
        # SQLite allows one writer at a time and queues the others unfairly: without a lock, some starve.
        self._write_lock = asyncio.Lock() if sqlite else contextlib.nullcontext()
        self._damaged = False
        self._path = file_of(url)
        self._file: os.stat_result | None = None
        """The status of the file when it was opened."""
        self._background: set[asyncio.Task[Any]] = set()
        self._claim: AsyncConnection | None = None
        """The connection to PostgreSQL that holds this process's lock on the database."""
        self._claims_alone = False
        self._probing = asyncio.Lock()
        self._probed_at = -float("inf")
        self._healthy = False
        # One thread writes whole batches to a file: handing over each of their statements would take longer.
        self._writer = create_engine(f"sqlite:///{self._path}", hide_parameters=True) if self._path else None
        self._writer_thread = ThreadPoolExecutor(1, "writer")
        for engine in filter(None, (self._engine.sync_engine, self._writer)):
            event.listen(engine, "handle_error", self._handle_error)
            event.listen(engine, "commit", _begin_commit)
            event.listen(engine, "checkin", _end_commit)
            if sqlite:
                event.listen(engine, "connect", _set_pragmas)

    @property
    def location(self) -> str:
        """The file or URL of the database, without a password."""
        return str(self._path or self._engine.url.render_as_string(hide_password=True))

    def _postgresql_options(self) -> Mapping[str, Any]:
        """The options of connections, which tell the triggers of the database who writes."""
        arguments = _POSTGRESQL["connect_args"]
        settings = arguments["server_settings"] | {"hegemon.worker": self.worker}
        return {**_POSTGRESQL, "connect_args": arguments | {"server_settings": settings}}

    @property
    def url(self) -> URL:
        return self._engine.url

    async def _connect_to_sqlite(self) -> aiosqlite.Connection:
        """Connect, and remember the thread: aiosqlite forgets it if connecting fails or is cancelled."""
        arguments, options = self._engine.dialect.create_connect_args(self._engine.url)
        connection = aiosqlite.connect(*arguments, **options)
        connection._thread.daemon = True
        self._threads.add(connection._thread)
        return await connection

    @property
    def connections(self) -> tuple[int, int]:
        """The number of connections in use, and of those that wait for use."""
        pool: Any = self._engine.pool
        return pool.checkedout(), pool.checkedin()

    async def close(self) -> None:
        """Close all connections, and make sure that none of their threads still uses this event loop."""
        while self._background:
            await asyncio.gather(*self._background, return_exceptions=True)
        if self._claim is not None:
            await self._claim.close()
            self._claim = None
        await self._engine.dispose()
        if self._writer is not None:
            await asyncio.to_thread(self._writer_thread.shutdown)
            self._writer.dispose()
        for thread in list(self._threads):
            await asyncio.to_thread(thread.join, _CLOSE_TIMEOUT)

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A connection with a transaction; a violated unique key raises ConflictError."""
        self._check_file()
        try:
            async with self._write_lock, self.reading() as connection, connection.begin():
                yield connection
        except IntegrityError as error:
            raise ConflictError from error

    async def write(self, *batches: Batch) -> None:
        """Execute statements in one transaction; a violated unique key raises ConflictError."""
        writer = self._writer
        if writer is None:
            async with self.writing() as connection:
                for statement, parameters in batches:
                    await connection.execute(statement, parameters)
            return

        def write() -> None:
            with writer.begin() as connection:
                for statement, parameters in batches:
                    connection.execute(statement, parameters)

        self._check_file()
        try:
            async with self._write_lock:
                await asyncio.get_running_loop().run_in_executor(self._writer_thread, write)
        except IntegrityError as error:
            raise ConflictError from error

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A connection without a transaction.

        A task that is cancelled while it gets or returns one must not interrupt that: the connection would be lost.
        """
        connecting = self._in_background(self._connect())
        try:
            connection = await asyncio.shield(connecting)
        except asyncio.CancelledError:
            self._in_background(self._give_back(connecting))
            raise
        try:
            yield connection
        finally:
            await asyncio.shield(self._in_background(connection.close()))

    async def _connect(self) -> AsyncConnection:
        try:
            return await self._engine.connect()
        except (OSError, TimeoutError, PoolTimeout) as error:
            raise self._failure(type(error).__name__, error) from error

    async def _give_back(self, connecting: "asyncio.Task[AsyncConnection]") -> None:
        with contextlib.suppress(StorageError, DBAPIError):
            await (await connecting).close()

    def _in_background(self, work: Coroutine[Any, Any, Result]) -> "asyncio.Task[Result]":
        """Start something that `close` waits for."""
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        return task

    def _check_file(self) -> None:
        """Raise StorageError if the file is damaged, or was deleted or replaced: writes would go to the old one."""
        if not self._damaged and self._path is not None and self._file is not None:
            try:
                self._damaged = not os.path.samestat(self._path.stat(), self._file)
            except OSError:
                self._damaged = True
            if self._damaged:
                note("the database failed", logging.ERROR, code="FILE_REPLACED", writing="stopped")
        if self._damaged:
            raise StorageError("the file is damaged, or another one")

    def _handle_error(self, context: ExceptionContext) -> None:
        """Log the database's own error code, and stop writing to a damaged file to avoid further damage."""
        error = context.original_exception
        if not isinstance(error, Exception):  # a task that was cancelled
            return
        code = getattr(error, "sqlite_errorname", None) or getattr(error, "sqlstate", None) or ""
        if code.startswith("SQLITE_"):
            if code.startswith(("SQLITE_CONSTRAINT", "SQLITE_ERROR")):
                return
            self._damaged = self._damaged or code.startswith(_DAMAGE)
        elif not (context.is_disconnect or code.startswith(_FAILURE_CLASSES)):
            return
        if context.is_pre_ping:  # the pool replaces this connection
            return
        raise self._failure(code, error) from error

    def _failure(self, code: str, error: BaseException) -> StorageError:
        writing = "stopped" if self._damaged else "goes on"
        note("the database failed", logging.ERROR, code=code, writing=writing)
        return StorageError(str(error))

    async def is_healthy(self) -> bool:
        """Whether the database can be read and written; the answer is cached for PROBE_INTERVAL seconds."""
        async with self._probing:
            if time.monotonic() - self._probed_at >= PROBE_INTERVAL:
                self._healthy = await self._probe()
                self._probed_at = time.monotonic()
            return self._healthy

    async def _probe(self) -> bool:
        """Read from the database, and write something that does not affect any table."""
        try:
            async with self.reading() as connection:
                await connection.execute(select(games.c.id).limit(1))
                if self._engine.dialect.name == "postgresql":
                    found = await connection.exec_driver_sql("SHOW transaction_read_only")
                    return str(found.scalar_one()) == "off"
            if self._engine.dialect.name == "sqlite":
                async with self.writing() as connection:
                    number: int = (await connection.exec_driver_sql("PRAGMA user_version")).scalar_one()
                    await connection.exec_driver_sql(f"PRAGMA user_version = {number % 1_000_000 + 1}")
        except Exception:
            return False
        return True

    async def _claim_lock(self, *, alone: bool) -> None:
        """Lock the database in PostgreSQL until this is closed, alone or together with other servers.

        Raises DatabaseInUse if another process has a lock that excludes this one.
        """
        connection = await self._engine.connect()
        self._claim = await connection.execution_options(isolation_level="AUTOCOMMIT")
        self._claims_alone = alone
        lock = func.pg_try_advisory_lock if alone else func.pg_try_advisory_lock_shared
        if await self._claim.scalar(select(lock(_USE_LOCK))):
            return
        if alone:
            raise DatabaseInUse(
                "A server already uses {path} ({error}). Stop it first, or choose another place with --database.",
                path=self.location,
                error="advisory lock",
            )
        raise DatabaseInUse(
            "A command is working on {path}. Wait until it is done, or choose another place with --database.",
            path=self.location,
        )

    async def keep_lock(self) -> None:
        """Lock the database again if the connection that held the lock was lost."""
        if self._claim is None:
            return
        try:
            await self._claim.exec_driver_sql("SELECT 1")
        except (DBAPIError, StorageError, InvalidRequestError):
            lost, self._claim = self._claim, None
            with contextlib.suppress(Exception):
                await lost.invalidate()
            await self._claim_lock(alone=self._claims_alone)

    async def migrate(self, *, alone: bool = False) -> None:
        """Upgrade the schema to SCHEMA_REVISION, and lock the database: alone, or together with other servers.

        A schema is upgraded only while no other process uses the database. With SQLite, the lock is a file
        (`exclusive`).
        """
        try:
            if self._path is not None:
                prepare_file(self._path)
                self._file = self._path.stat()
            async with self.reading() as connection, connection.begin():
                if self.is_shared:
                    await connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
                    await connection.exec_driver_sql("SET LOCAL lock_timeout = 0")
                    await connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})")
                names = set(await connection.run_sync(lambda sync: inspect(sync).get_table_names()))
                if names and not names >= FIRST_TABLES:
                    raise DatabaseError(
                        "{location} has tables of another program. Choose another place with --database.",
                        location=self.location,
                    )
                is_old = not names or await connection.scalar(_REVISION) != SCHEMA_REVISION
                if self.is_shared and self._claim is None:
                    await self._claim_lock(alone=alone or is_old)
                if is_old:
                    await self._upgrade(connection)
                if self._claims_alone and not alone:
                    await self._share_lock()
        except (DBAPIError, StorageError, OSError) as error:
            raise cannot_open(self.location, getattr(error, "orig", error)) from error

    async def _share_lock(self) -> None:
        """Let other servers use the database after an upgrade."""
        assert self._claim is not None, "the database is locked"
        await self._claim.scalar(select(func.pg_advisory_lock_shared(_USE_LOCK)))
        await self._claim.scalar(select(func.pg_advisory_unlock(_USE_LOCK)))
        self._claims_alone = False

    async def foreign_revision(self) -> str:
        """A message about the revision of the schema if it differs from SCHEMA_REVISION; changes nothing."""
        async with self.reading() as connection:
            revision = await connection.scalar(_REVISION)
        if revision == SCHEMA_REVISION:
            return ""
        return message(
            "the schema has revision {revision}, not {wanted}; `hegemon serve` upgrades older ones",
            revision=revision,
            wanted=SCHEMA_REVISION,
        )

    async def broken_references(self) -> list[str]:
        """Rows that belong to a game that does not exist."""
        if self._engine.dialect.name != "sqlite":
            return []
        async with self.reading() as connection:
            found = await connection.exec_driver_sql("PRAGMA foreign_key_check")
            return [
                message("row {row} of {table} does not belong to a game", row=row.rowid, table=row.table)
                for row in found
            ]

    async def compact(self) -> None:
        """Release the space of deleted rows, and leave no trace of them in the file."""
        if self._engine.dialect.name == "sqlite":
            async with self.reading() as connection:
                await connection.exec_driver_sql("VACUUM")
        await self.empty_log()

    async def empty_log(self) -> None:
        """Move everything from SQLite's log to the file, so that no erased data remains in the log."""
        if self._engine.dialect.name == "sqlite":
            async with self.reading() as connection:
                await connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    async def _upgrade(self, connection: AsyncConnection) -> None:
        from alembic import command
        from alembic.util import CommandError

        def upgrade(sync: Any) -> None:
            config = migrations()
            config.attributes["connection"] = sync
            command.upgrade(config, "head")

        try:
            await connection.run_sync(upgrade)
        except CommandError as error:
            raise DatabaseError(
                "The database {location} belongs to another version: {error}. Update hegemon, or choose another place.",
                location=self.location,
                error=error,
            ) from error


def migrations() -> "Config":
    """The configuration of Alembic, which is imported only for migrations."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config


def _begin_commit(connection: Connection) -> None:
    connection.info[_COMMIT] = time.perf_counter()


def _end_commit(_: Any, record: Any) -> None:
    """Measure a commit: its connection is given back as soon as it is done."""
    if (began := record.info.pop(_COMMIT, None)) is not None:
        COMMIT_SECONDS.observe(time.perf_counter() - began)


def _set_pragmas(connection: Any, _: Any) -> None:
    cursor = connection.cursor()
    for pragma in _PRAGMAS:
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
