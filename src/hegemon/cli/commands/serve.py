"""`hegemon serve`: the game in the browser."""

import contextlib
import errno
import importlib.util
import os
import re
import socket
import sys
import webbrowser
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from rich.text import Text
from typer import Option

from hegemon.cli import saves
from hegemon.cli.errors import CommandError
from hegemon.cli.options import Database
from hegemon.cli.prose import ERRORS, MESSAGES, sentence_of
from hegemon.cli.seats import printable
from hegemon.cli.signals import Interrupts
from hegemon.cli.terminal.console import output_console
from hegemon.notation.setup import SetupError

if TYPE_CHECKING:
    from hegemon.server.config import MetricsConfig

DEFAULT_PORT = 8000

#: The maximum number of days before games are deleted: a hundred years.
MAX_DAYS = 36_500

#: A bot that the host allows: an installed one, or a name with its code.
_ALLOWED_BOT = re.compile(r"(?P<name>\w[\w.-]{0,23})(?:=(?P<code>.+))?")

#: A bearer token that cannot be guessed.
_TOKEN = re.compile(r"[\x21-\x7e]{16,}")

LogFormat = Literal["json", "text", "quiet"]

#: The packages of the extra `server`.
_SERVER_PACKAGES = (
    "litestar",
    "uvicorn",
    "jinja2",
    "sqlalchemy",
    "alembic",
    "aiosqlite",
    "babel",
    "segno",
    "openskill",
    "networkx",
)


def serve(
    host: Annotated[str, Option(help="The address to listen at; 0.0.0.0 for all.")] = "127.0.0.1",
    port: Annotated[
        int | None, Option(min=0, max=65535, help="The port; 0 for any free one. Otherwise 8000.")
    ] = None,
    database: Database = None,
    base_url: Annotated[str, Option(help="The public address, such as https://play.example.org.")] = "",
    log: Annotated[
        LogFormat | None, Option(help="Log format; otherwise text in a terminal, JSON elsewhere.")
    ] = None,
    lobby: Annotated[bool, Option("--lobby", help="List open tables in a lobby, and rate games.")] = False,
    league: Annotated[bool, Option("--league", help="Open a league of the week every Monday.")] = False,
    expire: Annotated[
        int | None,
        Option(min=1, max=MAX_DAYS, help="Delete finished games and uploads after this many days."),
    ] = None,
    vacation_days: Annotated[
        int,
        Option(min=0, max=366, help="Vacation days of a player in a year, for days per move; 0 for none."),
    ] = 30,
    allow_bot: Annotated[
        list[str] | None,
        Option(help="One more bot for players: NAME, or NAME=module:Class or NAME=program:COMMAND."),
    ] = None,
    thinkers: Annotated[
        int, Option(min=0, max=64, help="Processes in which bots search; 0 for threads of the server.")
    ] = 0,
    workers: Annotated[
        int, Option(min=1, max=64, help="Processes that serve; more than one needs PostgreSQL.")
    ] = 1,
    private_webhooks: Annotated[
        bool, Option("--allow-private-webhooks", help="Allow webhooks to this network.")
    ] = False,
    metrics: Annotated[bool, Option("--metrics", help="Show metrics for Prometheus at /metrics.")] = False,
    metrics_token: Annotated[
        Path | None, Option(help="A file with the bearer token that readers of /metrics need.")
    ] = None,
    open_browser: Annotated[bool, Option("--open", help="Open the page in your browser.")] = False,
) -> None:
    """Start the server for the browser; Ctrl-C stops it."""
    check_packages()
    from hegemon.server.config import ServerConfig
    from hegemon.server.db.errors import DatabaseError
    from hegemon.server.monotonic_clock import MonotonicClock
    from hegemon.server.runner import BaseUrlError, check_base_url, check_database, database_url, local_url
    from hegemon.server.runner import serve as serve_at
    from hegemon.server.workers import WorkerFailed, serve_with_workers

    allowed = dict(map(read_allowed_bot, allow_bot or ()))
    url = database_url(database if database is not None else default_database())
    if workers > 1 and url.startswith("sqlite"):
        raise CommandError(ERRORS["workers-sqlite"])
    try:
        base_url = check_base_url(base_url) if base_url else ""
        last_change = check_database(url)
    except (BaseUrlError, DatabaseError) as error:
        raise CommandError(sentence_of(error)) from None
    listener = listen(host, port)
    address = base_url or local_url(listener)
    console = output_console()

    def ready() -> None:
        console.print(Text(MESSAGES["serving"].format(address=address)), soft_wrap=True)
        if open_browser and has_display():
            webbrowser.open(address)

    config = ServerConfig(
        url,
        base_url,
        lobby=lobby,
        league=league,
        allowed_bots=allowed,
        thinkers=thinkers,
        private_webhooks=private_webhooks,
        metrics=metrics_config(metrics, metrics_token),
        vacation_days=vacation_days,
        expire_after=timedelta(days=expire) if expire is not None else None,
        now=MonotonicClock(last_change),
    )

    with Interrupts() as interrupts:
        # Ctrl-C is the normal way to stop a server, so the exit status is 0.
        try:
            with contextlib.suppress(KeyboardInterrupt), interrupts.allowed():
                if workers > 1:
                    serve_with_workers(config, listener, workers, ready, log)
                else:
                    serve_at(config, listener, ready, log)
        except DatabaseError as error:
            raise CommandError(sentence_of(error)) from None
        except WorkerFailed:
            raise CommandError(ERRORS["worker-failed"]) from None
        console.print(MESSAGES["served"])


def read_allowed_bot(text: str) -> tuple[str, str]:
    """The public name of a bot and its name for `make_bot`, which is checked."""
    from hegemon.bots import BOTS, make_bot
    from hegemon.server.web.new_game import OCCUPANTS

    found = _ALLOWED_BOT.fullmatch(text)
    if found is None or found["name"] in (*BOTS, *OCCUPANTS):
        raise SetupError(ERRORS["allow-bot"].format(text=printable(text[:60])))
    name, code = found["name"], found["code"] or found["name"]
    make_bot(code)
    return name, code


def metrics_config(enabled: bool, token: Path | None) -> "MetricsConfig | None":
    """The configuration of /metrics; None if it is off."""
    from hegemon.server.config import MetricsConfig

    if token is None:
        return MetricsConfig() if enabled else None
    text = token.read_text(errors="replace").strip()
    if not _TOKEN.fullmatch(text):
        raise CommandError(ERRORS["metrics-token"].format(path=token))
    return MetricsConfig(text)


def check_packages() -> None:
    """Raise an error that names the missing packages of the extra `server`."""
    missing = [package for package in _SERVER_PACKAGES if importlib.util.find_spec(package) is None]
    if missing:
        raise CommandError(ERRORS["no-server"].format(parts=", ".join(missing)))


def listen(host: str, port: int | None) -> socket.socket:
    """A listening socket; without a port, on the default one, or on any other if that is in use."""
    from hegemon.server.runner import listening_socket

    number = DEFAULT_PORT if port is None else port
    try:
        return listening_socket(host, number)
    except OSError as error:
        in_use = error.errno == errno.EADDRINUSE
        if port is None and in_use:
            return listen(host, 0)
        key, reason = "port-in-use" if in_use else "port", error.strerror or str(error)
        raise CommandError(ERRORS[key].format(address=host, port=number, reason=reason)) from None


def default_database() -> str:
    folder = saves.folder().parent
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder / "tables.db")


def has_display() -> bool:
    """Whether a browser could open a window here."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
