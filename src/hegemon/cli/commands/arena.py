"""`hegemon arena`: a tournament of bots."""

import shlex
import sys
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Final

from typer import Option

from hegemon.cli import saves
from hegemon.cli.errors import INTERRUPTED, print_error
from hegemon.cli.json_output import write_json
from hegemon.cli.options import AsJson, Jobs, Rulings, Teams, Variant
from hegemon.cli.prose import ARENA
from hegemon.cli.terminal.console import output_console
from hegemon.notation.setup import SetupError, check_players

MAX_GAMES: Final = 10_000_000


def arena(
    seats: Annotated[
        str, Option(help="The bots that play, such as greedy,chance; teams are A,B or A+B,C+D.")
    ],
    games: Annotated[int, Option(help="The number of games; each deal is played in every seating.")] = 100,
    players: Annotated[
        int | None,
        Option("--players", "-p", help="The number of players at a table; otherwise that of the bots."),
    ] = None,
    variant: Variant = "basic",
    teams: Teams = False,
    rulings: Rulings = "standard",
    seed: Annotated[int, Option(help="The same seed deals the same games.")] = 0,
    seconds_per_move: Annotated[
        float | None, Option(help="The time for a move; a bot that takes longer loses the game.")
    ] = None,
    jobs: Jobs = None,
    in_threads: Annotated[bool, Option("--threads", help="Use threads instead of processes.")] = False,
    cluster: Annotated[str | None, Option(help="The address of a Dask scheduler: tcp://….")] = None,
    as_json: AsJson = False,
    report: Annotated[Path | None, Option(help="Write a page and all records to this folder.")] = None,
    results: Annotated[
        Path | None, Option(help="Save finished deals in this file, and resume from it.")
    ] = None,
) -> int:
    """Let bots play a tournament.

    Each deal is played in every seating, so that no bot is luckier than another. An interrupted run shows its results
    so far, and the same command resumes it.
    """
    # NumPy and the packages of the arena are slow to import, and no other command needs them.
    from hegemon.arena.report import write_report
    from hegemon.arena.runner import Run
    from hegemon.arena.seats import trace_of
    from hegemon.arena.standings import Standings
    from hegemon.arena.tournament import Tournament
    from hegemon.cli import runs
    from hegemon.cli.terminal.standings import draw_standings

    names = tuple(name.strip() for name in seats.split(","))
    if players is not None:
        check_players(players, teams)
    try:
        tournament = Tournament(names, players or 0, variant, teams, rulings, seed, seconds_per_move)
    except SetupError as error:
        if error.__cause__ is not None:  # a bot cannot be created
            print_error(trace_of(error.__cause__))
        raise
    if not 1 <= games <= MAX_GAMES:
        raise SetupError(ARENA["games"].format(most=MAX_GAMES, games=games))
    jobs = runs.number_of_jobs(jobs)
    runs.check_file(results)
    if report is not None:
        if find_spec("matplotlib") is None:
            raise SetupError(ARENA["no-matplotlib"])
        saves.make_folder(report)
    journal = runs.saved_journal(tournament, results) if results else runs.unfinished_journal(tournament)
    if cluster is not None:
        workers = runs.connect(cluster)
    else:
        workers = runs.local_workers(tournament.names, jobs, in_threads=in_threads)
    run = Run(tournament, games, workers, journal)
    if run.progress.finished_before:
        print_error(ARENA["goes-on"].format(games=run.progress.finished_before, all=run.progress.all_games))
    status = 0
    try:
        with runs.failures_reported(), runs.progress_bars() as update:
            run.play(partial(update, ARENA["playing"]))
    except KeyboardInterrupt:
        journal.reload()
        print_error(ARENA["interrupted"].format(games=len(journal.games), all=run.progress.all_games))
        status = INTERRUPTED
    standings = Standings.of(tournament, journal.games)
    finished = len(journal.games) >= tournament.number_of_games(games)
    if as_json:
        write_json({"finished": finished, **standings.to_data()})
    else:
        draw_standings(output_console(), standings)
    for name, figures in standings.bots.items():
        if figures.first_forfeit:
            print_error(ARENA["forfeit"].format(bot=name, detail=figures.first_forfeit))
    if report is not None:
        page = write_report(report, standings, journal.games, shlex.join(["hegemon", *sys.argv[1:]]))
        print_error(ARENA["report"].format(path=page))
    if status == 0 and results is None:
        journal.delete()
    return status
