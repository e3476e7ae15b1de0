"""`hegemon study`: statistics of many games, as tables, a page or Markdown."""

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer import Option

from hegemon.cli import saves
from hegemon.cli.errors import INTERRUPTED, print_error
from hegemon.cli.json_output import write_json
from hegemon.cli.options import AsJson, Jobs
from hegemon.cli.prose import ARENA, STUDY
from hegemon.cli.terminal.console import output_console
from hegemon.notation.messages import message_of
from hegemon.notation.setup import SetupError

if TYPE_CHECKING:
    from hegemon.arena.analysis import Finding
    from hegemon.arena.study import GameStudy

MAX_GAMES: Final = 2_000_000


def study(
    games: Annotated[
        int, Option(help="The number of games of each kind, at random and by a simple bot.")
    ] = 20_000,
    strong: Annotated[str, Option(help="The strong bot.")] = "search:100",
    strong_games: Annotated[int, Option(help="The number of games of each kind by the strong bot.")] = 0,
    seed: Annotated[int, Option(help="The same seed deals the same games.")] = 0,
    jobs: Jobs = None,
    as_json: AsJson = False,
    report: Annotated[Path | None, Option(help="Write a page with tables and plots to this folder.")] = None,
    markdown: Annotated[
        Path | None, Option(help="Write the tables to this file, and the plots next to it.")
    ] = None,
) -> int:
    """Study the game: length, endings, Domains, seats, draft, rulings and effects, with intervals.

    Many games are played at random and by a simple bot, some by a strong one. The results are in English. An
    interrupted study shows the results of the finished games.
    """
    # NumPy and the packages of the arena are slow to import, and no other command needs them.
    from hegemon.arena.analysis import findings
    from hegemon.arena.games import BotFailed
    from hegemon.arena.study import GameStudy
    from hegemon.arena.study_report import write_markdown, write_page
    from hegemon.cli import runs

    inquiry = GameStudy(games, seed, strong, strong_games)
    for key, number, least in (("games", games, 1), ("strong-games", strong_games, 0)):
        if not least <= number <= MAX_GAMES:
            raise SetupError(STUDY[key].format(most=MAX_GAMES, games=number))
    jobs = runs.number_of_jobs(jobs)
    list(inquiry.tournaments())  # raises if a bot is unknown
    runs.check_file(markdown)
    if (report is not None or markdown is not None) and find_spec("matplotlib") is None:
        raise SetupError(STUDY["no-matplotlib"])
    if report is not None:
        saves.make_folder(report)
    status = 0
    try:
        play_games(inquiry, jobs)
    except KeyboardInterrupt:
        print_error(STUDY["interrupted"])
        status = INTERRUPTED
    except BotFailed as failure:
        print_error(failure.trace)
        raise SetupError(message_of(failure)) from None
    found = findings(inquiry)
    data: dict[str, Any] = {
        "finished": status == 0,
        "games": games,
        "strong": strong if strong_games else None,
        "strong_games": strong_games,
        "seed": seed,
        **{finding.name: finding.data for finding in found},
    }
    if as_json:
        write_json(data)
    else:
        draw_findings(output_console(), inquiry, found)
    command = shlex.join(["hegemon", *sys.argv[1:]])
    if report is not None:
        print_error(ARENA["report"].format(path=write_page(report, inquiry, found, command)))
    if markdown is not None:
        write_markdown(markdown, inquiry, found, command)
        print_error(STUDY["markdown"].format(path=markdown))
    return status


def play_games(study: "GameStudy", jobs: int) -> None:
    from hegemon.arena.study import CHANCE, SENSE
    from hegemon.cli import runs

    with runs.progress_bars() as update:
        for by in (CHANCE, SENSE):
            study.sample(by, jobs, update)
        if study.strong is not None and study.strong_games:
            study.play_strong(runs.local_workers((study.strong,), jobs), runs.unfinished_journal, update)


def draw_findings(console: Console, study: "GameStudy", found: "list[Finding]") -> None:
    from hegemon.arena.study_report import TITLE, summary

    if not found:
        console.print(STUDY["nothing"])
        return
    console.print(Text(TITLE, style="bold"))
    console.print(summary(study).replace("`", ""), markup=False)
    for finding in found:
        console.print()
        console.print(Text(finding.title, style="bold"))
        console.print(finding.text.replace("`", ""), markup=False)
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for place, heading in enumerate(finding.table.headings):
            table.add_column(heading, justify="right" if place > 1 else "left", overflow="fold")
        before = ""
        for row in finding.table.rows:  # a name that stands in the row above is not repeated
            table.add_row(*(Text(cell) for cell in ("" if row[0] == before else row[0], *row[1:])))
            before = row[0]
        console.print(table)
