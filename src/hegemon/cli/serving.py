"""The game in the browser: `hegemon serve`."""

import contextlib
import errno
import importlib.util
import os
import socket
import sys
import webbrowser

from rich.console import Console
from rich.text import Text

from hegemon.cli import saves
from hegemon.cli.interruptions import Interruptions
from hegemon.cli.prose import ERRORS, MESSAGES

#: The port that is tried where none is named.
USUAL_PORT = 8000

#: What the page is built on; not there where only the library is installed.
_PARTS = (
    "litestar",
    "uvicorn",
    "jinja2",
    "sqlalchemy",
    "alembic",
    "aiosqlite",
    "babel",
    "segno",
    "openskill",
)


class CannotServe(Exception):
    """The server cannot be started; the sentence says why and what to do."""


def run(
    console: Console,
    *,
    host: str,
    port: int | None,
    database: str | None,
    base_url: str,
    lobby: bool,
    private_webhooks: bool,
    open_browser: bool,
    log: str | None = None,
) -> None:
    """Serve the game until Ctrl-C; where no port is named, at the usual one or, if that is taken, at any other."""
    missing = [part for part in _PARTS if importlib.util.find_spec(part) is None]
    if missing:
        raise CannotServe(ERRORS["no-server"].format(parts=", ".join(missing)))
    from hegemon.bots import warm_up
    from hegemon.server.app import Settings
    from hegemon.server.serving import (
        BaseUrlError,
        address_of,
        check_base_url,
        check_database,
        database_url,
        serve,
    )
    from hegemon.server.store import StoreError

    url = database_url(database if database is not None else default_database())
    try:
        base_url = check_base_url(base_url) if base_url else ""
        check_database(url)
    except (BaseUrlError, StoreError) as error:
        raise CannotServe(str(error)) from None
    taken = listen(host, port)
    address = base_url or address_of(taken)

    def ready() -> None:
        warm_up(wait=False)
        console.print(Text(MESSAGES["serving"].format(address=address)), soft_wrap=True)
        if open_browser and has_screen():
            webbrowser.open(address)

    settings = Settings(url, base_url, lobby=lobby, private_webhooks=private_webhooks)
    with Interruptions() as interruptions:
        # Whoever stops a server by Ctrl-C means it: that is no interruption.
        with contextlib.suppress(KeyboardInterrupt), interruptions.heard():
            serve(settings, taken, ready, log)
        console.print(MESSAGES["served"])


def listen(host: str, port: int | None) -> socket.socket:
    """A socket at that address, or the reason why there can be none."""
    from hegemon.server.serving import take_port

    try:
        return take_port(host, USUAL_PORT if port is None else port)
    except OSError as error:
        in_use = error.errno == errno.EADDRINUSE
        if port is None and in_use:
            return listen(host, 0)
        key, reason = "port-in-use" if in_use else "port", error.strerror or str(error)
        number = USUAL_PORT if port is None else port
        raise CannotServe(ERRORS[key].format(host=host, port=number, reason=reason)) from None


def default_database() -> str:
    """The database in the user's data folder, beside the games of the terminal."""
    folder = saves.folder().parent
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder / "tables.db")


def has_screen() -> bool:
    """Whether a browser could open a window here."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
