"""`hegemon think`: bots of servers on PostgreSQL search on this machine."""

import os
from typing import Annotated

from rich.text import Text
from typer import Option

from hegemon.cli.commands.serve import LogFormat, check_packages
from hegemon.cli.errors import CommandError
from hegemon.cli.prose import HOSTING, sentence_of
from hegemon.cli.terminal.console import output_console


def think(
    database: Annotated[str, Option(help="The PostgreSQL address of the server's database.")],
    processes: Annotated[
        int | None, Option(min=1, max=1024, help="The number of processes; otherwise one per core.")
    ] = None,
    log: Annotated[
        LogFormat | None, Option(help="Log format; otherwise text in a terminal, JSON elsewhere.")
    ] = None,
) -> None:
    """Let the bots of a server on PostgreSQL think on this machine; Ctrl-C stops it."""
    check_packages()
    from hegemon.server import logging as logs
    from hegemon.server.db.errors import DatabaseError
    from hegemon.server.runner import check_url, database_url
    from hegemon.server.thinking.host import think as think_for

    url = database_url(database)
    number = processes if processes is not None else os.cpu_count() or 1

    def ready(location: str) -> None:
        sentence = HOSTING.numbered("thinking", number, location=location)
        output_console().print(Text(sentence), soft_wrap=True)

    logs.configure_logging(log)
    try:
        check_url(url)
        think_for(url, number, ready)
    except DatabaseError as error:
        raise CommandError(sentence_of(error)) from None
