"""Thinking processes of this machine: started, fed with jobs, and restarted when they end."""

import asyncio
import contextlib
import itertools
import logging
import os
import signal
import sys
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

import msgspec

from hegemon.server.thinking.jobs import Answer, JobResult, ThinkingJob
from hegemon.server.thinking.process import JOBS_OF_PROCESS, JobReply, JobRequest

#: The program of a thinking process; -P keeps files of the working directory from being imported.
_PROGRAM: Final = (sys.executable, "-P", "-m", "hegemon.server.thinking.process")

#: One thread per process: if NumPy started threads for all cores in each process, they would slow each other down.
_ENVIRONMENT: Final = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "MKL", "OMP")}

#: Seconds for an answer. Our bots take less than three; a process that takes longer is stuck, and killed.
ANSWER_TIMEOUT: Final = 30.0

#: The maximum number of processes that try a job before the server runs it itself.
MAX_TRIES: Final = 2

#: Seconds before a process that has ended is started again; they double up to the maximum while none becomes ready.
RESTART_INTERVAL: Final = 0.5
_MAX_RESTART_INTERVAL: Final = 30.0

#: The maximum number of turns for which the pool remembers the process.
_MAX_TURNS: Final = 10_000

#: The longest line from a process: a failure has a traceback.
_MAX_LINE: Final = 1 << 20

_LOG: Final = logging.getLogger("hegemon.server")


class ThinkerLost(Exception):
    """A process that has ended, or was killed because it did not answer."""


class ThinkingProcess:
    """A running process, and the jobs that it has."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._jobs: dict[int, asyncio.Future[JobResult]] = {}
        self._numbers = itertools.count(1)
        self.is_ready = False

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def load(self) -> int:
        """The number of its jobs."""
        return len(self._jobs)

    async def answer(self, job: ThinkingJob) -> Answer:
        """Run a job; raises ThinkerLost if the process ends first, and JobFailed if the bot fails."""
        number, stdin = next(self._numbers), self._process.stdin
        assert stdin is not None
        result: asyncio.Future[JobResult] = asyncio.get_running_loop().create_future()
        self._jobs[number] = result
        try:
            stdin.write(msgspec.json.encode(JobRequest(number, job)) + b"\n")
            async with asyncio.timeout(ANSWER_TIMEOUT):
                return (await result).get()
        except TimeoutError:
            self.kill()
            raise ThinkerLost from None
        finally:
            self._jobs.pop(number, None)

    async def listen(self, on_ready: Callable[[], None]) -> None:
        """Deliver its answers until it ends."""
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            reply = msgspec.json.decode(line, type=JobReply)
            if reply.result is None:
                self.is_ready = True
                on_ready()
            elif (waiting := self._jobs.get(reply.number)) is not None and not waiting.done():
                waiting.set_result(reply.result)

    def kill(self) -> None:
        self.is_ready = False
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                # Popen.kill would take the status of a process that has just ended away from asyncio.
                os.kill(self._process.pid, signal.SIGKILL)

    async def end(self) -> int:
        """Report its jobs as lost, and kill it if it still runs; return its status."""
        self.is_ready = False
        for waiting in self._jobs.values():
            if not waiting.done():
                waiting.set_exception(ThinkerLost())
        self.kill()
        ended = asyncio.ensure_future(self._process.wait())
        try:
            return await asyncio.shield(ended)
        except asyncio.CancelledError:
            await ended  # the event loop must not be closed before it has the status
            raise


class ThinkerPool:
    """A pool of thinking processes. A job whose process ends is given to another one."""

    def __init__(self, processes: int, on_change: Callable[[], None] = lambda: None) -> None:
        self._number = processes
        self._on_change = on_change
        """Called when the number of places has changed."""
        self._processes: set[ThinkingProcess] = set()
        self._turns: OrderedDict[str, ThinkingProcess] = OrderedDict()
        """The process that has made the earlier choices of a turn."""
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def places(self) -> int:
        """The number of jobs that can currently run at a time."""
        return JOBS_OF_PROCESS * len(self.ready)

    @property
    def ready(self) -> list[ThinkingProcess]:
        return [process for process in self._processes if process.is_ready]

    def start(self) -> None:
        """Start the processes, without waiting until they are ready."""
        self._tasks = [asyncio.create_task(self._keep_running()) for _ in range(self._number)]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []

    async def think(self, job: ThinkingJob) -> Answer | None:
        """The answer of a process, or None if there is none; raises JobFailed if the bot fails."""
        for _ in range(MAX_TRIES):
            if (process := self._process_for(job)) is None:
                return None
            with contextlib.suppress(ThinkerLost):
                return await process.answer(job)
        return None

    def _process_for(self, job: ThinkingJob) -> ThinkingProcess | None:
        """The process that knows the turn, or else the one with the fewest jobs."""
        known = self._turns.get(job.turn)
        if known is not None and known.is_ready:
            return known
        process = min(self.ready, key=lambda process: process.load, default=None)
        if process is not None and job.turn:
            self._turns[job.turn] = process
            if len(self._turns) > _MAX_TURNS:
                self._turns.popitem(last=False)
        return process

    async def _keep_running(self) -> None:
        interval = RESTART_INTERVAL
        while True:
            was_ready = await self._run_process()
            interval = RESTART_INTERVAL if was_ready else min(2 * interval, _MAX_RESTART_INTERVAL)
            await asyncio.sleep(interval)

    async def _run_process(self) -> bool:
        """Run a process until it ends; return whether it was ready for jobs."""
        try:
            # A keyboard interrupt does not reach a process in a new session.
            started = await asyncio.create_subprocess_exec(
                *_PROGRAM,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=_MAX_LINE,
                start_new_session=True,
                env=_ENVIRONMENT | os.environ,
            )
        except OSError as error:
            _LOG.error("a thinking process could not be started: %s", error)
            return False
        process = ThinkingProcess(started)
        self._processes.add(process)
        was_ready, status = False, None
        try:
            await process.listen(self._on_change)
            was_ready = process.is_ready
        except (ValueError, msgspec.MsgspecError) as error:
            _LOG.error("a thinking process sent something else than an answer: %s", error)
        finally:
            self._processes.discard(process)
            status = await process.end()
            self._on_change()
        _LOG.warning("a thinking process ended with status %s, and is started again", status)
        return was_ready
