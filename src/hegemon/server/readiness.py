"""The readiness check, for load balancers: whether the server should get requests."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from litestar import Litestar, Response, get
from litestar.datastructures import State
from litestar.openapi.datastructures import ResponseSpec

from hegemon.server.db.migrate import schema_mismatch
from hegemon.server.tables.registry import TableRegistry

#: Seconds for which the result of a check is reused.
CHECK_INTERVAL: Final = 1

#: The reasons why a server is not ready.
STARTING: Final = "The server is starting."
STOPPING: Final = "The server is stopping."
NO_DATABASE: Final = "The database cannot be read or written."
SCHEMA_MISMATCH: Final = "The database belongs to another version of the server."
FAILING_TASKS: Final = "A background task fails."


@dataclass(frozen=True)
class Ready:
    ready: bool
    reason: str = ""
    """Why the server is not ready; empty if it is."""


class Readiness:
    """Whether a server is starting, running or stopping, and the result of the last check."""

    def __init__(self) -> None:
        self._phase = STARTING
        self._checking = asyncio.Lock()
        self._checked_at = -float("inf")
        self._problem = ""

    def start(self) -> None:
        self._phase = ""
        self._checked_at = -float("inf")

    def stop(self) -> None:
        """Report that the server is stopping; requests that still arrive are answered."""
        self._phase = STOPPING

    async def reason(self, tables: TableRegistry) -> str:
        """Why the server is not ready; empty if it is."""
        if not self._phase:
            async with self._checking:
                if time.monotonic() - self._checked_at >= CHECK_INTERVAL:
                    self._problem = await _find_problem(tables)
                    self._checked_at = time.monotonic()
        # The server may have begun to stop during the check.
        return self._phase or self._problem


async def _find_problem(tables: TableRegistry) -> str:
    if not await tables.store.database.is_healthy():
        return NO_DATABASE
    try:
        if await schema_mismatch(tables.store.database):
            return SCHEMA_MISMATCH
    except Exception:  # the database has just failed; the log has its error code
        return NO_DATABASE
    return FAILING_TASKS if tables.background.failing else ""


@asynccontextmanager
async def readiness_lifespan(app: Litestar) -> AsyncIterator[None]:
    """Report readiness while the app runs; entered last and left first."""
    app.state.readiness.start()
    try:
        yield
    finally:
        app.state.readiness.stop()


@get(
    "/ready",
    responses={503: ResponseSpec(Ready, description="The server is starting, stopping, or cannot work.")},
)
async def ready(state: State) -> Response[Any]:
    """Whether a load balancer should send requests to this server."""
    reason = await state.readiness.reason(state.tables)
    return Response(Ready(not reason, reason), status_code=503 if reason else 200)
