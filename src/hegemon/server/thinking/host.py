"""`hegemon think`: a host that thinks for servers on PostgreSQL."""

import asyncio
import contextlib
import secrets
import signal
import time
from collections.abc import Callable
from typing import Final

import msgspec
from sqlalchemy.exc import DBAPIError

from hegemon.server.db.database import Database
from hegemon.server.db.errors import DatabaseError, StorageError, cannot_open
from hegemon.server.db.migrate import schema_mismatch
from hegemon.server.db.thinking import JOBS, ThinkingJobs
from hegemon.server.thinking.jobs import JobFailed, JobResult, ThinkingJob
from hegemon.server.thinking.listener import Listener
from hegemon.server.thinking.pool import ThinkerPool
from hegemon.server.thinking.remote import FAILURES, VERSION

#: The signals that stop a host; Windows has no SIGHUP.
_SIGNALS: Final = [number for number in signal.Signals if number.name in ("SIGINT", "SIGTERM", "SIGHUP")]

#: Seconds between registrations, and between polls for jobs if none is announced.
HEARTBEAT_INTERVAL: Final = 1.0


class ThinkingHost:
    """Claims jobs in a database, runs them in local processes, and saves the answers."""

    def __init__(self, url: str, processes: int) -> None:
        if url.startswith("sqlite"):
            raise DatabaseError(
                "`hegemon think` works for servers on PostgreSQL. With SQLite, let the server start the processes: "
                "hegemon serve --thinkers {number}",
                number=processes,
            )
        self.id = secrets.token_urlsafe(12)
        self._database = Database(url)
        self._jobs = ThinkingJobs(self._database)
        self._listener = Listener(url, JOBS)
        self._pool = ThinkerPool(processes, self._listener.wake_up)
        self._running: dict[str, asyncio.Task[None]] = {}

    @property
    def location(self) -> str:
        """The URL of the database, without a password."""
        return self._database.location

    async def run(self, ready: Callable[[], None] = lambda: None) -> None:
        """Think until cancelled; raises DatabaseError if the database cannot be used at the start."""
        listening: asyncio.Task[None] | None = None
        try:
            await self._check()
            listening = asyncio.create_task(self._listener.run())
            self._pool.start()
            ready()
            await self._take_jobs()
        finally:
            if listening is not None:
                listening.cancel()
            await self._close()

    async def _check(self) -> None:
        """Raise DatabaseError unless the schema of the database is that of this program."""
        try:
            problem = await schema_mismatch(self._database)
        except (DBAPIError, StorageError, OSError) as error:
            raise cannot_open(self.location, getattr(error, "orig", error)) from error
        if problem:
            raise cannot_open(self.location, DatabaseError(problem))

    async def _take_jobs(self) -> None:
        registered_at, registered_places = -HEARTBEAT_INTERVAL, 0
        while True:
            with contextlib.suppress(*FAILURES):  # logged by the database; claims that are not renewed expire
                places = self._pool.places
                if time.monotonic() - registered_at >= HEARTBEAT_INTERVAL or places != registered_places:
                    registered_at, registered_places = time.monotonic(), places
                    await self._jobs.heartbeat(self.id, VERSION, places)
                if (free := places - len(self._running)) > 0:
                    for row in await self._jobs.claim(self.id, VERSION, free):
                        self._running[row["id"]] = asyncio.create_task(self._run_job(row["id"], row["job"]))
            await self._listener.wait(HEARTBEAT_INTERVAL)

    async def _run_job(self, job_id: str, text: str) -> None:
        """Run a job and save the answer, or release the job if the processes have ended."""
        try:
            result = await self._result(text)
            with contextlib.suppress(*FAILURES):
                if result is None:
                    await self._jobs.release(self.id, job_id)
                else:
                    await self._jobs.answer(self.id, job_id, msgspec.json.encode(result).decode())
        finally:
            del self._running[job_id]
            self._listener.wake_up()  # a place is free

    async def _result(self, text: str) -> JobResult | None:
        try:
            answer = await self._pool.think(msgspec.json.decode(text, type=ThinkingJob))
        except JobFailed as failure:
            return JobResult(failure=str(failure))
        except msgspec.MsgspecError as error:
            return JobResult(failure=type(error).__name__)
        return JobResult(answer) if answer is not None else None

    async def _close(self) -> None:
        for task in list(self._running.values()):
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)
        await self._pool.close()
        with contextlib.suppress(*FAILURES):
            await self._jobs.leave(self.id)
        await self._database.close()


def think(url: str, processes: int, ready: Callable[[str], None]) -> None:
    """Think for the servers of a database until Ctrl-C or another signal; `ready` gets the URL without a password.

    Raises DatabaseError if the database cannot be used.
    """

    async def run() -> None:
        host, task = ThinkingHost(url, processes), asyncio.current_task()
        assert task is not None

        def stop() -> None:
            if not task.cancelling():  # a second signal does not interrupt the shutdown
                task.cancel()

        for number in _SIGNALS:
            with contextlib.suppress(NotImplementedError):  # on Windows
                asyncio.get_running_loop().add_signal_handler(number, stop)
        with contextlib.suppress(asyncio.CancelledError):
            await host.run(lambda: ready(host.location))

    asyncio.run(run())
