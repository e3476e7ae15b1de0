"""The server's side of thinkers on other hosts: jobs are written to the database, and answers read from it."""

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Final

import msgspec
from sqlalchemy.exc import SQLAlchemyError

from hegemon.server.db.errors import ConflictError, StorageError
from hegemon.server.db.thinking import ANSWERS, ThinkingJobs
from hegemon.server.logging import log_event
from hegemon.server.thinking.jobs import Answer, JobResult, ThinkingJob
from hegemon.server.thinking.listener import Listener

#: Seconds between polls of the database, if nothing is announced.
POLL_INTERVAL: Final = 1.0

#: Seconds for an answer, including the time until a thinker takes the job. Then the server thinks itself.
ANSWER_TIMEOUT: Final = 30.0

#: A server uses only thinkers with the same version, because their bots are the same.
VERSION: Final = version("hegemon")

#: The errors that occur while the database cannot be reached.
FAILURES: Final = (ConflictError, StorageError, SQLAlchemyError)


class RemoteThinkers:
    def __init__(self, jobs: ThinkingJobs, url: str, on_change: Callable[[], None] = lambda: None) -> None:
        self._jobs = jobs
        self._on_change = on_change
        """Called when the number of places has changed."""
        self._server = secrets.token_urlsafe(12)
        self._listener = Listener(url, ANSWERS, self._server)
        self._waiting: dict[str, asyncio.Future[JobResult | None]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self.places = 0
        """The number of jobs that the live thinkers can run at a time."""

    @property
    def load(self) -> int:
        """The number of jobs without an answer."""
        return len(self._waiting)

    def start(self) -> None:
        """Start polling for thinkers and their answers."""
        self._tasks = [asyncio.create_task(self._listener.run()), asyncio.create_task(self._run())]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []

    async def think(self, job: ThinkingJob) -> Answer | None:
        """The answer of a thinker, or None if none answers in time; raises JobFailed if the bot fails."""
        if len(job.choices) == 1:
            return Answer(job.choices[0], 0.0)
        job_id = secrets.token_urlsafe(12)
        waiting: asyncio.Future[JobResult | None] = asyncio.get_running_loop().create_future()
        self._waiting[job_id] = waiting
        result = None
        try:
            await self._jobs.put(job_id, self._server, VERSION, msgspec.json.encode(job).decode())
            async with asyncio.timeout(ANSWER_TIMEOUT):
                result = await waiting
        except (TimeoutError, *FAILURES):
            pass
        finally:
            del self._waiting[job_id]
            if result is None:
                with contextlib.suppress(*FAILURES):
                    await self._jobs.withdraw(self._server, [job_id])
        return result.get() if result is not None else None

    async def _run(self) -> None:
        polled_at = -POLL_INTERVAL
        while True:
            try:
                if time.monotonic() - polled_at >= POLL_INTERVAL:
                    polled_at = time.monotonic()
                    self._set_places(await self._jobs.places(VERSION))
                if self._waiting:
                    self._deliver(await self._jobs.collect(self._server))
            except FAILURES:  # logged by the database
                self._set_places(0)
            await self._listener.wait(POLL_INTERVAL)

    def _deliver(self, answers: dict[str, str]) -> None:
        for job_id, text in answers.items():
            waiting = self._waiting.get(job_id)
            if waiting is not None and not waiting.done():
                waiting.set_result(_result(text))

    def _set_places(self, places: int) -> None:
        """Set the number of places; if there are none, all waiting jobs are left to the server."""
        if places == self.places:
            return
        self.places = places
        log_event("thinkers changed", places=places)
        self._on_change()
        if not places:
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_result(None)


def _result(text: str) -> JobResult:
    try:
        return msgspec.json.decode(text, type=JobResult)
    except msgspec.MsgspecError as error:
        return JobResult(failure=type(error).__name__)
