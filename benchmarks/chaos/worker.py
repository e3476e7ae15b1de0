"""A server of a chaos run, with a clock that can be stepped.

    python benchmarks/chaos/worker.py DATABASE SHIFT_FILE WORKERS

The file contains the error of the clock in seconds, as a double. The server prints its port when it is ready, and exits
when its standard input is closed, so that it does not outlive the program that started it. Several workers share the
port, as with `hegemon serve --workers`.
"""

import mmap
import os
import struct
import sys
import threading
from datetime import datetime, timedelta
from pathlib import Path

from hegemon.server.config import ServerConfig
from hegemon.server.db.errors import DatabaseError
from hegemon.server.monotonic_clock import MonotonicClock
from hegemon.server.runner import check_database, listening_socket, serve
from hegemon.server.workers import WorkerFailed, serve_with_workers

#: A cheap bot, because bots are not under test.
SUBSTITUTE = "greedy"

_SHIFT = struct.Struct("d")


def write_shift(file: Path, seconds: float) -> None:
    """Shift the clocks that read a file by a number of seconds."""
    # Processes have mapped the file, so it must not be truncated.
    with file.open("r+b" if file.exists() else "wb") as shift:
        shift.write(_SHIFT.pack(seconds))


class SteppingClock(MonotonicClock):
    """A server's clock, wrong by the number of seconds in a file; several processes can share the file."""

    def __init__(self, not_before: datetime | None, file: Path) -> None:
        self._file = file
        self._map_file()
        super().__init__(not_before)

    def _map_file(self) -> None:
        with self._file.open("rb") as shift:
            self._shift = mmap.mmap(shift.fileno(), _SHIFT.size, access=mmap.ACCESS_READ)

    def __call__(self) -> datetime:
        return super().__call__() + timedelta(seconds=_SHIFT.unpack_from(self._shift)[0])

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "_shift"}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state)
        self._map_file()


def exit_with_parent() -> None:
    sys.stdin.read()
    os._exit(1)


def main() -> None:
    url, file, workers = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    threading.Thread(target=exit_with_parent, daemon=True).start()
    try:
        clock = SteppingClock(check_database(url), file)
        # The checker knows the moves of clients by their keys, which archives do not have.
        config = ServerConfig(url, now=clock, substitute_bot=SUBSTITUTE, archive_after=timedelta(days=365))
        listener = listening_socket("127.0.0.1", 0)
        port = listener.getsockname()[1]

        def ready() -> None:
            print(port, flush=True)

        if workers > 1:
            serve_with_workers(config, listener, workers, ready, "text")
        else:
            serve(config, listener, ready, "text")
    except (DatabaseError, OSError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    except WorkerFailed:
        sys.exit("a worker did not start")
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
