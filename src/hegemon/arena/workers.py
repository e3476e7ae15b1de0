"""Workers behind one interface: processes or threads of this machine, or a Dask cluster."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass
class Workers:
    """An executor's factory, its shutdown function, and its number of workers."""

    start: Callable[[], Executor]
    """Open an executor; called again after a broken one."""
    count: int
    stop: Callable[[Executor], None]
    is_remote: bool = False
    """Whether the workers are on other machines, which may have different code."""


class InterruptSafePool(ProcessPoolExecutor):
    """A pool whose processes ignore interrupts from the start: only the parent handles them."""

    def submit(self, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit a call; a process started for it inherits the blocked signal mask."""
        with interrupts_blocked():
            return super().submit(*args, **kwargs)


_thread = threading.local()


class StoppableThreads(ThreadPoolExecutor):
    """A pool of threads that can check with `is_stopping()` whether it has been stopped."""

    def __init__(self, jobs: int) -> None:
        self.stopping = threading.Event()
        super().__init__(jobs, initializer=setattr, initargs=(_thread, "stopping", self.stopping))


def is_stopping() -> bool:
    """Whether the pool of this thread has been stopped."""
    stopping: threading.Event | None = getattr(_thread, "stopping", None)
    return stopping is not None and stopping.is_set()


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Block SIGINT in this thread, if the platform supports it, so that processes started here inherit the mask."""
    if not hasattr(signal, "pthread_sigmask"):  # pragma: no cover: only Windows has none
        yield
        return
    previous_mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous_mask)


def initialize_process(on_exit: Callable[[], None] = lambda: None) -> None:
    """Ignore interrupts in this worker process, and exit when its parent exits for any reason."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=exit_with_parent, args=(on_exit,), daemon=True).start()


def exit_with_parent(on_exit: Callable[[], None]) -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    try:
        on_exit()
    finally:
        os._exit(1)


def processes(jobs: int) -> Workers:
    def start() -> Executor:
        # Each process has one core; NumPy with threads for all cores in each process would slow them down.
        for library in ("OPENBLAS", "MKL", "OMP"):
            os.environ.setdefault(f"{library}_NUM_THREADS", "1")
        # A forked process would inherit locks held by other threads.
        context = multiprocessing.get_context("spawn")
        return InterruptSafePool(jobs, context, initializer=initialize_process)

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
        assert isinstance(executor, StoppableThreads)
        executor.stopping.set()
        executor.shutdown(wait=False, cancel_futures=True)

    return Workers(lambda: StoppableThreads(jobs), jobs, stop)


def cluster(address: str) -> Workers:
    """The workers of a Dask scheduler; workers may join and leave during a run."""
    distributed: Any = import_module("distributed")  # its own types are incomplete
    client = distributed.Client(address, timeout=5, set_as_default=False)

    def stop(executor: Executor) -> None:
        executor.shutdown(wait=False)
        client.close()

    def start() -> Executor:
        # Another worker plays the deal of a dead one; only a deal that kills many workers fails.
        executor: Executor = client.get_executor(pure=False, retries=10)
        return executor

    return Workers(start, max(1, sum(client.ncores().values())), stop, is_remote=True)
