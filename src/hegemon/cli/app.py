"""The `hegemon` command, assembled from its commands."""

import sys
from importlib.metadata import version as installed_version
from typing import Annotated

import typer
from typer import Option

from hegemon.cli.commands.arena import arena
from hegemon.cli.commands.bench import bench
from hegemon.cli.commands.hosting import backup, check, erase, purge, restore
from hegemon.cli.commands.join import join
from hegemon.cli.commands.perft import perft
from hegemon.cli.commands.play import play
from hegemon.cli.commands.replay import replay
from hegemon.cli.commands.rulings import rulings
from hegemon.cli.commands.serve import serve
from hegemon.cli.commands.show import show
from hegemon.cli.commands.study import study
from hegemon.cli.commands.watch import watch

app = typer.Typer(
    name="hegemon",
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
) -> None:
    """Carta Impera Victoria in the terminal: play it, watch it, look at it again, count its ways."""


for command in (play, serve, join, watch, replay, show, perft, rulings, bench, arena, study):
    app.command()(command)
for host_command in (backup, restore, check, purge, erase):
    app.command(rich_help_panel="For the host of a server")(host_command)
