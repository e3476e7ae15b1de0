"""A server in a separate process, on a socket that outlives it: it can be killed and restarted."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from server_kills import ForkServer

from hegemon.server.runner import check_database, database_url, listening_socket, local_url


class ServerProcess:
    """A running server, with its address and database."""

    def __init__(self, fork_server: ForkServer, address: str, database: Path) -> None:
        self._fork_server = fork_server
        self.address = address
        self.database = database
        self._process = 0
        self._starting: threading.Thread | None = None

    def start(self) -> None:
        self._process = self._fork_server.start()

    def start_soon(self) -> None:
        """Start it once the last one has ended, without waiting: after a request to stop, that takes a moment."""
        self._starting = threading.Thread(target=self.start)
        self._starting.start()

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Stop it as Ctrl-C does."""
        self._end(signal.SIGINT)

    def _end(self, how: signal.Signals) -> None:
        if self._starting is not None:
            self._starting.join()
        os.kill(self._process, how)


@contextmanager
def server_process(folder: Path) -> Iterator[ServerProcess]:
    """A server with a new database."""
    database = folder / "games.db"
    check_database(database_url(str(database)))
    with listening_socket("127.0.0.1", 0) as listener:
        fork_server = ForkServer(database_url(str(database)), listener)
        server = ServerProcess(fork_server, local_url(listener), database)
        server.start()
        try:
            yield server
        finally:
            server.kill()
            fork_server.close()
