"""Running a server: check the database, bind the port, serve, and shut down cleanly."""

import asyncio
import gc
import re
import socket
import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Final, cast
from urllib.parse import urlsplit

import uvicorn
from litestar import Litestar
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import create_async_engine

from hegemon.notation.messages import MessageError
from hegemon.server import logging as logs
from hegemon.server.app import create_app
from hegemon.server.config import ServerConfig
from hegemon.server.db.errors import DatabaseError
from hegemon.server.db.sqlite_files import lock_file
from hegemon.server.db.store import run_alongside_servers
from hegemon.server.security.connections import LimitedProtocol, OpenConnections, raise_file_limit

#: Seconds after which a thread in which a bot thinks yields the interpreter to requests.
_SWITCH_INTERVAL: Final = 0.001

#: Seconds for requests in progress to finish when the server stops.
_SHUTDOWN_TIMEOUT: Final = 5

#: The maximum number of connections that wait to be accepted, and that are accepted per iteration of the event loop.
_BACKLOG: Final = 2048
_MAX_ACCEPTED: Final = 32

#: The thresholds of the garbage collector: Python's own (700, 10, 10) would take a tenth of the CPU time, and stop the
#: server for 0.1 s and more every few seconds. Nearly everything is freed without it, by reference counts.
_GC_THRESHOLDS: Final = (5_000, 5, 400)

#: Seconds after which the compiled search is loaded, in the background.
_WARM_UP_DELAY: Final = 60

#: Milliseconds after which a peer that acknowledges nothing counts as lost; heartbeats are acknowledged.
_TCP_USER_TIMEOUT: Final = 20_000


class Server(uvicorn.Server):
    """A uvicorn server that reports when it is ready, and closes event streams on shutdown.

    It runs the app's lifespan itself, so that the reason why an app cannot start is an exception and not a log entry.
    """

    def __init__(
        self,
        app: Litestar,
        config: uvicorn.Config,
        ready: Callable[[], None],
        disconnect_all: Callable[[], None],
        stopping: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(config)
        self._app = app
        self._ready = ready
        self._disconnect_all = disconnect_all
        self._stopping = stopping

    async def _serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve during the lifespan of the app; raise DatabaseError if the app cannot start."""
        failure: DatabaseError | None = None
        try:
            async with self._app.lifespan():
                await super()._serve(sockets)
        except* DatabaseError as failures:
            failure = next(_leaves(failures))
        if failure is not None:
            raise failure

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop gracefully; a second signal does not force an exit, so that nothing is left half done."""
        if not self.should_exit:
            self._stopping()
            super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._disconnect_all()
        await super().shutdown(sockets)


def _leaves(group: BaseExceptionGroup[DatabaseError]) -> Iterator[DatabaseError]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


def database_url(place: str) -> str:
    """The URL of a database, including our driver; a path denotes a SQLite file."""
    if "://" not in place:
        return f"sqlite+aiosqlite:///{Path(place).absolute()}"
    return re.sub(r"^postgres(ql)?://", "postgresql+asyncpg://", place)


def check_url(url: str) -> None:
    """Raise DatabaseError for a URL that names no database, or one for which a package is missing."""
    try:
        create_async_engine(url)
    except ModuleNotFoundError as error:
        if error.name != "asyncpg":
            raise _unusable(error) from error
        raise DatabaseError(
            "PostgreSQL needs asyncpg. Install it with: pip install 'hegemon[postgres]'"
        ) from error
    except (ImportError, SQLAlchemyError) as error:
        raise _unusable(error) from error


def _unusable(error: Exception) -> DatabaseError:
    return DatabaseError(
        "The address of the database cannot be used: {error}. Give a file, or an address such as "
        "postgresql://me@localhost/games.",
        error=error,
    )


def check_database(url: str) -> datetime | None:
    """Check the database for damage, and migrate it; return when it was last changed.

    Raises DatabaseError if it cannot be used.
    """
    check_url(url)
    return run_alongside_servers(url, lambda store: store.games.last_change())


def listening_socket(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 is any free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is explicit because asyncio sets TCP_NODELAY only on connections that inherit it.
    taken = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if sys.platform == "linux":  # connections inherit the option; other systems use their default
        taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _TCP_USER_TIMEOUT)
    try:
        taken.bind((host, port))
        taken.listen()
    except OSError:
        taken.close()
        raise
    return taken


def local_url(taken: socket.socket) -> str:
    """The URL of the server for browsers on this machine."""
    host, port = taken.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = "localhost"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class BaseUrlError(MessageError, ValueError):
    """An invalid base URL; the message describes a valid one."""


def check_base_url(url: str) -> str:
    """Check the public URL of a server behind a proxy; return it without a trailing slash."""
    wrong = BaseUrlError("--base-url is an address such as https://play.example.org, not {url}.", url=url)
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise wrong from None
    if parts.scheme not in ("http", "https") or not host or re.search(r"[\s@]", parts.netloc):
        raise wrong
    if parts.path.strip("/") or parts.query or parts.fragment:
        address = f"{parts.scheme}://{parts.netloc}"
        raise BaseUrlError("The page needs a host of its own: --base-url {address}", address=address)
    return f"{parts.scheme}://{parts.netloc}"


def tune_garbage_collector() -> None:
    """Exempt long-lived objects from garbage collection, and collect the others less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_GC_THRESHOLDS)


def serve(
    config: ServerConfig, taken: socket.socket, ready: Callable[[], None], log: str | None = "quiet"
) -> None:
    """Serve until Ctrl-C or a signal; raises DatabaseInUse if another server is using the database."""
    logs.set_up(log)
    sys.setswitchinterval(_SWITCH_INTERVAL)
    open_connections = OpenConnections(config.connections, raise_file_limit())
    app = create_app(config)
    uvicorn_config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=_SHUTDOWN_TIMEOUT,
        http=cast(type[asyncio.Protocol], partial(LimitedProtocol, open_connections=open_connections)),
        ws="none",
        backlog=_MAX_ACCEPTED,
        server_header=False,
        lifespan="off",
    )

    def started() -> None:
        taken.listen(_BACKLOG)  # asyncio uses one number for both
        tune_garbage_collector()
        asyncio.get_running_loop().call_later(_WARM_UP_DELAY, tune_garbage_collector)
        ready()
        logs.note("started", address=config.base_url or local_url(taken))

    server = Server(
        app, uvicorn_config, started, lambda: app.state.tables.disconnect_all(), app.state.readiness.stop
    )
    with taken, lock_file(config.database):
        server.run(sockets=[taken])
    logs.note("stopped")
