"""The `hegemon` command, assembled from its commands."""

import sys
from collections.abc import Sequence
from importlib.metadata import version as installed_version
from typing import Annotated, Any

import typer
from typer import Option

from hegemon.cli.commands.analyze import analyze
from hegemon.cli.commands.arena import arena
from hegemon.cli.commands.bench import bench
from hegemon.cli.commands.bot_protocol import bot_protocol
from hegemon.cli.commands.compile import compile_everything
from hegemon.cli.commands.export import export
from hegemon.cli.commands.hosting import backup, check, compact, erase, host_token, moderate, purge, restore
from hegemon.cli.commands.join import join
from hegemon.cli.commands.perft import perft
from hegemon.cli.commands.play import play
from hegemon.cli.commands.puzzles import puzzle, puzzles
from hegemon.cli.commands.replay import replay
from hegemon.cli.commands.rulings import rulings
from hegemon.cli.commands.serve import serve
from hegemon.cli.commands.show import show
from hegemon.cli.commands.study import study
from hegemon.cli.commands.think import think
from hegemon.cli.commands.train import train
from hegemon.cli.commands.watch import watch
from hegemon.cli.help_pages import Command, Group, all_commands, translate_help
from hegemon.cli.language import choose_language

app = typer.Typer(
    name="hegemon",
    cls=Group,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def print_version(requested: bool) -> None:
    if requested:
        sys.stdout.write(f"hegemon {installed_version('hegemon')}\n")
        raise typer.Exit


@app.callback()
def hegemon(
    version: Annotated[
        bool, Option("--version", callback=print_version, is_eager=True, help="Print the version.")
    ] = False,
    language: Annotated[
        str | None,
        Option(expose_value=False, help="The language: en, de, el, hu or pl; otherwise that of your system."),
    ] = None,
) -> None:
    """Carta Impera Victoria in the terminal: play, watch, replay and analyze it."""


for command in (
    *(play, serve, join, watch, replay, analyze, show, perft, rulings, puzzle),
    *(bench, arena, study, puzzles, export, train, bot_protocol),
):
    app.command(cls=Command)(command)
app.command("compile", cls=Command)(compile_everything)
for host_command in (think, backup, restore, check, compact, purge, erase, host_token, moderate):
    app.command(cls=Command, rich_help_panel="For the host of a server")(host_command)


def build_command() -> Any:
    """The command with all its subcommands, in English; each of them accepts `--language`."""
    group: Any = typer.main.get_command(app)
    language = next(option for option in group.params if option.name == "language")
    for command in all_commands(group):
        if command is not group:
            command.params.append(language)
    return group


def run(arguments: Sequence[str]) -> object:
    """Run the command in the language of its arguments or of the system."""
    choose_language(arguments)
    group = build_command()
    translate_help(group)
    return group.main(list(arguments), prog_name="hegemon", standalone_mode=False)
