"""A server that runs: it looks at its database, takes its port, and leaves nobody waiting when it stops."""

import asyncio
import re
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Final
from urllib.parse import urlsplit

import uvicorn
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import create_async_engine

from hegemon.server import logging as logs
from hegemon.server.app import create_app
from hegemon.server.config import ServerConfig
from hegemon.server.db.database import DatabaseError
from hegemon.server.db.store import Store

#: A bot that thinks in Python lets the page have its turn after so long.
_SWITCH_SECONDS: Final = 0.001

#: What is still going on when the server stops may go on for so long.
_GRACE_SECONDS: Final = 5

#: Whoever has not confirmed what was sent after so long is gone: somebody who thinks still hears the heartbeat.
_LOST_MILLISECONDS: Final = 20_000


class Server(uvicorn.Server):
    """uvicorn, but it says when it can be reached, and lets whoever watches a table go: no stream ends by itself."""

    def __init__(
        self, config: uvicorn.Config, ready: Callable[[], None], disconnect_all: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._ready = ready
        self._dismiss = disconnect_all

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so only when a browser would be answered."""
        await super().startup(sockets)
        if self.started:
            self._ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop. Whoever says so again is not quicker, so that nothing is left half done."""
        if not self.should_exit:
            super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let everybody go, then stop."""
        self._dismiss()
        await super().shutdown(sockets)


def database_url(place: str) -> str:
    """A database by its address; a path is a file of SQLite's."""
    return place if "://" in place else f"sqlite+aiosqlite:///{Path(place).absolute()}"


def check_database(url: str) -> None:
    """Make the database ready, or say why it cannot be used (DatabaseError)."""
    try:
        create_async_engine(url)
    except (ImportError, SQLAlchemyError) as error:
        raise DatabaseError(
            "The address of the database cannot be used: "
            f"{error}. Name a file, or an address such as sqlite+aiosqlite:////home/me/games.db."
        ) from error

    async def check() -> None:
        store = Store(url)
        try:
            await store.migrate()
        finally:
            await store.close()

    asyncio.run(check())


def take_port(host: str, port: int) -> socket.socket:
    """A socket at that address; port 0 is any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    taken = socket.socket(family)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if sys.platform == "linux":  # every connection inherits it; elsewhere the system takes its time
        taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _LOST_MILLISECONDS)
    try:
        taken.bind((host, port))
        taken.listen()
    except OSError:
        taken.close()
        raise
    return taken


def address_of(taken: socket.socket) -> str:
    """Where a browser on this machine finds the server."""
    host, port = taken.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = "localhost"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class BaseUrlError(ValueError):
    """An address under which the page cannot be reached from outside, and what would do."""


def check_base_url(url: str) -> str:
    """The address under which a proxy offers the page, as links are made with it: without a slash at its end."""
    wrong = BaseUrlError(f"--base-url is an address such as https://play.example.org, not {url}.")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise wrong from None
    if parts.scheme not in ("http", "https") or not host or re.search(r"[\s@]", parts.netloc):
        raise wrong
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise BaseUrlError(f"The page needs a host of its own: --base-url {parts.scheme}://{parts.netloc}")
    return f"{parts.scheme}://{parts.netloc}"


def serve(
    config: ServerConfig, taken: socket.socket, ready: Callable[[], None], log: str | None = "quiet"
) -> None:
    """Serve until somebody stops it by Ctrl-C or a signal."""
    logs.set_up(log)
    sys.setswitchinterval(_SWITCH_SECONDS)
    app = create_app(config)
    uvicorn_config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        server_header=False,
    )

    def started() -> None:
        ready()
        logs.note("started", address=config.base_url or address_of(taken))

    server = Server(uvicorn_config, started, lambda: app.state.tables.disconnect_all())
    with taken:
        server.run(sockets=[taken])
    logs.note("stopped")
