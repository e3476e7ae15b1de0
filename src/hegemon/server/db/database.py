"""The connection to the database, through SQLAlchemy: SQLite by default, or PostgreSQL."""

import asyncio
import contextlib
import logging
import os
import secrets
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar
from weakref import WeakSet

import aiosqlite
from sqlalchemy import (
    URL,
    Connection,
    ExceptionContext,
    Executable,
    create_engine,
    event,
    select,
)
from sqlalchemy.exc import DBAPIError, DisconnectionError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from hegemon.server.db.engines import POSTGRESQL_OPTIONS, measure_commits, set_pragmas
from hegemon.server.db.errors import ConflictError, StorageError
from hegemon.server.db.locks import AdvisoryLock
from hegemon.server.db.schema import games
from hegemon.server.db.sqlite_files import file_of
from hegemon.server.logging import log_event

Result = TypeVar("Result")

#: A statement, and the parameters of each of its executions.
Batch = tuple[Executable, Sequence[Mapping[str, Any]]]

#: The keys under which a connection stores the id of its writer, and when it was last used.
_WRITER: Final = "writer"
_USED_AT: Final = "used at"

#: Seconds of idleness after which a connection is tested before it is used, since PostgreSQL may have been restarted.
#: Testing a busy connection every time would cost as much as a query.
MAX_IDLE_WITHOUT_PING: Final = 0.2

#: Seconds to wait for the thread of each connection when the database is closed.
_CLOSE_TIMEOUT: Final = 5

#: The number of threads that read from a file.
_READERS: Final = 4

#: Seconds for which the result of a health check is reused.
PROBE_INTERVAL: Final = 1

#: Classes of PostgreSQL error codes that are not caused by the statement: lost connections, transactions that are
#: read-only or were rolled back, a full disk or too many connections, a lock that was held for too long, operator
#: intervention, system errors, damage.
_FAILURE_CLASSES: Final = ("08", "25", "40", "53", "55P03", "57", "58", "XX")

#: SQLite errors that report a damaged file; after one of them, nothing is written until the server is restarted.
_DAMAGE: Final = ("SQLITE_CORRUPT", "SQLITE_NOTADB")


class Database:
    def __init__(self, url: str) -> None:
        self.is_sqlite = url.startswith("sqlite")
        self.worker = secrets.token_hex(8)
        """The id of this process among those that share the database."""
        self.writer = secrets.token_hex(8)
        """The id under which PostgreSQL notes what this process changes.

        It changes whenever the response to a commit was lost: everything that was or will be saved under the old id is
        then treated as a change of another process, and loaded.
        """
        self.on_unknown_outcome: Callable[[], None] = lambda: None
        """Called when the response to a commit was lost."""
        self._threads: WeakSet[threading.Thread] = WeakSet()
        options = {"async_creator": self._connect_to_sqlite} if self.is_sqlite else POSTGRESQL_OPTIONS
        self._engine: AsyncEngine = create_async_engine(url, hide_parameters=True, **options)
        # SQLite allows one writer at a time and queues the others unfairly: without a lock, some starve.
        self._write_lock = asyncio.Lock() if self.is_sqlite else contextlib.nullcontext()
        self._damaged = False
        self.path = file_of(url)
        """The file of a SQLite database; None for a database in memory or of another kind."""
        self._file: os.stat_result | None = None
        self._background: set[asyncio.Task[Any]] = set()
        self._probing = asyncio.Lock()
        self._probed_at = -float("inf")
        self._healthy = False
        # Threads that read and write a file do so in whole batches: passing each statement to them would take longer.
        self._file_engine = (
            create_engine(f"sqlite:///{self.path}", hide_parameters=True) if self.path else None
        )
        self._writer_thread = ThreadPoolExecutor(1, "writer")
        self._reader_threads = ThreadPoolExecutor(_READERS, "reader")
        for engine in filter(None, (self._engine.sync_engine, self._file_engine)):
            event.listen(engine, "handle_error", self._handle_error)
            measure_commits(engine)
            if self.is_sqlite:
                set_pragmas(engine)
        if self.is_shared:
            event.listen(self._engine.sync_engine, "do_connect", self._set_writer)
            event.listen(self._engine.sync_engine, "checkout", self._check_connection)
            event.listen(self._engine.sync_engine, "checkin", _note_use)
        self.lock = AdvisoryLock(self._engine, self.location) if self.is_shared else None
        """The lock of this process on a PostgreSQL database; SQLite has a file instead (`lock_file`)."""

    @property
    def is_shared(self) -> bool:
        """Whether other workers can use the database at the same time."""
        return not self.is_sqlite

    @property
    def location(self) -> str:
        """The file or URL of the database, without a password."""
        return str(self.path or self._engine.url.render_as_string(hide_password=True))

    def _set_writer(self, _: object, record: Any, _arguments: object, options: dict[str, Any]) -> None:
        """Set the id that the triggers of PostgreSQL store with changes over a new connection."""
        record.info[_WRITER] = self.writer
        options["server_settings"] = options["server_settings"] | {"hegemon.worker": self.writer}

    def _check_connection(self, connection: Any, record: Any, _: object) -> None:
        """Replace a connection that was lost while idle; one that writes under an old id is replaced after this use."""
        if record.info.get(_WRITER) != self.writer:
            record.invalidate(soft=True)
        if time.monotonic() - record.info.get(_USED_AT, -float("inf")) > MAX_IDLE_WITHOUT_PING:
            dialect = self._engine.dialect
            try:
                dialect.do_ping(connection)
            except dialect.loaded_dbapi.Error as error:
                if dialect.is_disconnect(error, connection, None):
                    raise DisconnectionError from error
                raise

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
        """The number of connections in use, and of idle ones."""
        pool: Any = self._engine.pool
        return pool.checkedout(), pool.checkedin()

    async def close(self) -> None:
        """Close all connections, and make sure that none of their threads still uses this event loop."""
        while self._background:
            await asyncio.gather(*self._background, return_exceptions=True)
        if self.lock is not None:
            await self.lock.release()
        await self._engine.dispose()
        if self._file_engine is not None:
            for threads in (self._writer_thread, self._reader_threads):
                await asyncio.to_thread(threads.shutdown)
            self._file_engine.dispose()
        for thread in list(self._threads):
            await asyncio.to_thread(thread.join, _CLOSE_TIMEOUT)

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A connection with a transaction; a violated unique key raises ConflictError."""
        self._check_file()
        committing = False
        try:
            async with self._write_lock, self.reading() as connection, connection.begin():
                yield connection
                committing = True
        except IntegrityError as error:
            raise ConflictError from error
        except BaseException:
            if committing:
                self._note_unknown_outcome()
            raise

    def _note_unknown_outcome(self) -> None:
        """Write under another id from now on, because a commit without a response may have been executed."""
        self.writer = secrets.token_hex(8)
        self.on_unknown_outcome()

    async def write(self, *batches: Batch) -> None:
        """Execute statements in one transaction; a violated unique key raises ConflictError."""
        engine = self._file_engine
        if engine is None:
            async with self.writing() as connection:
                for statement, parameters in batches:
                    await connection.execute(statement, parameters)
            return

        def write() -> None:
            with engine.begin() as connection:
                for statement, parameters in batches:
                    connection.execute(statement, parameters)

        self._check_file()
        try:
            async with self._write_lock:
                await asyncio.get_running_loop().run_in_executor(self._writer_thread, write)
        except IntegrityError as error:
            raise ConflictError from error

    async def read(self, work: Callable[[Connection], Result]) -> Result:
        """Run a function that only reads, with SQLite in a thread, and return its result."""
        engine = self._file_engine
        if engine is None:
            async with self.reading() as connection:
                return await connection.run_sync(work)

        def read() -> Result:
            with engine.connect() as connection:
                return work(connection)

        return await asyncio.get_running_loop().run_in_executor(self._reader_threads, read)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A connection without a transaction.

        Opening and closing it are shielded, because a task that is cancelled in the meantime would leak the connection.
        """
        connecting = self._in_background(self._connect())
        try:
            connection = await asyncio.shield(connecting)
        except asyncio.CancelledError:
            self._in_background(self._close_when_connected(connecting))
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

    async def _close_when_connected(self, connecting: "asyncio.Task[AsyncConnection]") -> None:
        with contextlib.suppress(StorageError, DBAPIError):
            await (await connecting).close()

    def _in_background(self, work: Coroutine[Any, Any, Result]) -> "asyncio.Task[Result]":
        """Start something that `close` waits for."""
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        return task

    def remember_file(self) -> None:
        """Remember which file is in use, to detect that it is replaced by another one."""
        if self.path is not None:
            self._file = self.path.stat()

    def _check_file(self) -> None:
        """Raise StorageError if the file is damaged, or was deleted or replaced: writes would go to the old one."""
        if not self._damaged and self.path is not None and self._file is not None:
            try:
                self._damaged = not os.path.samestat(self.path.stat(), self._file)
            except OSError:
                self._damaged = True
            if self._damaged:
                log_event("the database failed", logging.ERROR, code="FILE_REPLACED", writing="stopped")
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
        raise self._failure(code, error) from error

    def _failure(self, code: str, error: BaseException) -> StorageError:
        writing = "stopped" if self._damaged else "goes on"
        log_event("the database failed", logging.ERROR, code=code, writing=writing)
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
                if not self.is_sqlite:
                    found = await connection.exec_driver_sql("SHOW transaction_read_only")
                    return str(found.scalar_one()) == "off"
            if self.is_sqlite:
                async with self.writing() as connection:
                    number: int = (await connection.exec_driver_sql("PRAGMA user_version")).scalar_one()
                    await connection.exec_driver_sql(f"PRAGMA user_version = {number % 1_000_000 + 1}")
        except Exception:
            return False
        return True


def _note_use(_: object, record: Any) -> None:
    record.info[_USED_AT] = time.monotonic()
