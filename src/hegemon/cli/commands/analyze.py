"""`hegemon analyze`: the losses and the luck in finished games."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from typer import Argument, Option

from hegemon.cli import saves
from hegemon.cli.errors import INTERRUPTED, print_error
from hegemon.cli.json_output import write_json
from hegemon.cli.options import AsJson, Jobs
from hegemon.cli.prose import ANALYSIS, translator
from hegemon.cli.seats import read_seat
from hegemon.cli.terminal.console import output_console
from hegemon.notation.record import RecordError
from hegemon.notation.setup import SetupError
from hegemon.play.game import Game

if TYPE_CHECKING:
    from hegemon.analysis import Analysis

#: The default number of iterations for a decision when many games are analyzed.
ITERATIONS_FOR_MANY: Final = 96


def analyze(
    file: Annotated[
        Path, Argument(help="A saved game, a file of hegemon export, or a folder of either kind of file.")
    ],
    seat: Annotated[
        str | None, Option(help="Only the choices of that seat, and its chances as it could know them.")
    ] = None,
    iterations: Annotated[
        int | None,
        Option(min=0, help="The iterations of a look at a choice; 0 is a quick reading without search."),
    ] = None,
    seed: Annotated[int, Option(min=0, help="The same seed gives the same analysis.")] = 0,
    jobs: Jobs = None,
    as_json: AsJson = False,
) -> int:
    """Analyze finished games: what each choice cost, the better one and why, and what was luck.

    One game is shown with the chances of all players. Many games end with a table of the players.
    """
    if file.is_dir() or file.suffix == ".parquet":
        return analyze_many(file, iterations, seed, jobs, as_json=as_json)
    record = saves.read(file)
    if record.result is None:
        raise RecordError(ANALYSIS["unfinished"].format(path=file))
    own = read_seat(seat, record.players, chance=0) if seat is not None else None
    game = Game.from_record(record)
    analysis = analyze_with_progress(game, iterations, seed)
    if as_json:
        write_json(analysis_to_dict(game, analysis, own))
    else:
        from hegemon.cli.terminal.analysis import draw_analysis

        draw_analysis(output_console(), game, analysis, own)
    return 0


def analyze_with_progress(game: Game, iterations: int | None, seed: int) -> "Analysis":
    """Analyze a game, with a progress bar on standard error."""
    # NumPy, the network and the packages of the arena are slow to import, and few commands need them.
    from hegemon.analysis import Analysis, Item
    from hegemon.analysis import analyze as items_of
    from hegemon.analysis.analyzer import resolve_iterations
    from hegemon.arena.runner import Progress
    from hegemon.cli import runs

    progress, items = Progress(0, len(game.moves)), list[Item]()
    with runs.progress_bars() as update:
        for item in items_of(game, iterations=iterations, seed=seed):
            items.append(item)
            progress.games = item.ply
            update(ANALYSIS["analyzing"], progress)
    return Analysis.from_items(game.names, resolve_iterations(iterations), seed, items)


def analyze_many(path: Path, iterations: int | None, seed: int, jobs: int | None, *, as_json: bool) -> int:
    from hegemon.analysis.analyzer import resolve_iterations
    from hegemon.arena.review import Review, sources
    from hegemon.cli import runs
    from hegemon.cli.terminal.analysis import draw_players

    games = sources(path)
    if not games:
        raise SetupError(ANALYSIS["no-games"].format(path=path))
    if iterations is None:
        iterations = min(ITERATIONS_FOR_MANY, resolve_iterations(None))
    workers = runs.local_workers(("champion",) if iterations else (), runs.number_of_jobs(jobs))
    review = Review(games, workers, iterations, seed)
    status = 0
    try:
        with runs.failures_reported(), runs.progress_bars() as update:
            review.run(partial(update, ANALYSIS["analyzing"]))
    except KeyboardInterrupt:
        print_error(ANALYSIS["interrupted"].format(games=review.progress.games, all=len(games)))
        status = INTERRUPTED
    if review.skipped:
        print_error(ANALYSIS.numbered("skipped", review.skipped))
    if as_json:
        facts: dict[str, Any] = {"finished": status == 0, "iterations": iterations, "seed": seed}
        facts["games"] = review.progress.games - review.skipped
        players = {name: totals.to_data() for name, totals in sorted(review.players.items())}
        write_json({**facts, "skipped": review.skipped, "players": players})
    else:
        draw_players(output_console(), review)
    return status


def analysis_to_dict(game: Game, analysis: "Analysis", seat: int | None) -> dict[str, Any]:
    """An analysis for programs, with the costliest choices in words; seats count from 1."""
    from hegemon.analysis.words import wording

    seats = range(game.players) if seat is None else (seat,)
    data = analysis.to_dict()
    for key in ("decisions", "lucks"):
        data[key] = [entry | {"seat": entry["seat"] + 1} for entry in data[key] if entry["seat"] in seats]
    tr = translator()
    players = [
        {
            "seat": number + 1,
            "name": game.names[number],
            "accuracy": analysis.accuracy(number),
            "average_loss": analysis.average_loss(number),
            "luck": analysis.luck(number),
            "mistakes": [
                {"ply": mistake.ply, "loss": mistake.loss, **vars(wording(game, mistake, tr))}
                for mistake in analysis.mistakes(number)
            ],
        }
        for number in seats
    ]
    return {"players": players, "quick": analysis.is_quick, **data}
