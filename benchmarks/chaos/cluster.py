"""What is tested: a database, the workers on it, and the connections between them, all of which can fail."""

import asyncio
import contextlib
import os
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Final

import asyncpg
from postgresql_server import PostgresqlServer, is_installed

from chaos.disk import SmallDisk
from chaos.proxy import Proxy
from hegemon.server.runner import check_database, database_url

SQLITE: Final = "sqlite"
POSTGRESQL: Final = "postgresql"

#: The program of a worker.
WORKER: Final = Path(__file__).with_name("worker.py")

#: Unlike in other tests, PostgreSQL writes everything through to its disk here. Logs are small so that they fit.
_SETTINGS: Final[Mapping[str, str]] = {
    "fsync": "on",
    "full_page_writes": "on",
    "autovacuum": "on",
    "min_wal_size": "32MB",
    "max_wal_size": "64MB",
}

#: Seconds between attempts to start a worker whose database is away, and after which there are no more.
_RESTART_DELAY: Final = 0.5
_START_TIMEOUT: Final = 300.0


class ClusterError(Exception):
    """A cluster that does not start, though no fault explains it; the message says why."""


class Worker:
    """A server process, started again when it ends, with proxies on both of its sides."""

    def __init__(self, number: int, folder: Path, database: str, program: Path) -> None:
        self.number = number
        self._program = program
        self.clients = Proxy()
        """The proxy between the clients and this worker, whose port changes with every start."""
        self.database: Proxy | None = None
        """The proxy between this worker and PostgreSQL."""
        self.url = database
        self.crashes = 0
        """How often it has ended by itself."""
        self._log = folder / f"worker-{number}.log"
        self._shift = folder / f"worker-{number}.shift"
        self._process: asyncio.subprocess.Process | None = None
        self._watching: asyncio.Task[None] | None = None
        self._stopping = False

    @property
    def address(self) -> str:
        """The address for clients, behind the proxy."""
        return f"http://127.0.0.1:{self.clients.port}"

    async def start(self, timeout: float = _START_TIMEOUT) -> None:
        """Start the process with the right time, and wait until it is ready; its database may be away for a while."""
        self._stopping = False
        self._shift.write_text("0")
        end = time.monotonic() + timeout
        while not await self._start_once():
            if time.monotonic() > end:
                last = self._log.read_text(encoding="utf-8").rstrip().rpartition("\n")[2]
                raise ClusterError(f"worker {self.number} does not start: {last}")
            await asyncio.sleep(_RESTART_DELAY)
        self._watching = asyncio.create_task(self._watch())

    async def _start_once(self) -> bool:
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, str(self._program), self.url, str(self._shift)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
                start_new_session=True,  # Ctrl-C is for the program that has started it
            )
        assert self._process.stdout is not None
        if port := await self._process.stdout.readline():
            self.clients.target = int(port)
            return True
        await self._process.wait()
        return False

    async def _watch(self) -> None:
        """Start the process again if it ends by itself."""
        assert self._process is not None
        await self._process.wait()
        if not self._stopping:
            self.clients.target = None
            self.crashes += 1
            await self.start()

    async def stop(self, how: signal.Signals = signal.SIGKILL) -> None:
        self._stopping = True
        if self._watching is not None and self._watching is not asyncio.current_task():
            self._watching.cancel()
        if self._process is not None:
            self.clients.target = None
            self.send_signal(how)
            if how != signal.SIGKILL:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(30):
                        await self._process.wait()
                self.send_signal(signal.SIGKILL)
            await self._process.wait()
            if self._process.stdin is not None:
                self._process.stdin.close()

    def send_signal(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)

    def step_clock(self, seconds: float) -> None:
        """Make the clock wrong by that much; a restart corrects it."""
        self._shift.write_text(str(seconds))
        self.send_signal(signal.SIGUSR2)


class Cluster:
    """A database with workers."""

    def __init__(
        self, folder: Path, kind: str, workers: int, disk: SmallDisk, program: Path = WORKER
    ) -> None:
        self.kind = kind
        self.disk = disk
        self.postgresql: PostgresqlServer | None = None
        self.folder = folder
        if kind == POSTGRESQL:
            self.postgresql = PostgresqlServer(disk.folder, _SETTINGS)
            self.url = self.postgresql.url("games")
        else:
            self.url = database_url(str(disk.folder / "games.db"))
        self.workers = [Worker(number, folder, self.url, program) for number in range(workers)]

    async def start(self) -> None:
        if self.postgresql is not None:
            await asyncio.to_thread(self.postgresql.start)
            await asyncio.to_thread(self.postgresql.execute, "CREATE DATABASE games")
        await asyncio.to_thread(check_database, self.url)
        for worker in self.workers:
            await worker.clients.start()
            if self.postgresql is not None:
                worker.database = Proxy(self.postgresql.port)
                await worker.database.start()
                worker.url = self.url.replace(f":{self.postgresql.port}/", f":{worker.database.port}/")
        for worker in self.workers:  # one after the other, so that an error leaves no process behind
            await worker.start(timeout=0)

    async def execute(self, statement: str) -> None:
        """Execute a statement as PostgreSQL's superuser, if it is there."""
        assert self.postgresql is not None
        with contextlib.suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError):
            connection = await asyncpg.connect(
                host="127.0.0.1", port=self.postgresql.port, user="postgres", database="postgres", timeout=5
            )
            try:
                await connection.execute(statement)
            finally:
                await connection.close(timeout=5)

    async def heal(self) -> None:
        """End every partition, correct all clocks, free the disk, and start what is not running."""
        self.disk.free()
        if self.postgresql is not None and not self.postgresql.is_running:
            await self.restart_database()
        for worker in self.workers:
            worker.send_signal(signal.SIGCONT)
            worker.clients.heal()
            worker.step_clock(0)
            if worker.database is not None:
                worker.database.heal()

    async def restart_database(self, how: signal.Signals = signal.SIGQUIT, pause: float = 0) -> None:
        assert self.postgresql is not None
        await asyncio.to_thread(self.postgresql.stop, how)
        await asyncio.sleep(pause)
        await asyncio.to_thread(self.postgresql.start)

    async def close(self) -> None:
        for worker in self.workers:
            worker.send_signal(signal.SIGCONT)
            await worker.stop()
            await worker.clients.close()
            if worker.database is not None:
                await worker.database.close()
        if self.postgresql is not None:
            self.postgresql.stop()


@contextlib.asynccontextmanager
async def running(folder: Path, kind: str, workers: int, program: Path = WORKER) -> AsyncIterator[Cluster]:
    """A cluster with its logs in a folder, while it is needed."""
    # PostgreSQL may run as another user, to whom the folder of the logs may be closed.
    with tempfile.TemporaryDirectory(prefix="hegemon-disk-") as home, SmallDisk(Path(home) / "disk") as disk:
        Path(home).chmod(0o755)
        cluster = Cluster(folder, kind, workers, disk, program)
        try:
            await cluster.start()
            yield cluster
        finally:
            await cluster.close()


def missing(kind: str) -> str:
    """Why a cluster of that kind cannot be tested here; empty if it can."""
    if kind == POSTGRESQL and not is_installed():
        return "PostgreSQL is not installed (on Debian: the package postgresql); try --database sqlite."
    return ""


__all__ = ["POSTGRESQL", "SQLITE", "Cluster", "ClusterError", "Worker", "missing", "running"]
