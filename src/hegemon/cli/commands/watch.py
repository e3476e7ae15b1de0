"""`hegemon watch`: bots play each other with open hands."""

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text
from typer import Option

from hegemon.cli import saves
from hegemon.cli.errors import INTERRUPTED
from hegemon.cli.json_output import game_to_dict, write_json
from hegemon.cli.options import AsJson, Players, Rulings, Seed, Teams, Variant
from hegemon.cli.prose import ERRORS, MESSAGES
from hegemon.cli.seats import bot_names, let_bots_play, seat_bots
from hegemon.cli.signals import Interrupts
from hegemon.cli.terminal.console import is_interactive, output_console
from hegemon.cli.terminal.screen import Screen
from hegemon.cli.terminal.spectator import Spectator, recent_events
from hegemon.cli.terminal.table import TerminalRenderer
from hegemon.notation.setup import check_players
from hegemon.play.game import Game


def watch(
    players: Players = 3,
    variant: Variant = "basic",
    teams: Teams = False,
    rulings: Rulings = "standard",
    bots: Annotated[str, Option(help="One bot for all seats, or one for each: easy,hard,greedy.")] = "greedy",
    seed: Seed = None,
    delay: Annotated[float, Option(help="Seconds between two moves.")] = 1.0,
    fast: Annotated[bool, Option("--fast", help="Do not wait: print the whole game at once.")] = False,
    save: Annotated[Path | None, Option(help="Save the record of the game in this file.")] = None,
    as_json: AsJson = False,
) -> int:
    """Watch bots play each other, with all cards visible."""
    if not 0 <= delay <= 60:
        raise typer.BadParameter(ERRORS["delay"].format(delay=delay))
    check_players(players, teams)
    names = bot_names(bots, players)
    game = Game(players, variant, teams=teams, rulings=rulings, seed=seed, names=names)
    session = WatchSession(output_console(), game, 0 if fast else delay)
    if save is not None:
        saves.check_path(save)
    try:
        if not as_json:
            return session.run()
        session.play_silently()
        write_json(game_to_dict(game.record()))
        return 0
    finally:
        if save is not None:
            saves.write(save, game.record())


class WatchSession:
    """A game of bots, drawn after every move or printed when it is over."""

    def __init__(self, console: Console, game: Game, delay: float) -> None:
        self.console = console
        self.game = game
        self.delay = delay
        self.spectator = Spectator(game)
        self.interrupts = Interrupts()

    def run(self) -> int:
        """Play the game to its end or to an interrupt, and return the exit status."""
        if is_interactive(self.console) and self.delay > 0:
            with self.interrupts:
                try:
                    self.play_visibly()
                except KeyboardInterrupt:
                    stopped = MESSAGES.numbered("watch.stopped", len(self.game.moves))
                    self.console.print(Text(f"\n{stopped}"))
                    return INTERRUPTED
        else:
            self.play_silently()
            self.spectator.print_log(self.console)
            self.console.print(TerminalRenderer.of(self.console).table(self.spectator.table()))
        return 0

    def play_silently(self) -> None:
        with self.interrupts:
            let_bots_play(self.game, seat_bots(self.game), self.interrupts.allowed)

    def play_visibly(self) -> None:
        bots = seat_bots(self.game)
        self.draw()
        while not self.game.over:
            with self.interrupts.allowed():
                time.sleep(self.delay)
            let_bots_play(self.game, bots, self.interrupts.allowed, once=True)
            self.draw()

    def draw(self) -> None:
        """Draw the table, and the events of this turn and the one before."""
        screen = Screen(self.console)
        turns = self.spectator.narrator.narrate_by_turn(recent_events(self.spectator.events()))
        below = () if self.game.over else (self.spectator.question(), MESSAGES["watch.keys"])
        screen.show(self.spectator.table(), turns, *below, max_lines=screen.renderer.height - 16)
