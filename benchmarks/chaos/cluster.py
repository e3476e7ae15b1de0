"""The system under test: a database, its workers, and the connections between them, all of which can fail."""

import asyncio
import contextlib
import os
import random
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Final

import asyncpg
from child_processes import spawned_by
from postgresql_server import PostgresqlServer, is_installed

from chaos.disk import SmallDisk
from chaos.proxy import Proxy
from chaos.worker import write_shift
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

#: Seconds between two attempts to start a process. The database may be down and the machine slow, so there are many
#: attempts; but few at the beginning of the run, so that a program that cannot start at all fails soon.
_RETRY_DELAY: Final = 0.5
_MAX_STARTS: Final = 200
_MAX_FIRST_STARTS: Final = 5

#: The probability that the parent of several workers is killed or restarted instead of one of them.
_PARENT_PROBABILITY: Final = 0.25


class ClusterError(Exception):
    """A cluster does not start, and no fault explains it."""


class Server:
    """A server process with one worker, restarted when it exits, between proxies to the clients and the database."""

    def __init__(self, number: int, folder: Path, database: str, program: Path, workers: int = 1) -> None:
        self.number = number
        self.workers = workers
        """The number of worker processes."""
        self._program = program
        self.clients = Proxy()
        """The proxy between the clients and this server, whose port changes with every start."""
        self.database: Proxy | None = None
        """The proxy between this server and PostgreSQL."""
        self.url = database
        self.crashes = 0
        """The number of unexpected exits."""
        self._log = folder / f"worker-{number}.log"
        self._shift = folder / f"worker-{number}.shift"
        self._process: asyncio.subprocess.Process | None = None
        self._watching: asyncio.Task[None] | None = None
        self._stopping = False

    @property
    def address(self) -> str:
        """The address for clients, behind the proxy."""
        return f"http://127.0.0.1:{self.clients.port}"

    async def start(self, attempts: int = _MAX_STARTS) -> None:
        """Start the process with the correct time, and wait until it is ready; its database may be down for a while."""
        self._stopping = False
        write_shift(self._shift, 0)
        while not await self._start_once():
            attempts -= 1
            if not attempts:
                last = self._log.read_text(encoding="utf-8").rstrip().rpartition("\n")[2]
                raise ClusterError(f"worker {self.number} does not start: {last}")
            await asyncio.sleep(_RETRY_DELAY)
        self._watching = asyncio.create_task(self._watch())

    async def _start_once(self) -> bool:
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, str(self._program), self.url, str(self._shift), str(self.workers)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
                start_new_session=True,  # Ctrl-C must reach only the parent
            )
        assert self._process.stdout is not None
        if port := await self._process.stdout.readline():
            self.clients.target = int(port)
            return True
        await self._process.wait()
        return False

    async def _watch(self) -> None:
        """Restart the process if it exits unexpectedly."""
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
        """Shift the clock by some seconds; a restart of the server corrects it."""
        write_shift(self._shift, seconds)

    async def close(self) -> None:
        self.resume()
        await self.stop()
        await self.clients.close()
        if self.database is not None:
            await self.database.close()

    # ---------------------------------------------------------------- faults; each returns what has failed

    async def end_worker(self, how: signal.Signals, chance: random.Random, pause: float) -> str:
        """End a worker with a signal, and replace it after a pause."""
        await self.stop(how)
        await asyncio.sleep(pause)
        await self.start()
        return f"worker {self.number}"

    def pause_worker(self, chance: random.Random) -> str:
        """Suspend a worker until `resume`."""
        self.send_signal(signal.SIGSTOP)
        return f"worker {self.number}"

    def resume(self) -> None:
        self.send_signal(signal.SIGCONT)


class SharedPort(Server):
    """Several workers behind one port (`hegemon serve --workers`), whose parent replaces those that end."""

    def _children(self) -> list[int]:
        """The processes of the workers."""
        assert self._process is not None
        return spawned_by(self._process.pid)

    async def end_worker(self, how: signal.Signals, chance: random.Random, pause: float) -> str:
        children = self._children()
        if not children or chance.random() < _PARENT_PROBABILITY:
            await super().end_worker(how, chance, pause)
            return "the parent of all workers"
        chosen = chance.choice(children)
        _send_signal(chosen, how)
        for _ in range(_MAX_STARTS):
            await asyncio.sleep(_RETRY_DELAY)
            if chosen not in (children := self._children()) and len(children) == self.workers:
                return f"one of {self.workers} workers"
        raise ClusterError("a worker that has exited is not replaced")

    def pause_worker(self, chance: random.Random) -> str:
        if children := self._children():
            _send_signal(chance.choice(children), signal.SIGSTOP)
        return f"one of {self.workers} workers"

    def resume(self) -> None:
        super().resume()
        if self._process is not None:
            for child in self._children():
                _send_signal(child, signal.SIGCONT)

    async def close(self) -> None:
        children = self._children() if self._process is not None else []
        await super().close()
        for child in children:  # they would exit eventually, but only after the database is deleted
            _send_signal(child, signal.SIGKILL)


def _send_signal(process: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, number)


class Cluster:
    """A database with workers."""

    def __init__(
        self,
        folder: Path,
        kind: str,
        workers: int,
        disk: SmallDisk,
        program: Path = WORKER,
        *,
        shared_port: bool = False,
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
        self.servers = (
            [SharedPort(0, folder, self.url, program, workers)]
            if shared_port
            else [Server(number, folder, self.url, program) for number in range(workers)]
        )

    async def start(self) -> None:
        if self.postgresql is not None:
            await self._start_database(_MAX_FIRST_STARTS)
            await asyncio.to_thread(self.postgresql.execute, "CREATE DATABASE games")
        await asyncio.to_thread(check_database, self.url)
        for server in self.servers:
            await server.clients.start()
            if self.postgresql is not None:
                server.database = Proxy(self.postgresql.port)
                await server.database.start()
                server.url = self.url.replace(f":{self.postgresql.port}/", f":{server.database.port}/")
        for server in self.servers:  # not in parallel, so that an error leaves no process behind
            await server.start(_MAX_FIRST_STARTS)

    async def execute(self, statement: str) -> bool:
        """Execute a statement as PostgreSQL's superuser; return False if the server is not available."""
        assert self.postgresql is not None
        with contextlib.suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError):
            connection = await asyncpg.connect(
                host="127.0.0.1", port=self.postgresql.port, user="postgres", database="postgres", timeout=60
            )
            try:
                await connection.execute(statement)
                return True
            finally:
                await connection.close(timeout=60)
        return False

    async def heal(self) -> None:
        """End all faults: partitions, wrong clocks, a full disk, suspended workers and a stopped database."""
        self.disk.free()
        await self.heal_database()
        for server in self.servers:
            server.resume()
            server.clients.heal()
            server.step_clock(0)
            if server.database is not None:
                server.database.heal()

    async def heal_database(self) -> bool:
        """Wait until the database responds, and start it if it has exited; return whether it had."""
        has_ended = False
        while self.postgresql is not None and not await self.execute("SELECT 1"):
            if not self.postgresql.is_running:
                has_ended = True
                await self._start_database()
            await asyncio.sleep(_RETRY_DELAY)
        return has_ended

    async def restart_database(self, how: signal.Signals = signal.SIGQUIT, pause: float = 0) -> None:
        assert self.postgresql is not None
        await asyncio.to_thread(self.postgresql.stop, how)
        await asyncio.sleep(pause)
        await self._start_database()

    async def _start_database(self, attempts: int = _MAX_STARTS) -> None:
        assert self.postgresql is not None
        while True:
            try:
                return await asyncio.to_thread(self.postgresql.start)
            except RuntimeError as error:
                attempts -= 1
                if not attempts:
                    last = str(error).rstrip().rpartition("\n")[2]
                    raise ClusterError(f"PostgreSQL does not start: {last}") from error
                await asyncio.sleep(_RETRY_DELAY)

    async def close(self) -> None:
        for server in self.servers:
            await server.close()
        if self.postgresql is not None:
            self.postgresql.stop()


@contextlib.asynccontextmanager
async def running(
    folder: Path, kind: str, workers: int, program: Path = WORKER, *, shared_port: bool = False
) -> AsyncIterator[Cluster]:
    """A running cluster with its logs in a folder."""
    # PostgreSQL may run as another user, who may not have access to the folder of the logs.
    with tempfile.TemporaryDirectory(prefix="hegemon-disk-") as home, SmallDisk(Path(home) / "disk") as disk:
        Path(home).chmod(0o755)
        cluster = Cluster(folder, kind, workers, disk, program, shared_port=shared_port)
        try:
            await cluster.start()
            yield cluster
        finally:
            await cluster.close()


def reason_unavailable(kind: str, *, shared_port: bool = False) -> str:
    """Why a cluster of that kind cannot be tested on this machine; empty if it can."""
    if kind == POSTGRESQL and not is_installed():
        return "PostgreSQL is not installed (on Debian: the package postgresql); try --database sqlite."
    if shared_port and sys.platform != "linux":
        return "--shared-port finds the workers in /proc, which only Linux has."
    return ""


__all__ = [
    "POSTGRESQL",
    "SQLITE",
    "Cluster",
    "ClusterError",
    "Server",
    "SharedPort",
    "reason_unavailable",
    "running",
]
