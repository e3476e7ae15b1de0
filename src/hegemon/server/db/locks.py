"""The lock on a PostgreSQL database: shared by the servers that use it, or exclusive to one command."""

import asyncio
import contextlib
from typing import Final

from sqlalchemy import func, select
from sqlalchemy.exc import DBAPIError, InvalidRequestError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from hegemon.server.db.errors import DatabaseInUse, StorageError

#: The key of the advisory lock.
_USE_LOCK: Final = 4_201_066_150


class AdvisoryLock:
    """An advisory lock, which PostgreSQL releases when the connection that holds it ends."""

    def __init__(self, engine: AsyncEngine, location: str) -> None:
        self._engine = engine
        self._location = location
        self._connection: AsyncConnection | None = None
        self._restoring = asyncio.Lock()
        self._was_acquired = False
        self.is_exclusive = False

    @property
    def is_held(self) -> bool:
        return self._connection is not None

    async def acquire(self, *, exclusive: bool) -> None:
        """Lock the database; raise DatabaseInUse if another process has a lock that excludes this one."""
        connection = await self._engine.connect()
        self._connection = await connection.execution_options(isolation_level="AUTOCOMMIT")
        self.is_exclusive = exclusive
        lock = func.pg_try_advisory_lock if exclusive else func.pg_try_advisory_lock_shared
        if await self._connection.scalar(select(lock(_USE_LOCK))):
            self._was_acquired = True
            return
        if exclusive:
            raise DatabaseInUse(
                "A server already uses {path} ({error}). Stop it first, or choose another place with --database.",
                path=self._location,
                error="advisory lock",
            )
        raise DatabaseInUse(
            "A command is working on {path}. Wait until it is done, or choose another place with --database.",
            path=self._location,
        )

    async def share(self) -> None:
        """Turn an exclusive lock into a shared one."""
        assert self._connection is not None, "the database is locked"
        await self._connection.scalar(select(func.pg_advisory_lock_shared(_USE_LOCK)))
        await self._connection.scalar(select(func.pg_advisory_unlock(_USE_LOCK)))
        self.is_exclusive = False

    async def restore(self) -> None:
        """Acquire the lock again if the connection that held it was lost."""
        async with self._restoring:  # a connection serves one task at a time
            if not self._was_acquired or await self._is_connected():
                return
            if self._connection is not None:
                lost, self._connection = self._connection, None
                with contextlib.suppress(Exception):
                    await lost.invalidate()
                with contextlib.suppress(Exception):
                    await lost.close()  # returned to the pool, even if it could not be invalidated
            await self.acquire(exclusive=self.is_exclusive)

    async def _is_connected(self) -> bool:
        if self._connection is None:
            return False
        try:
            await self._connection.exec_driver_sql("SELECT 1")
        except (DBAPIError, StorageError, InvalidRequestError):
            return False
        return True

    async def release(self) -> None:
        self._was_acquired = False
        if self._connection is not None:
            await self._connection.close()
            self._connection = None
