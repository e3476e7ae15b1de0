"""A PostgreSQL server for the tests, in a temporary folder."""

import asyncio
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import asyncpg
from ports import free_port

#: Where Debian installs the programs of the server; they are not in PATH.
_DEBIAN = Path("/usr/lib/postgresql")

#: PostgreSQL refuses to run as root; root starts it as the user that Debian's package creates.
_USER = "postgres"

#: No test needs the data after a power failure, so nothing is written through to the disk.
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "full_page_writes": "off",
    "max_connections": "300",
    "autovacuum": "off",
}


def _program(name: str) -> str | None:
    """The path of a program of the newest version that is installed."""
    found = sorted(_DEBIAN.glob(f"*/bin/{name}"), key=lambda path: float(path.parts[-3]))
    return str(found[-1]) if found else shutil.which(name)


def is_installed() -> bool:
    return _program("initdb") is not None


class PostgresqlServer:
    """A server with its data in a folder, by default a temporary one, and with these settings added to the defaults."""

    def __init__(self, folder: Path | None = None, settings: Mapping[str, str] | None = None) -> None:
        # Not in one of pytest's folders, which other users cannot read.
        self._own = tempfile.TemporaryDirectory(prefix="hegemon-postgresql-") if folder is None else None
        folder = Path(self._own.name) if self._own is not None else folder
        self._settings = _SETTINGS | dict(settings or {})
        self._data = folder / "data"
        self._log = folder / "log"
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._as_user: dict[str, Any] = {"cwd": "/"}
        if os.geteuid() == 0:
            user = pwd.getpwnam(_USER)
            os.chown(folder, user.pw_uid, user.pw_gid)
            self._as_user |= {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        options = ("--username=postgres", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C")
        command = [_program("initdb") or "initdb", *options, f"--pgdata={self._data}"]
        subprocess.run(command, check=True, capture_output=True, **self._as_user)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        if self._own is not None:
            self._own.cleanup()

    def url(self, name: str) -> str:
        return f"postgresql+asyncpg://postgres@127.0.0.1:{self.port}/{name}"

    def execute(self, statement: str) -> None:
        """Execute a statement as the superuser, outside a transaction."""

        async def execute() -> None:
            connection = await asyncpg.connect(
                host="127.0.0.1", port=self.port, user="postgres", database="postgres"
            )
            try:
                await connection.execute(statement)
            finally:
                await connection.close()

        asyncio.run(execute())

    def start(self) -> None:
        command = [_program("postgres") or "postgres", "-D", str(self._data), "-p", str(self.port)]
        for key, value in self._settings.items():
            command += ["-c", f"{key}={value}"]
        with self._log.open("ab") as log:
            # Ctrl-C is meant for the program that started it.
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, start_new_session=True, **self._as_user
            )
        while True:
            # While it recovers, it refuses connections, or may even close them again.
            with suppress(OSError, asyncpg.PostgresConnectionError, asyncpg.OperatorInterventionError):
                return self.execute("SELECT 1")
            if self._process.poll() is not None:
                raise RuntimeError(self._log.read_text())
            time.sleep(0.02)

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """Stop without waiting for clients; by default at once, so that the next start recovers."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None
