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
from hegemon.server.affinity import Affinity
from hegemon.server.app import create_app
from hegemon.server.config import ServerConfig
from hegemon.server.db.errors import DatabaseError
from hegemon.server.db.sqlite_files import lock_file
from hegemon.server.db.store import run_alongside_servers
from hegemon.server.security.connections import LimitedProtocol, OpenConnections, raise_file_limit

#: Seconds after which a bot's thread yields the interpreter to requests.
_SWITCH_INTERVAL: Final = 0.001

#: Seconds for requests in progress to finish when the server stops.
_SHUTDOWN_TIMEOUT: Final = 5

#: The maximum number of connections that wait to be accepted, and that are accepted per iteration of the event loop.
_BACKLOG: Final = 2048
_MAX_ACCEPTED: Final = 32

#: The thresholds of the garbage collector: the defaults (700, 10, 10) would take a tenth of the CPU time, and stop the
#: server for 0.1 s or more every few seconds. Reference counting frees nearly everything without it.
_GC_THRESHOLDS: Final = (5_000, 5, 400)

#: Seconds after which the compiled search is loaded, in the background.
_WARM_UP_DELAY: Final = 60

#: Milliseconds after which a peer that acknowledges nothing counts as lost; heartbeats are acknowledged.
_TCP_USER_TIMEOUT: Final = 20_000


class AppServer(uvicorn.Server):
    """A uvicorn server that reports when it is ready, and closes event streams on shutdown.

    It runs the app's lifespan itself, so that a failure to start raises an exception instead of being logged.
    """

    def __init__(
        self,
        app: Litestar,
        config: uvicorn.Config,
        ready: Callable[[], None],
        disconnect_all: Callable[[], None],
        stopping: Callable[[], None] = lambda: None,
        affinity: Affinity | None = None,
    ) -> None:
        super().__init__(config)
        self._app = app
        self._ready = ready
        self._disconnect_all = disconnect_all
        self._stopping = stopping
        self._affinity = affinity
        self._accepting: set[asyncio.Task[None]] = set()

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
        if not self.started:
            return
        if self._affinity is not None:
            self._affinity.listen(self._accept)
            self._affinity.set_serving(True)
        self._ready()

    def _accept(self, connection: socket.socket, received: bytes) -> None:
        """Serve a connection that another worker has handed over."""
        task = asyncio.get_running_loop().create_task(self._adopt(connection, received))
        self._accepting.add(task)
        task.add_done_callback(self._accepting.discard)

    async def _adopt(self, connection: socket.socket, received: bytes) -> None:
        protocol = partial(
            cast(Callable[..., asyncio.Protocol], self.config.http_protocol_class),
            config=self.config,
            server_state=self.server_state,
            app_state=self.lifespan.state,
            received=received,
        )
        try:
            await asyncio.get_running_loop().connect_accepted_socket(protocol, connection)
        except OSError:  # the client has left
            connection.close()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop gracefully; unlike in uvicorn, a second signal does not force an exit."""
        if not self.should_exit:
            self._stopping()
            super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._affinity is not None:
            self._affinity.close()
        self._disconnect_all()
        await super().shutdown(sockets)


def _leaves(group: BaseExceptionGroup[DatabaseError]) -> Iterator[DatabaseError]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


def database_url(location: str) -> str:
    """The URL of a database, including our driver; a path denotes a SQLite file."""
    if "://" not in location:
        return f"sqlite+aiosqlite:///{Path(location).absolute()}"
    return re.sub(r"^postgres(ql)?://", "postgresql+asyncpg://", location)


def check_url(url: str) -> None:
    """Raise DatabaseError for an invalid database URL, or one that needs a missing package."""
    try:
        create_async_engine(url)
    except ModuleNotFoundError as error:
        if error.name != "asyncpg":
            raise _unusable_url(error) from error
        raise DatabaseError(
            "PostgreSQL needs asyncpg. Install it with: pip install 'hegemon[postgres]'"
        ) from error
    except (ImportError, SQLAlchemyError) as error:
        raise _unusable_url(error) from error


def _unusable_url(error: Exception) -> DatabaseError:
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
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if sys.platform == "linux":  # connections inherit the option; other systems use their default
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _TCP_USER_TIMEOUT)
    try:
        sock.bind((host, port))
        sock.listen()
    except OSError:
        sock.close()
        raise
    return sock


def local_url(sock: socket.socket) -> str:
    """The URL of the server for browsers on this machine."""
    host, port = sock.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = "localhost"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class BaseUrlError(MessageError, ValueError):
    """An invalid base URL; the message describes a valid one."""


def check_base_url(url: str) -> str:
    """Check the public URL of a server behind a proxy; return it without a trailing slash."""
    invalid = BaseUrlError("--base-url is an address such as https://play.example.org, not {url}.", url=url)
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise invalid from None
    if parts.scheme not in ("http", "https") or not host or re.search(r"[\s@]", parts.netloc):
        raise invalid
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
    config: ServerConfig,
    sock: socket.socket,
    ready: Callable[[], None],
    log: str | None = "quiet",
    affinity: Affinity | None = None,
) -> None:
    """Serve until Ctrl-C or a signal; raises DatabaseInUse if another server is using the database.

    Workers behind one port have an affinity, by which they hand connections over to each other.
    """
    logs.configure_logging(log)
    sys.setswitchinterval(_SWITCH_INTERVAL)
    open_connections = OpenConnections(config.connections, raise_file_limit())
    app = create_app(config)
    uvicorn_config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=_SHUTDOWN_TIMEOUT,
        http=cast(
            type[asyncio.Protocol],
            partial(
                LimitedProtocol,
                open_connections=open_connections,
                hand_over=affinity.hand_over if affinity is not None else None,
            ),
        ),
        ws="none",
        backlog=_MAX_ACCEPTED,
        server_header=False,
        lifespan="off",
    )

    def on_started() -> None:
        sock.listen(_BACKLOG)  # asyncio uses `backlog` both for this and for the connections per iteration
        tune_garbage_collector()
        asyncio.get_running_loop().call_later(_WARM_UP_DELAY, tune_garbage_collector)
        ready()
        logs.log_event("started", address=config.base_url or local_url(sock))

    server = AppServer(
        app,
        uvicorn_config,
        on_started,
        lambda: app.state.tables.disconnect_all(),
        app.state.readiness.stop,
        affinity,
    )
    with sock, lock_file(config.database):
        server.run(sockets=[sock])
    logs.log_event("stopped")
