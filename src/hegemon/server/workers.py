"""Several workers behind one port: a parent process starts them, restarts those that die, and stops them."""

import contextlib
import multiprocessing
import os
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from types import FrameType
from typing import Final

from hegemon.server import logging as logs
from hegemon.server.affinity import Affinity, affinities, close_sockets
from hegemon.server.config import ServerConfig
from hegemon.server.runner import serve

#: Seconds before a worker that has died is replaced, so that one that cannot start does not keep a core busy.
_RESTART_INTERVAL: Final = 1.0

#: Seconds that workers have to stop before they are killed: longer than their requests have.
_STOP_TIMEOUT: Final = 15

#: The signals that stop the parent, which stops its workers.
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class WorkerFailed(Exception):
    """A worker has exited before it was ready; its log says why."""


def serve_with_workers(
    config: ServerConfig, sock: socket.socket, number: int, ready: Callable[[], None], log: str | None
) -> None:
    """Serve with several workers until Ctrl-C or a signal; `ready` is called when all of them serve.

    Raises WorkerFailed if one of them cannot start. One that dies later is replaced.
    """
    logs.configure_logging(log)
    with (
        sock,
        _sharing_metrics(config) as config,
        Supervisor(config, sock, log, number) as supervisor,
        _stopping(supervisor),
    ):
        supervisor.start()
        if not supervisor.is_stopping:
            ready()
        supervisor.run()


@dataclass(eq=False)
class _Worker:
    number: int
    process: SpawnProcess
    starting: Connection
    """The connection on which the worker reports that it serves; closed after that."""

    @property
    def changes(self) -> "list[int | Connection]":
        """The objects to wait for: one is ready when the worker serves or has died."""
        return [self.process.sentinel] if self.starting.closed else [self.process.sentinel, self.starting]

    def has_started(self) -> bool:
        """Whether the worker has reported that it serves; False if it died before that."""
        with self.starting:
            try:
                return bool(self.starting.recv())
            except EOFError:
                return False


class Supervisor:
    def __init__(self, config: ServerConfig, sock: socket.socket, log: str | None, number: int) -> None:
        self._config, self._socket, self._log, self._number = config, sock, log, number
        self._workers: list[_Worker] = []
        self._context = multiprocessing.get_context("spawn")
        self._affinities = affinities(self._context, number)
        self._wake_up, self._signalled = os.pipe()
        os.set_blocking(self._signalled, False)
        self.is_stopping = False

    def __enter__(self) -> "Supervisor":
        return self

    def __exit__(self, *_: object) -> None:
        self._stop_all()
        close_sockets(self._affinities or ())
        os.close(self._wake_up)
        os.close(self._signalled)

    def start(self) -> None:
        """Start all workers, and wait until they serve."""
        for number in range(self._number):
            self._start(number)
        for worker in self._workers:
            ready = wait([self._wake_up, *worker.changes])
            if self.is_stopping:
                return
            if worker.starting not in ready or not worker.has_started():
                raise WorkerFailed
        logs.log_event("workers started", workers=self._number)

    def _start(self, number: int) -> None:
        receiver, sender = self._context.Pipe(duplex=False)
        affinity = self._affinities[number] if self._affinities is not None else None
        process = self._context.Process(
            target=_work,
            args=(self._config, self._socket, self._log, sender, affinity),
            name="hegemon worker",
        )
        process.start()
        sender.close()
        self._workers.append(_Worker(number, process, receiver))

    def stop(self) -> None:
        """Stop soon; called in a signal handler."""
        self.is_stopping = True
        with contextlib.suppress(BlockingIOError):
            os.write(self._signalled, b"!")

    def run(self) -> None:
        """Replace workers that die, until stopped."""
        while not self.is_stopping:
            ready = wait([self._wake_up, *(change for worker in self._workers for change in worker.changes)])
            for worker in self._workers:
                if worker.starting in ready and worker.has_started():
                    logs.log_event("worker replaced")
            self._replace([worker for worker in self._workers if not worker.process.is_alive()])

    def _replace(self, dead: Sequence[_Worker]) -> None:
        if not dead or self.is_stopping:
            return
        for worker in dead:
            logs.log_event("worker died", exit_code=worker.process.exitcode)
            self._workers.remove(worker)
            worker.starting.close()
            if self._affinities is not None:
                self._affinities[worker.number].set_serving(False)
        wait([self._wake_up], _RESTART_INTERVAL)
        for worker in dead:
            if not self.is_stopping:
                self._start(worker.number)

    def _stop_all(self) -> None:
        processes = [worker.process for worker in self._workers]
        for process in processes:
            process.terminate()
        deadline = time.monotonic() + _STOP_TIMEOUT
        for process in processes:
            process.join(max(0.0, deadline - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()


@contextmanager
def _sharing_metrics(config: ServerConfig) -> Iterator[ServerConfig]:
    """A configuration with a folder in which workers leave their metrics for each other, if these are shown."""
    if config.metrics is None:
        yield config
        return
    with tempfile.TemporaryDirectory(prefix="hegemon-metrics-") as folder:
        yield replace(config, metrics=replace(config.metrics, folder=folder))


@contextmanager
def _stopping(supervisor: Supervisor) -> Iterator[None]:
    """Stop the supervisor on a signal."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        supervisor.stop()

    before = {number: signal.signal(number, stop) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _work(
    config: ServerConfig,
    sock: socket.socket,
    log: str | None,
    parent: Connection,
    affinity: Affinity | None,
) -> None:
    """Serve in a process of its own, which ends with its parent."""
    threading.Thread(target=_stop_with_parent, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, too, which stops the workers

    def ready() -> None:
        parent.send(True)
        parent.close()

    serve(config, sock, ready, log, affinity)


def _stop_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None, "this is a worker"
    wait([parent.sentinel])
    os.kill(os.getpid(), signal.SIGTERM)
