"""Everyone who thinks for a server: processes of its own, and thinkers on other hosts."""

from collections.abc import Callable

from hegemon.server.db.thinking import ThinkingJobs
from hegemon.server.thinking.jobs import Answer, Job
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
        """How many jobs can be done at a time, at the moment."""
        return self._pool.places + (self._remote.places if self._remote else 0)

    def start(self) -> None:
        self._pool.start()
        if self._remote is not None:
            self._remote.start()

    async def close(self) -> None:
        await self._pool.close()
        if self._remote is not None:
            await self._remote.close()

    async def think(self, job: Job) -> Answer | None:
        """An answer from another host if one has a place, or else from a process of this one; None without any."""
        remote = self._remote
        if remote is not None and remote.load < remote.places:
            answer = await remote.think(job)
            if answer is not None:
                return answer
        return await self._pool.think(job)
