"""Workers behind one interface: processes or threads of this machine, or a Dask cluster."""

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
    """How to start and stop an executor, and how many workers it has."""

    start: Callable[[], Executor]
    """Open an executor; called again after a broken one."""
    count: int
    stop: Callable[[Executor], None]


class InterruptSafePool(ProcessPoolExecutor):
    """A pool whose processes ignore interrupts from their first moment: only the parent handles them."""

    def submit(self, *work: Any, **more: Any) -> Future[Any]:
        """Submit work; a process started for it inherits the blocked signal mask."""
        with interrupts_blocked():
            return super().submit(*work, **more)


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Block SIGINT in this thread, where the platform can, so that processes started here begin with it blocked."""
    if not hasattr(signal, "pthread_sigmask"):  # pragma: no cover: only Windows has none
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_interrupts() -> None:
    """Initialize a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def processes(jobs: int) -> Workers:
    def start() -> Executor:
        # A forked process would inherit locks held by other threads.
        context = multiprocessing.get_context("spawn")
        return InterruptSafePool(jobs, context, initializer=ignore_interrupts)

    def stop(executor: Executor) -> None:
        assert isinstance(executor, InterruptSafePool)
        running = list((executor._processes or {}).values())
        executor.shutdown(wait=False, cancel_futures=True)
        for process in running:
            process.kill()

    return Workers(start, jobs, stop)


def threads(jobs: int) -> Workers:
    """Threads of this process: searching bots release the GIL, others run one at a time."""

    def stop(executor: Executor) -> None:
        executor.shutdown(wait=False, cancel_futures=True)

    return Workers(lambda: ThreadPoolExecutor(jobs), jobs, stop)


def cluster(address: str) -> Workers:
    """The workers of a Dask scheduler; workers may join and leave during a run."""
    distributed: Any = import_module("distributed")  # its own types are incomplete
    client = distributed.Client(address, timeout=5, set_as_default=False)

    def stop(executor: Executor) -> None:
        executor.shutdown(wait=False)
        client.close()

    # The deal of a dead worker is played by another one; only a deal that kills many workers fails.
    def start() -> Executor:
        executor: Executor = client.get_executor(pure=False, retries=10)
        return executor

    return Workers(start, max(1, sum(client.ncores().values())), stop)
