"""All thinkers of a server: local processes, and thinkers on other hosts."""

from collections.abc import Callable

from hegemon.server.db.thinking import ThinkingJobs
from hegemon.server.thinking.jobs import Answer, ThinkingJob
from hegemon.server.thinking.pool import ThinkerPool
from hegemon.server.thinking.remote import RemoteThinkers


class Thinkers:
    def __init__(
        self, processes: int, jobs: ThinkingJobs, url: str, on_change: Callable[[], None] = lambda: None
    ) -> None:
        self._pool = ThinkerPool(processes, on_change)
        self._remote = None if url.startswith("sqlite") else RemoteThinkers(jobs, url, on_change)

    @property
    def places(self) -> int:
        """The number of jobs that can currently run at a time."""
        return self._pool.places + (self._remote.places if self._remote else 0)

    def start(self) -> None:
        self._pool.start()
        if self._remote is not None:
            self._remote.start()

    async def close(self) -> None:
        await self._pool.close()
        if self._remote is not None:
            await self._remote.close()

    async def think(self, job: ThinkingJob) -> Answer | None:
        """The answer of another host with a free place, or else of a local process; None if there is neither."""
        remote = self._remote
        if remote is not None and remote.load < remote.places:
            answer = await remote.think(job)
            if answer is not None:
                return answer
        return await self._pool.think(job)
