"""`hegemon study`: statistics of many games, as tables, a page or Markdown."""

import shlex
import sys
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

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
from hegemon.notation.setup import SetupError

if TYPE_CHECKING:
    from hegemon.arena.analysis import Finding
    from hegemon.arena.study import GameStudy

MAX_GAMES: Final = 2_000_000


def study(
    games: Annotated[int, Option(help="The number of games of each kind.")] = 1000,
    seed: Annotated[int, Option(help="The same seed deals the same games.")] = 0,
    jobs: Jobs = None,
    as_json: AsJson = False,
    report: Annotated[Path | None, Option(help="Write a page with tables and plots to this folder.")] = None,
    markdown: Annotated[
        Path | None, Option(help="Write the tables to this file, and the plots next to it.")
    ] = None,
) -> int:
    """Study the game: length, endings, Domains, seats, draft, openings, effects and rulings, with intervals.

    The games are those of a strong bot against itself: a thousand of each kind take some minutes. The results are in
    English. An interrupted study shows the results of the finished games.
    """
    # NumPy and the packages of the arena are slow to import, and no other command needs them.
    from hegemon.arena.analysis import findings
    from hegemon.arena.study import GameStudy
    from hegemon.arena.study_report import made_with, write_markdown, write_page
    from hegemon.cli import runs

    game_study = GameStudy(games, seed)
    if not 1 <= games <= MAX_GAMES:
        raise SetupError(STUDY["games"].format(most=MAX_GAMES, games=games))
    jobs = runs.number_of_jobs(jobs)
    runs.check_file(markdown)
    if (report is not None or markdown is not None) and find_spec("matplotlib") is None:
        raise SetupError(STUDY["no-matplotlib"])
    if report is not None:
        saves.make_folder(report)
    status = 0
    try:
        play_games(game_study, jobs)
    except KeyboardInterrupt:
        print_error(STUDY["interrupted"])
        status = INTERRUPTED
    found = findings(game_study)
    if as_json:
        data = {"finished": status == 0, "games": games, "seed": seed, "made_with": made_with()}
        write_json(data | {finding.name: finding.data for finding in found})
    else:
        draw_findings(output_console(), game_study, found)
    command = shlex.join(["hegemon", *sys.argv[1:]])
    if report is not None:
        print_error(ARENA["report"].format(path=write_page(report, game_study, found, command)))
    if markdown is not None:
        write_markdown(markdown, game_study, found, command)
        print_error(STUDY["markdown"].format(path=markdown))
    return status


def play_games(study: "GameStudy", jobs: int) -> None:
    from hegemon.cli import runs

    with runs.progress_bars() as update:
        study.play(runs.local_workers(("learned",), jobs), partial(update, "learned"))


def draw_findings(console: Console, study: "GameStudy", found: "list[Finding]") -> None:
    from hegemon.arena.study_report import TITLE, made_with, summary

    if not found:
        console.print(STUDY["nothing"])
        return
    console.print(Text(TITLE, style="bold"))
    for text in (summary(study), made_with()):
        console.print(text.replace("`", ""), markup=False)
    for finding in found:
        console.print()
        console.print(Text(finding.title, style="bold"))
        console.print(finding.text.replace("`", ""), markup=False)
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for place, heading in enumerate(finding.table.headings):
            table.add_column(heading, justify="right" if place > 1 else "left", overflow="fold")
        before = ""
        for row in finding.table.rows:  # a name from the row above is not repeated
            table.add_row(
                *(Text(cell.replace("`", "")) for cell in ("" if row[0] == before else row[0], *row[1:]))
            )
            before = row[0]
        console.print(table)
