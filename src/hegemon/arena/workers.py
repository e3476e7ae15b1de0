"""Who does the work: processes or threads of this machine, or a cluster; all of them by one interface."""

import multiprocessing
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass
class Workers:
    """Workers of some kind: how to get them, how many there are, and how to send them home at once."""

    hire: Callable[[], Executor]
    """Opens an executor; again, if the one before broke."""
    number: int
    dismiss: Callable[[Executor], None]


class Processes(ProcessPoolExecutor):
    """Processes that take no notice of an interrupt, from their first moment: it is meant for whoever hired them."""

    def submit(self, *work: Any, **more: Any) -> Future[Any]:
        """Hand out work. A process that is started for it inherits that interrupts are held back here for a moment."""
        with held_back():
            return super().submit(*work, **more)


@contextmanager
def held_back() -> Iterator[None]:
    """A process that is started here begins with interrupts held back; where a system knows no such thing, without."""
    if not hasattr(signal, "pthread_sigmask"):  # pragma: no cover: only Windows has none
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def get_ready() -> None:
    """What a process does first: from now on it takes no notice of interrupts, and need not hold them back."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def processes(jobs: int) -> Workers:
    """So many processes on this machine."""

    def hire() -> Executor:
        # A forked process would inherit threads in the middle of what they were doing.
        context = multiprocessing.get_context("spawn")
        return Processes(jobs, context, initializer=get_ready)

    def dismiss(executor: Executor) -> None:
        assert isinstance(executor, Processes)
        working = list((executor._processes or {}).values())
        executor.shutdown(wait=False, cancel_futures=True)
        for process in working:
            process.kill()

    return Workers(hire, jobs, dismiss)


def threads(jobs: int) -> Workers:
    """So many threads in this process: bots that search think side by side, all others one after the other."""

    def dismiss(executor: Executor) -> None:
        executor.shutdown(wait=False, cancel_futures=True)

    return Workers(lambda: ThreadPoolExecutor(jobs), jobs, dismiss)


def cluster(address: str) -> Workers:
    """The workers of a Dask scheduler; those that come or go meanwhile are welcome."""
    distributed: Any = import_module("distributed")  # its own types are incomplete
    client = distributed.Client(address, timeout=5, set_as_default=False)

    def dismiss(executor: Executor) -> None:
        executor.shutdown(wait=False)
        client.close()

    # A worker that dies takes its deal with it, and another one plays it; only a deal that kills many is given up.
    def hire() -> Executor:
        executor: Executor = client.get_executor(pure=False, retries=10)
        return executor

    return Workers(hire, max(1, sum(client.ncores().values())), dismiss)
