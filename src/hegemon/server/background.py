"""Background tasks, which run until the server stops."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

#: Seconds before a task that has failed is restarted.
RESTART_INTERVAL: Final = 5.0

_LOG: Final = logging.getLogger("hegemon.server")


class BackgroundTasks:
    """Restarts tasks that fail, and logs their errors; the server is unhealthy until a failed task reports success."""

    def __init__(self) -> None:
        self.failing: set[str] = set()
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def start(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        self._tasks[name] = asyncio.create_task(self._keep_running(name, work))

    async def _keep_running(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await work()
            except Exception:
                _LOG.exception("a background task failed: %s", name)
                self.failing.add(name)
            await asyncio.sleep(RESTART_INTERVAL)

    def report_success(self, name: str) -> None:
        """Mark a task as working again."""
        self.failing.discard(name)

    async def stop(self, name: str) -> None:
        if (task := self._tasks.pop(name, None)) is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def close(self) -> None:
        for name in list(self._tasks):
            await self.stop(name)
