"""The `hegemon` command: what can be typed, and who does the work."""

import json
import secrets
import sys
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from hegemon.cli import saves, serving
from hegemon.cli.console import terminal
from hegemon.cli.facts import facts_of_game, facts_of_rulings
from hegemon.cli.measuring import check_picture, draw_figures, measure_all, plot_figures
from hegemon.cli.prose import ERRORS
from hegemon.cli.replaying import Replay
from hegemon.cli.rulings import draw_preset, draw_presets
from hegemon.cli.seats import bot_names, check_name, read_seat, resumed
from hegemon.cli.showing import Count, Shown, count_ways
from hegemon.cli.sitting import Sitting
from hegemon.cli.watching import Watching
from hegemon.notation.setup import check_players
from hegemon.play.game import Game

app = typer.Typer(
    name="hegemon",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Players = Annotated[int, typer.Option("--players", "-p", help="How many play: 2, 3 or 4.")]
Variant = Annotated[str, typer.Option(help="How the cards are dealt: basic or draft.")]
Teams = Annotated[bool, typer.Option("--teams", help="Two against two: seats 1 and 3 against 2 and 4.")]
Rulings = Annotated[str, typer.Option(help="A preset, perhaps with switches; see: hegemon rulings.")]
Seed = Annotated[int | None, typer.Option(help="The same seed deals the same game.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print plain data, for a program.")]
PositionLine = Annotated[
    str, typer.Argument(help="A position in one line, in quotes; - reads it from the input.")
]


def print_json(data: Any) -> None:
    """Plain data on standard output."""
    sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=2) + "\n")


def print_version(asked: bool) -> None:
    """The version, and out."""
    if asked:
        sys.stdout.write(f"hegemon {installed_version('hegemon')}\n")
        raise typer.Exit


def refuse_options(context: typer.Context, *names: str) -> None:
    """Refuse options that somebody gave, and that would do nothing."""
    for name in names:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise typer.BadParameter(ERRORS["resume-options"].format(option=f"--{name}"))


@app.callback()
def hegemon(
    version: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Carta Impera Victoria in the terminal: play it, watch it, look at it again, count its ways."""


@app.command()
def play(
    context: typer.Context,
    file: Annotated[Path | None, typer.Argument(help="With --resume: the saved game to go on with.")] = None,
    players: Players = 3,
    variant: Variant = "basic",
    teams: Teams = False,
    rulings: Rulings = "standard",
    bots: Annotated[
        str,
        typer.Option(
            help="Your opponents, such as greedy or hard: one kind for all, or one a seat: easy,hard."
        ),
    ] = "greedy",
    seat: Annotated[str | None, typer.Option(help="Your seat: 1 is the First Player; or random.")] = None,
    seed: Seed = None,
    name: Annotated[str, typer.Option(help="Your name.")] = "Guest",
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the last saved game, or with FILE.")
    ] = False,
    scroll: Annotated[
        bool, typer.Option("--scroll", help="Let the table scroll, do not clear the screen.")
    ] = False,
) -> int:
    """Sit down at a table with bots.

    Type the number or the word of an answer; ? explains. Ctrl-C saves the game and says how to go on.
    """
    if file is not None and not resume:
        raise typer.BadParameter(ERRORS["file-without-resume"].format(path=file))
    if resume:
        refuse_options(context, "players", "variant", "teams", "rulings", "seed", "name")
        path = file if file is not None else saves.latest_unfinished()
        record, own = resumed(saves.read(path), path, seat, bots)
        game = Game.from_record(record)
    else:
        check_players(players, teams)
        own = read_seat(seat or "1", players, chance=secrets.randbelow(players) if seed is None else seed)
        names = bot_names(bots, players - 1)
        names.insert(own, check_name(name))
        game = Game(players, variant, teams=teams, rulings=rulings, seed=seed, names=names)
        path = saves.new_path(names[own])
    return Sitting(terminal(), game, own, path, scroll=scroll).run()


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="The address to listen at; 0.0.0.0 is every one.")] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="The port; 0 is any that is free. Otherwise 8000, if it is."),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(help="Where games are kept: a file, or an address; otherwise in your data folder."),
    ] = None,
    base_url: Annotated[
        str, typer.Option(help="How the page is reached from outside, such as https://play.example.org.")
    ] = "",
    log: Annotated[
        Literal["json", "text", "quiet"] | None,
        typer.Option(help="How events are noted; otherwise text in a terminal, and JSON elsewhere."),
    ] = None,
    lobby: Annotated[
        bool, typer.Option("--lobby", help="Let people show open tables to everybody, and rate games.")
    ] = False,
    allow_private_webhooks: Annotated[
        bool,
        typer.Option("--allow-private-webhooks", help="Let webhooks lead into this server's own network."),
    ] = False,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in your browser.")] = False,
) -> None:
    """Serve the game to browsers; Ctrl-C stops."""
    serving.run(
        terminal(),
        host=host,
        port=port,
        database=database,
        base_url=base_url,
        lobby=lobby,
        private_webhooks=allow_private_webhooks,
        open_browser=open_browser,
        log=log,
    )


@app.command()
def join(
    url: Annotated[
        str,
        typer.Argument(help="An invitation, or the page of a game with the token of a seat behind a #."),
    ],
    bot: Annotated[str, typer.Option(help="Who is to play, such as greedy, hard or search:0.1s.")],
    name: Annotated[str, typer.Option(help="What it is called at the table.")] = "",
    seed: Annotated[int | None, typer.Option(help="The same seed plays the same way.")] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Stay for another game, if somebody asks for one.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what happens as JSON, a line each, for a program.")
    ] = False,
) -> int:
    """Seat a bot of yours at a table on a server.

    Ctrl-C leaves; the seat stays, and the same command comes back to it. A server that does not answer is waited for.
    """
    from hegemon.bots import make_bot
    from hegemon.cli.joining import Joining, shows_on

    player = make_bot(bot, seed if seed is not None else secrets.randbits(32))
    shows = shows_on(terminal(), bot, as_json=as_json)
    return Joining(url, bot, player, shows, again=again).run(name or f"{bot} (bot)")


@app.command()
def watch(
    players: Players = 3,
    variant: Variant = "basic",
    teams: Teams = False,
    rulings: Rulings = "standard",
    bots: Annotated[
        str,
        typer.Option(
            help="Who plays, such as greedy or hard: one kind for all, or one a seat: easy,hard,greedy."
        ),
    ] = "greedy",
    seed: Seed = None,
    delay: Annotated[float, typer.Option(help="Seconds between two choices.")] = 1.0,
    fast: Annotated[bool, typer.Option("--fast", help="Do not wait: tell the whole game at once.")] = False,
    save: Annotated[Path | None, typer.Option(help="Keep the record of the game in this file.")] = None,
    as_json: AsJson = False,
) -> int:
    """Watch bots play each other, with all cards open."""
    if not 0 <= delay <= 60:
        raise typer.BadParameter(ERRORS["delay"].format(delay=delay))
    check_players(players, teams)
    names = bot_names(bots, players)
    game = Game(players, variant, teams=teams, rulings=rulings, seed=seed, names=names)
    watching = Watching(terminal(), game, 0 if fast else delay)
    if save is not None:
        saves.expect_place(save)
    try:
        if not as_json:
            return watching.run()
        watching.play_unseen()
        print_json(facts_of_game(game.record()))
        return 0
    finally:
        if save is not None:
            saves.write(save, game.record())


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(help="A game that was saved.")],
    seat: Annotated[
        str | None, typer.Option(help="See only what that seat saw; otherwise all cards are open.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Look at a saved game again, step by step; through a pipe, all of it."""
    record = saves.read(file)
    own = read_seat(seat, record.players, chance=0) if seat is not None else None
    if as_json:
        print_json(facts_of_game(record))
    else:
        Replay(terminal(), record, own).run()


@app.command()
def show(position: PositionLine, as_json: AsJson = False) -> None:
    """Draw a position, or a view of one, and list what no real game could show."""
    shown = Shown.read(position)
    if as_json:
        print_json(shown.facts())
    else:
        shown.draw(terminal())


@app.command()
def perft(
    position: PositionLine,
    depth: Annotated[int, typer.Argument(help="How many choices.")],
    divide: Annotated[bool, typer.Option("--divide", help="Count apart for every first choice.")] = False,
    as_json: AsJson = False,
) -> None:
    """Count the different ways in which a position can go on."""
    count: Count = count_ways(position, depth)
    if as_json:
        print_json(count.facts(divided=divide))
    else:
        count.draw(terminal(), divided=divide)


@app.command()
def rulings(
    preset: Annotated[
        str | None, typer.Argument(help="A preset such as pl, perhaps with switches: pl+coin-tie!show-backs.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The rulings: switches for what the rulebooks leave open, and the presets that name them."""
    if as_json:
        print_json(facts_of_rulings(preset))
    elif preset is None:
        draw_presets(terminal())
    else:
        draw_preset(terminal(), preset)


@app.command()
def bench(
    seconds: Annotated[float, typer.Option(min=0.1, max=600, help="How long to measure each speed.")] = 3.0,
    as_json: AsJson = False,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the speeds into this file: .svg, .png or .pdf.")
    ] = None,
) -> None:
    """Decisions a second on this machine: interpreted, compiled, on all cores, in batches and on a GPU."""
    if plot is not None:
        check_picture(plot)
    figures = measure_all(seconds)
    if as_json:
        print_json(figures)
    else:
        draw_figures(terminal(), figures)
    if plot is not None:
        plot_figures(figures, plot)


@app.command()
def arena(
    seats: Annotated[
        str, typer.Option(help="The bots that play, such as greedy,chance or search:0.1s,greedy.")
    ],
    games: Annotated[
        int, typer.Option(help="How many games; a deal is always played in every seating.")
    ] = 100,
    players: Annotated[
        int | None,
        typer.Option("--players", "-p", help="How many play at a table; as many as there are bots."),
    ] = None,
    variant: Variant = "basic",
    teams: Teams = False,
    rulings: Rulings = "standard",
    seed: Annotated[int, typer.Option(help="The same seed deals the same games.")] = 0,
    jobs: Annotated[
        int | None, typer.Option(help="How many work at once; as many as there are cores.")
    ] = None,
    in_threads: Annotated[bool, typer.Option("--threads", help="Work in threads, not in processes.")] = False,
    cluster: Annotated[
        str | None, typer.Option(help="Work on a Dask cluster: the address of its scheduler, tcp://….")
    ] = None,
    json_file: Annotated[
        str | None, typer.Option("--json", help="Write everything as plain data to this file; - prints it.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write a page with plots, and all games as records, to this folder.")
    ] = None,
    results: Annotated[
        Path | None, typer.Option(help="Keep every finished deal in this file, and go on from what is there.")
    ] = None,
) -> int:
    """Let bots play each other, and see who is better.

    Every deal is played in every seating, so that nobody is lucky. A run that is interrupted tells what is finished,
    and the same command goes on from there.
    """
    from hegemon.arena.tournament import Tournament
    from hegemon.cli.competing import Contest, default_jobs

    names = tuple(name.strip() for name in seats.split(","))
    if players is not None:
        check_players(players, teams)
    tournament = Tournament(names, players or 0, variant, teams, rulings, seed)
    contest = Contest(
        tournament,
        games,
        jobs if jobs is not None else default_jobs(),
        address=cluster,
        in_threads=in_threads,
        json_file=json_file,
        report=report,
        results=results,
    )
    return contest.run()


@app.command()
def study(
    games: Annotated[
        int, typer.Option(help="How many games of each kind of table, by chance and by sense.")
    ] = 20_000,
    strong: Annotated[str, typer.Option(help="The bot whose play counts as strong.")] = "search:100",
    strong_games: Annotated[
        int, typer.Option(help="How many games of each kind the strong bot plays against itself.")
    ] = 0,
    seed: Annotated[int, typer.Option(help="The same seed deals the same games.")] = 0,
    jobs: Annotated[
        int | None, typer.Option(help="How many work at once; as many as there are cores.")
    ] = None,
    json_file: Annotated[
        str | None, typer.Option("--json", help="Write everything as plain data to this file; - prints it.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write a page with tables and plots to this folder.")
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option(help="Write the tables into this Markdown file, and the plots beside it.")
    ] = None,
) -> int:
    """What the game is like: length, endings, Domains, seats, the draft, rulings and effects, with intervals.

    Many games are played by chance and by a simple sensible player, some by a strong bot. An interrupt tells what the
    finished games say.
    """
    from hegemon.arena.study import Study
    from hegemon.cli.competing import default_jobs
    from hegemon.cli.studying import Inquiry

    inquiry = Inquiry(
        Study(games, seed, strong, strong_games),
        jobs if jobs is not None else default_jobs(),
        json_file=json_file,
        report=report,
        markdown=markdown,
    )
    return inquiry.run()
