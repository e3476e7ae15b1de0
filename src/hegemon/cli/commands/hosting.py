"""Commands for the host of a server: `hegemon backup`, `check`, `erase`, `host-token` and others."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from rich.text import Text
from typer import Argument, Option

from hegemon.cli.commands.serve import MAX_DAYS, check_packages, default_database
from hegemon.cli.errors import FAILED, CommandError
from hegemon.cli.json_output import write_json
from hegemon.cli.options import AsJson, Database
from hegemon.cli.prose import HOSTING, sentence_of, translate_message
from hegemon.cli.terminal.console import error_console, output_console

Result = TypeVar("Result")


def backup(
    file: Annotated[Path, Argument(help="The file to write, or a folder.")],
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Copy a server's database, also while people play."""
    check_packages()
    from hegemon.server.db.backups import back_up

    with copy_progress() as progress:
        saved = run(lambda url: back_up(url, file, progress), database)
    size = saved.stat().st_size
    report(
        as_json, {"file": str(saved), "bytes": size}, HOSTING["saved"].format(file=saved, size=f"{size:,}")
    )


def restore(
    file: Annotated[Path, Argument(help="A file written by `hegemon backup`.")],
    database: Database = None,
    replace: Annotated[
        bool, Option("--replace", help="Delete what is in a PostgreSQL database first.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Replace a server's database by a backup; the server must be stopped."""
    check_packages()
    from hegemon.server.db import backups

    with copy_progress() as progress:
        former = run(lambda url: backups.restore(url, file, replace=replace, progress=progress), database)
    facts = {"file": str(file), "former": str(former) if former is not None else None}
    notes = [HOSTING["former"].format(file=former)] if former is not None else []
    report(as_json, facts, HOSTING["restored"].format(file=file), *notes)


def check(database: Database = None, as_json: AsJson = False) -> int:
    """Check a server's database, and replay every game in it; the server may run."""
    check_packages()
    from hegemon.server import maintenance

    found = run(maintenance.check, database)
    problems = [translate_message(problem) for problem in found.problems]
    facts = {"games": found.games, "moves": found.moves, "problems": problems}
    counts = {"games": f"{found.games:,}", "moves": f"{found.moves:,}", "problems": len(problems)}
    report(as_json, facts, *problems, HOSTING["checked"].format(**counts))
    return FAILED if problems else 0


def purge(
    days: Annotated[
        int, Option(min=1, max=MAX_DAYS, help="The number of days that games stay after their last change.")
    ],
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Delete old finished games and uploads; the server must be stopped."""
    check_packages()
    from hegemon.server import maintenance

    number = run(lambda url: maintenance.purge(url, days), database)
    report(as_json, {"purged": number}, HOSTING["purged"].format(number=f"{number:,}"))


def compact(database: Database = None, as_json: AsJson = False) -> None:
    """Archive finished games at once, and make the file smaller; the server must be stopped."""
    check_packages()
    from hegemon.server import maintenance

    number = run(maintenance.compact, database)
    report(as_json, {"archived": number}, HOSTING["compacted"].format(number=f"{number:,}"))


def erase(
    who: Annotated[str, Argument(help="A personal link, or GAME/SEAT; - reads standard input.")],
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Erase what a server stores about a person; the server must be stopped."""
    check_packages()
    from hegemon.server import maintenance

    person = sys.stdin.readline() if who == "-" else who
    number = run(lambda url: maintenance.erase(url, person), database)
    report(as_json, {"erased": number}, HOSTING.numbered("erased", number))


def host_token(database: Database = None, as_json: AsJson = False) -> None:
    """Make a new host token for the page /admin of a server, and print it; the server may run."""
    check_packages()
    from hegemon.server import maintenance

    token = run(maintenance.new_host_token, database)
    report(as_json, {"token": token}, token, HOSTING["host-token"])


def moderate(
    action: Annotated[
        Literal["mute", "unmute", "remove", "close", "block", "unblock"], Argument(help="What to do.")
    ],
    what: Annotated[str, Argument(help="A person as GAME/SEAT, a game to close, or a name to block.")],
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Mute or remove a person, close a table or block a name; the server must be stopped."""
    check_packages()
    from hegemon.server import maintenance

    run(lambda url: maintenance.moderate(url, action, what.strip()), database)
    report(as_json, {"action": action}, HOSTING["moderated"])


@contextmanager
def copy_progress() -> Iterator[Callable[[int], None]]:
    """Yield a callback that shows the number of copied rows, if this is a terminal."""
    console = error_console()
    if not console.is_terminal:
        yield lambda _: None
        return
    with console.status(HOSTING["copied"].format(number=0)) as status:
        yield lambda number: status.update(HOSTING["copied"].format(number=f"{number:,}"))


def run(work: Callable[[str], Result], database: str | None) -> Result:
    """Call a function with the URL of the database, and report database errors."""
    from hegemon.server.db.errors import DatabaseError
    from hegemon.server.runner import check_url, database_url

    url = database_url(database if database is not None else default_database())
    try:
        check_url(url)
        return work(url)
    except DatabaseError as error:
        raise CommandError(sentence_of(error)) from None


def report(as_json: bool, facts: dict[str, Any], *sentences: str) -> None:
    """Print the result, as JSON or in sentences."""
    if as_json:
        write_json(facts)
    else:
        for sentence in sentences:
            output_console().print(Text(sentence), soft_wrap=True)
