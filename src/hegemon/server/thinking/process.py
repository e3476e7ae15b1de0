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
from hegemon.server.thinking.jobs import Job, JobFailed, Outcome, Thinker

#: The number of jobs that one process does at a time: its share of a core gets smaller, but no bot waits for long.
JOBS_OF_PROCESS: Final = 3

#: The niceness of thinking, relative to that of the server: requests come first.
NICENESS: Final = 10


class Question(msgspec.Struct, frozen=True):
    """A line to the process."""

    number: int
    job: Job


class Reply(msgspec.Struct, frozen=True):
    """A line from the process; the first one, without an outcome, says that it is ready."""

    number: int
    outcome: Outcome | None = None


READY: Final = Reply(0)


class JobServer:
    """Does jobs in threads, and writes each answer as soon as it is ready."""

    def __init__(self, replies: IO[bytes]) -> None:
        self._replies = replies
        self._lock = Lock()
        self._thinker = Thinker()

    def serve(self, questions: IO[bytes]) -> Executor:
        """Do jobs until the input ends; return the threads, which may still be thinking."""
        threads = ThreadPoolExecutor(JOBS_OF_PROCESS, thread_name_prefix="thinker")
        self._reply(READY)
        for line in questions:
            threads.submit(self._answer, msgspec.json.decode(line, type=Question))
        return threads

    def _answer(self, question: Question) -> None:
        try:
            outcome = Outcome(self._thinker.answer(question.job))
        except JobFailed as failure:
            outcome = Outcome(failure=str(failure))
        except Exception as error:
            outcome = Outcome(failure=_place(error))
        self._reply(Reply(question.number, outcome))

    def _reply(self, reply: Reply) -> None:
        with self._lock:
            self._replies.write(msgspec.json.encode(reply) + b"\n")
            self._replies.flush()


def _place(error: Exception) -> str:
    """The type and place of an error; its message may name cards, which must not get into a log."""
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
