"""The connection to the database: SQLite by default, through SQLAlchemy."""

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakSet

import aiosqlite
from sqlalchemy import String, event, func, inspect, literal_column, select, table
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from hegemon.server.db.schema import SCHEMA_REVISION, games

if TYPE_CHECKING:
    from alembic.config import Config

#: Tables that exist in every revision.
_FIRST_TABLES: Final = {"alembic_version", "games", "seats"}

_SQLITE_MAGIC: Final = b"SQLite format 3\0"

_PRAGMAS: Final = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=5000")

#: How long closing waits for each connection's thread.
_CLOSE_TIMEOUT: Final = 5


class ConflictError(Exception):
    """A unique key exists already: another worker was first."""


class DatabaseError(Exception):
    """The database cannot be used; the message says why and what to do."""


class Database:
    def __init__(self, url: str) -> None:
        sqlite = url.startswith("sqlite")
        self._threads: WeakSet[threading.Thread] = WeakSet()
        self._engine: AsyncEngine = create_async_engine(
            url, hide_parameters=True, **{"async_creator": self._connect_to_sqlite} if sqlite else {}
        )
        # SQLite has one writer at a time and does not queue the others fairly: without a lock some starve.
        self._write_lock = asyncio.Lock() if sqlite else contextlib.nullcontext()
        if sqlite:
            event.listen(self._engine.sync_engine, "connect", _set_pragmas)

    @property
    def location(self) -> str:
        """The file or URL of the database, without a password."""
        url = self._engine.url
        in_file = url.drivername.startswith("sqlite") and url.database
        return in_file or url.render_as_string(hide_password=True)

    async def _connect_to_sqlite(self) -> aiosqlite.Connection:
        """Connect, and remember the thread: aiosqlite forgets it if connecting fails or is cancelled."""
        arguments, options = self._engine.dialect.create_connect_args(self._engine.url)
        connection = aiosqlite.connect(*arguments, **options)
        connection._thread.daemon = True
        self._threads.add(connection._thread)
        return await connection

    async def close(self) -> None:
        """Close all connections; afterwards none of their threads uses this event loop."""
        await self._engine.dispose()
        for thread in list(self._threads):
            await asyncio.to_thread(thread.join, _CLOSE_TIMEOUT)

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A connection with a transaction; a violated unique key raises ConflictError."""
        try:
            async with self._write_lock, self._engine.begin() as connection:
                yield connection
        except IntegrityError as error:
            raise ConflictError from error

    def reading(self) -> AsyncConnection:
        """A connection, to be entered."""
        return self._engine.connect()

    async def is_healthy(self) -> bool:
        try:
            async with self.reading() as connection:
                await connection.execute(select(func.count()).select_from(games))
        except Exception:
            return False
        return True

    def _check_file(self) -> None:
        """Reject a file that SQLite would reject, before a connection is made that could not be closed properly."""
        url = self._engine.url
        if not (url.drivername.startswith("sqlite") and url.database):
            return
        path = Path(url.database)
        if not path.parent.is_dir():
            raise FileNotFoundError(f"there is no folder {path.parent}")
        if path.is_dir():
            raise OSError("it is a folder")
        if path.exists():
            with path.open("rb") as file:
                magic = file.read(len(_SQLITE_MAGIC))
            if magic and magic != _SQLITE_MAGIC:
                raise OSError("it is a file of another kind")

    async def migrate(self) -> None:
        """Upgrade the schema to SCHEMA_REVISION."""
        try:
            self._check_file()
            async with self._engine.begin() as connection:
                names = set(await connection.run_sync(lambda sync: inspect(sync).get_table_names()))
                if names and not names >= _FIRST_TABLES:
                    raise DatabaseError(
                        f"{self.location} holds tables that are not ours. Name another place with --database."
                    )
                query = select(literal_column("version_num", String)).select_from(table("alembic_version"))
                if not names or await connection.scalar(query) != SCHEMA_REVISION:
                    await self._upgrade(connection)
        except (DBAPIError, OSError) as error:
            raise DatabaseError(
                f"The database {self.location} cannot be opened: {getattr(error, 'orig', error)}. "
                "Name another place with --database."
            ) from error

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
                f"The database {self.location} belongs to another version: {error}. "
                "Update hegemon, or name another place."
            ) from error


def migrations() -> "Config":
    """The configuration of Alembic, which is imported only to migrate."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config


def _set_pragmas(connection: Any, _: Any) -> None:
    cursor = connection.cursor()
    for pragma in _PRAGMAS:
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
