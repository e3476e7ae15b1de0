"""A thinking process: `ThinkerPool` starts it, writes jobs to its standard input and reads answers from its output.

It runs with lower priority, and ends when its standard input is closed, because the pool has ended.
"""

import os
import sys
import traceback
from concurrent.futures import Executor, ThreadPoolExecutor
from threading import Lock
from typing import IO, Final

import msgspec

from hegemon.bots import warm_up
from hegemon.server.thinking.jobs import JobFailed, JobResult, Thinker, ThinkingJob

#: The number of jobs that a process runs at a time: each gets a smaller share of a core, but no bot waits for long.
JOBS_OF_PROCESS: Final = 3

#: The niceness of thinking, relative to that of the server: requests come first.
NICENESS: Final = 10


class JobRequest(msgspec.Struct, frozen=True):
    """A line to the process."""

    number: int
    job: ThinkingJob


class JobReply(msgspec.Struct, frozen=True):
    """A line from the process; the first one, without a result, says that it is ready."""

    number: int
    result: JobResult | None = None


READY: Final = JobReply(0)


class JobServer:
    """Runs jobs in threads, and writes each answer as soon as it is ready."""

    def __init__(self, replies: IO[bytes]) -> None:
        self._replies = replies
        self._lock = Lock()
        self._thinker = Thinker()

    def serve(self, requests: IO[bytes]) -> Executor:
        """Run jobs until the input ends; return the executor, whose threads may still be thinking."""
        threads = ThreadPoolExecutor(JOBS_OF_PROCESS, thread_name_prefix="thinker")
        self._reply(READY)
        for line in requests:
            threads.submit(self._answer, msgspec.json.decode(line, type=JobRequest))
        return threads

    def _answer(self, request: JobRequest) -> None:
        try:
            result = JobResult(self._thinker.answer(request.job))
        except JobFailed as failure:
            result = JobResult(failure=str(failure))
        except Exception as error:
            result = JobResult(failure=_describe(error))
        self._reply(JobReply(request.number, result))

    def _reply(self, reply: JobReply) -> None:
        with self._lock:
            self._replies.write(msgspec.json.encode(reply) + b"\n")
            self._replies.flush()


def _describe(error: Exception) -> str:
    """The type and location of an error, but not its message, which may name cards and must not be logged."""
    *_, frame = traceback.extract_tb(error.__traceback__)
    return f"{type(error).__name__} in {frame.name}, {frame.filename}:{frame.lineno}"


def main() -> None:
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of libraries must not mix with the replies
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    warm_up()  # until the search is compiled, the server thinks itself
    JobServer(replies).serve(sys.stdin.buffer)
    os._exit(0)  # answers to jobs in progress are no longer needed


if __name__ == "__main__":
    main()
