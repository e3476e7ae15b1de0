"""Several workers behind one port: a parent process starts them, restarts those that die, and stops them."""

import contextlib
import multiprocessing
import os
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from types import FrameType
from typing import Final

from hegemon.server import logging as logs
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
    config: ServerConfig, taken: socket.socket, number: int, ready: Callable[[], None], log: str | None
) -> None:
    """Serve with several workers until Ctrl-C or a signal; `ready` is called when all of them serve.

    Raises WorkerFailed if one of them cannot start. One that dies later is replaced.
    """
    logs.set_up(log)
    with (
        taken,
        _sharing_metrics(config) as config,
        Supervisor(config, taken, log) as supervisor,
        _stopping(supervisor),
    ):
        supervisor.start(number)
        if not supervisor.is_stopping:
            ready()
        supervisor.run()


class Supervisor:
    def __init__(self, config: ServerConfig, taken: socket.socket, log: str | None) -> None:
        self._config, self._socket, self._log = config, taken, log
        self._processes: list[SpawnProcess] = []
        self._context = multiprocessing.get_context("spawn")
        self._wake_up, self._signalled = os.pipe()
        os.set_blocking(self._signalled, False)
        self.is_stopping = False

    def __enter__(self) -> "Supervisor":
        return self

    def __exit__(self, *_: object) -> None:
        self._stop_all()
        os.close(self._wake_up)
        os.close(self._signalled)

    def start(self, number: int) -> None:
        """Start workers, and wait until all of them serve."""
        started = [self._start() for _ in range(number)]
        for process, connection in started:
            ready = wait([connection, process.sentinel, self._wake_up])
            if self.is_stopping:
                return
            if connection not in ready or not _received(connection):
                raise WorkerFailed
        logs.note("workers started", workers=number)

    def _start(self) -> tuple[SpawnProcess, Connection]:
        receiver, sender = self._context.Pipe(duplex=False)
        process = self._context.Process(
            target=_work, args=(self._config, self._socket, self._log, sender), name="hegemon worker"
        )
        process.start()
        sender.close()
        self._processes.append(process)
        return process, receiver

    def stop(self) -> None:
        """Stop soon; called in a signal handler."""
        self.is_stopping = True
        with contextlib.suppress(BlockingIOError):
            os.write(self._signalled, b"!")

    def run(self) -> None:
        """Replace workers that die, until stopped."""
        while not self.is_stopping:
            wait([self._wake_up, *(process.sentinel for process in self._processes)])
            for process in [process for process in self._processes if not process.is_alive()]:
                self._replace(process)

    def _replace(self, process: SpawnProcess) -> None:
        if not self.is_stopping:
            logs.note("worker died", exit_code=process.exitcode)
            self._processes.remove(process)
            time.sleep(_RESTART_INTERVAL)
            self._start()

    def _stop_all(self) -> None:
        for process in self._processes:
            process.terminate()
        deadline = time.monotonic() + _STOP_TIMEOUT
        for process in self._processes:
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


def _received(connection: Connection) -> bool:
    try:
        return bool(connection.recv())
    except EOFError:
        return False


def _work(config: ServerConfig, taken: socket.socket, log: str | None, parent: Connection) -> None:
    """Serve in a process of its own, which ends with its parent."""
    threading.Thread(target=_stop_with_parent, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, too, which stops the workers

    def ready() -> None:
        parent.send(True)
        parent.close()

    serve(config, taken, ready, log)


def _stop_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None, "this is a worker"
    wait([parent.sentinel])
    os.kill(os.getpid(), signal.SIGTERM)
