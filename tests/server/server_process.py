"""A server in a separate process, on a socket that outlives it: it can be killed and restarted."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from server_kills import Nursery

from hegemon.server.runner import check_database, database_url, listening_socket, local_url


class ServerProcess:
    """A server that runs, and where."""

    def __init__(self, nursery: Nursery, address: str, database: Path) -> None:
        self._nursery = nursery
        self.address = address
        self.database = database
        self._process = 0
        self._starting: threading.Thread | None = None

    def start(self) -> None:
        self._process = self._nursery.start()

    def start_soon(self) -> None:
        """Start it when the last one is dead, and do not wait for that: asked to stop, one plays on for a moment."""
        self._starting = threading.Thread(target=self.start)
        self._starting.start()

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Stop it as a person would; a spectator is let go."""
        self._end(signal.SIGINT)

    def _end(self, how: signal.Signals) -> None:
        if self._starting is not None:
            self._starting.join()
        os.kill(self._process, how)


@contextmanager
def server_process(folder: Path) -> Iterator[ServerProcess]:
    """A server with a database of its own, while it is needed."""
    database = folder / "games.db"
    check_database(database_url(str(database)))
    with listening_socket("127.0.0.1", 0) as taken:
        nursery = Nursery(database_url(str(database)), taken)
        server = ServerProcess(nursery, local_url(taken), database)
        server.start()
        try:
            yield server
        finally:
            server.kill()
            nursery.close()
