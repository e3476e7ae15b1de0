"""`hegemon backup`, `restore`, `check`, `purge` and `erase`: what the host of a server does now and then."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeVar

from rich.text import Text
from typer import Argument, Option

from hegemon.cli.commands.serve import MAX_DAYS, check_packages, default_database
from hegemon.cli.errors import FAILED, CommandError
from hegemon.cli.options import Database
from hegemon.cli.prose import HOSTING, said, sentence_of
from hegemon.cli.terminal.console import output_console

Result = TypeVar("Result")


def backup(
    file: Annotated[Path, Argument(help="The file to write, or a folder.")], database: Database = None
) -> None:
    """Copy a server's database, also while people play."""
    from hegemon.server.db.copies import back_up

    saved = run(lambda url: back_up(url, file), database)
    say(HOSTING["saved"], file=saved, size=f"{saved.stat().st_size:,}")


def restore(
    file: Annotated[Path, Argument(help="A file written by `hegemon backup`.")],
    database: Database = None,
) -> None:
    """Replace a server's database by a backup; the server must be stopped."""
    from hegemon.server.db import copies

    former = run(lambda url: copies.restore(url, file), database)
    say(HOSTING["restored"], file=file)
    if former is not None:
        say(HOSTING["former"], file=former)


def check(database: Database = None) -> int:
    """Check a server's database, and replay every game in it; the server may run."""
    from hegemon.server import maintenance

    report = run(maintenance.check, database)
    for problem in report.problems:
        say(said(problem))
    say(
        HOSTING["checked"],
        games=f"{report.games:,}",
        moves=f"{report.moves:,}",
        problems=len(report.problems),
    )
    return FAILED if report.problems else 0


def purge(
    days: Annotated[
        int, Option(min=1, max=MAX_DAYS, help="The number of days that games stay after their last change.")
    ],
    database: Database = None,
) -> None:
    """Delete old finished games and uploads; the server must be stopped."""
    from hegemon.server import maintenance

    number = run(lambda url: maintenance.purge(url, days), database)
    say(HOSTING["purged"], number=f"{number:,}")


def erase(
    who: Annotated[str, Argument(help="A personal link, or GAME/SEAT; - reads standard input.")],
    database: Database = None,
) -> None:
    """Erase what a server stores about a person; the server must be stopped."""
    from hegemon.server import maintenance

    person = sys.stdin.readline() if who == "-" else who
    number = run(lambda url: maintenance.erase(url, person), database)
    say(HOSTING.numbered("erased", number))


def run(work: Callable[[str], Result], database: str | None) -> Result:
    """Do something with a database, and report why it cannot be done."""
    check_packages()
    from hegemon.server.db.files import DatabaseError
    from hegemon.server.runner import check_url, database_url

    url = database_url(database if database is not None else default_database())
    try:
        check_url(url)
        return work(url)
    except DatabaseError as error:
        raise CommandError(sentence_of(error)) from None


def say(sentence: str, **facts: object) -> None:
    output_console().print(Text(sentence.format(**facts) if facts else sentence), soft_wrap=True)
