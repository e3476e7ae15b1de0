"""A server process of a chaos run, with a clock that can be stepped.

    python benchmarks/chaos/worker.py DATABASE SHIFT_FILE

SIGUSR2 makes it read from the file by how many seconds its clock is wrong. It prints its port when it is ready, and
ends when its standard input does, so that it does not survive the program that started it.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from hegemon.server.config import ServerConfig
from hegemon.server.db.files import DatabaseError
from hegemon.server.runner import check_database, serve, take_port
from hegemon.server.steady import SteadyClock

#: A bot that costs little, because it is not the bots that are tested.
SUBSTITUTE = "greedy"


class SteppingClock:
    """A clock that is wrong by a number of seconds in a file."""

    def __init__(self, clock: Callable[[], datetime], file: Path) -> None:
        self._clock, self._file = clock, file
        self._shift = timedelta(0)
        self.step()

    def step(self) -> None:
        self._shift = timedelta(seconds=float(self._file.read_text()))

    def __call__(self) -> datetime:
        return self._clock() + self._shift


def end_with_parent() -> None:
    sys.stdin.read()
    os._exit(1)


def main() -> None:
    url, file = sys.argv[1], Path(sys.argv[2])
    threading.Thread(target=end_with_parent, daemon=True).start()
    try:
        clock = SteppingClock(SteadyClock(check_database(url)), file)
        signal.signal(signal.SIGUSR2, lambda *_: clock.step())
        # The checker knows the moves of clients by their keys, which archives do not have.
        config = ServerConfig(url, now=clock, substitute_bot=SUBSTITUTE, archive_after=timedelta(days=365))
        taken = take_port("127.0.0.1", 0)
        port = taken.getsockname()[1]
        serve(config, taken, lambda: print(port, flush=True), "text")
    except (DatabaseError, OSError) as error:
        sys.exit(f"{type(error).__name__}: {error}")
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
