"""`hegemon export`: games of bots as data for other programs."""

from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Final

from typer import Argument, Option

from hegemon.cli import saves
from hegemon.cli.errors import INTERRUPTED, print_error
from hegemon.cli.json_output import write_json
from hegemon.cli.options import AsJson, Jobs, Players, Rulings, Teams, Variant
from hegemon.cli.prose import ARENA, EXPORT
from hegemon.notation.setup import SetupError

FORMATS: Final = ("parquet",)


def export(
    folder: Annotated[Path, Argument(help="The folder to write the files to.")] = Path("export"),
    games: Annotated[int, Option(min=1, help="The number of games.")] = 1000,
    what: Annotated[str, Option(help="What to export: records or decisions.")] = "records",
    file_format: Annotated[str, Option("--format", help="The format of the files: parquet.")] = "parquet",
    bots: Annotated[
        str, Option(help="The bots that play, such as heuristic,chance or greedy,hard.")
    ] = "heuristic",
    players: Players = 3,
    variant: Variant = "basic",
    teams: Teams = False,
    rulings: Rulings = "standard",
    seed: Annotated[int, Option(help="The same seed deals the same games.")] = 0,
    games_per_file: Annotated[
        int | None, Option(min=1, help="The number of games in a file; otherwise one that suits the export.")
    ] = None,
    jobs: Jobs = None,
    as_json: AsJson = False,
) -> int:
    """Export games of bots as data: whole records, or every decision with what was seen and legal.

    An interrupted export is resumed by the same command. Needs PyArrow: pip install 'hegemon[data]'
    """
    # NumPy and the packages of the arena are slow to import, and no other command needs them.
    from hegemon.arena.export import Export, ExportRun, prepare
    from hegemon.arena.workers import processes
    from hegemon.cli import runs

    if file_format not in FORMATS:
        raise SetupError(EXPORT["format"].format(formats=", ".join(FORMATS), format=file_format))
    if find_spec("pyarrow") is None:
        raise SetupError(EXPORT["no-pyarrow"])
    names = tuple(name.strip() for name in bots.split(","))
    options = Export(games, what, names, players, variant, teams, rulings, seed, games_per_file or 0)
    workers = processes(runs.number_of_jobs(jobs))
    saves.make_folder(folder)
    run = ExportRun(options, folder, workers)
    if run.progress.finished_before:
        print_error(ARENA["goes-on"].format(games=run.progress.finished_before, all=games))
    status = 0
    try:
        with runs.failures_reported(), runs.progress_bars() as update:
            if run.missing:
                prepare(options)
            run.play(partial(update, ARENA["playing"]))
    except KeyboardInterrupt:
        print_error(ARENA["interrupted"].format(games=run.progress.games, all=games))
        status = INTERRUPTED
    else:
        print_error(EXPORT["done"].format(games=games, files=options.files, folder=folder))
    if as_json:
        facts = {"finished": status == 0, "folder": str(folder), "games": run.progress.games}
        write_json({**facts, "files": options.files - len(run.missing)})
    return status
