"""`hegemon replay`: a saved game, step by step in a terminal, or as a log."""

from pathlib import Path
from typing import Annotated

from rich.console import Console
from rich.text import Text
from typer import Argument, Option

from hegemon.cli import saves
from hegemon.cli.json_output import game_to_dict, write_json
from hegemon.cli.options import AsJson
from hegemon.cli.prose import MESSAGES
from hegemon.cli.seats import printable, read_seat
from hegemon.cli.terminal.console import is_interactive, output_console
from hegemon.cli.terminal.screen import Screen
from hegemon.cli.terminal.spectator import Spectator
from hegemon.cli.terminal.table import TerminalRenderer
from hegemon.notation.record import Record
from hegemon.play.game import Game
from hegemon.rules.actions import CHOICES


def replay(
    file: Annotated[Path, Argument(help="A saved game.")],
    seat: Annotated[str | None, Option(help="See only what that seat saw; otherwise all cards.")] = None,
    as_json: AsJson = False,
) -> None:
    """Replay a saved game, step by step in a terminal, or as a whole through a pipe."""
    record = saves.read(file)
    own = read_seat(seat, record.players, chance=0) if seat is not None else None
    if as_json:
        write_json(game_to_dict(record))
    else:
        ReplaySession(output_console(), record, own).run()


class ReplaySession:
    """A saved game, with all hands open or as one seat saw it."""

    def __init__(self, console: Console, record: Record, seat: int | None = None) -> None:
        self.console = console
        self.record = record
        self.game = Game.from_record(record)
        self.spectator = Spectator(self.game, seat)
        self.total = len(record.moves)
        self.message = ""
        if record.result is None and seat is None:
            self.message = MESSAGES["replay.open"]

    def run(self) -> None:
        if is_interactive(self.console):
            self.step_through()
        else:
            self.print_all()

    def print_all(self) -> None:
        """Print the whole game in sentences, and the table at its end."""
        self.spectator.print_log(self.console)
        self.console.print(TerminalRenderer.of(self.console).table(self.spectator.table()))
        if self.record.result is None:
            self.console.print(Text(MESSAGES["replay.unfinished"], style="quiet"))
        for ply, comment in self.record.comments.items():
            sentence = MESSAGES["replay.comment"].format(number=ply, comment=printable(comment))
            self.console.print(Text(sentence, style="italic"), soft_wrap=True)
        for number, variation in enumerate(self.record.variations, 1):
            key = "replay.variation-of" if variation.line else "replay.variation"
            moves = " ".join(CHOICES[action] for _, action in variation.moves)
            sentence = MESSAGES[key].format(
                number=number, move=variation.move, line=variation.line, moves=moves
            )
            self.console.print(Text(sentence), soft_wrap=True)

    def step_through(self) -> None:
        """Show plies, following the keys, until the input ends."""
        ply: int | None = 0
        while ply is not None:
            self.show(ply)
            try:
                text = self.console.input(Text("> ", style="turn"))
            except EOFError:
                return
            ply = self.next_ply(ply, text.strip().casefold())

    def next_ply(self, ply: int, text: str) -> int | None:
        """The ply that a key leads to; None to quit."""
        match text:
            case "q" | "quit":
                return None
            case "" | "n" | "next":
                return min(ply + 1, self.total)
            case "b" | "back":
                return max(ply - 1, 0)
            case "t" | "turn":
                return next((start for start in self.game.turn_starts if start > ply), self.total)
            case "e" | "end":
                return self.total
        if text.isascii() and text.isdecimal() and len(text) < 7 and int(text) <= self.total:
            return int(text)
        self.message = MESSAGES["replay.lost"].format(total=self.total)
        return ply

    def show(self, ply: int) -> None:
        """Draw the table at a ply, and the events of its move."""
        game = self.spectator.game = self.game.at(ply)
        below: list[str | Text] = []
        if ply in self.record.comments:
            below.append(Text(printable(self.record.comments[ply]), style="italic"))
        if not game.over:
            below.append(self.spectator.question())
        if ply == self.total:
            below.append(MESSAGES["replay.result" if game.over else "replay.unfinished"])
        if self.message:
            below.append(Text(self.message, style="alert"))
            self.message = ""
        below.append(MESSAGES["replay.keys"].format(number=ply, total=self.total))
        turn = self.spectator.narrator.narrate(game.events_at(ply, self.spectator.seat))
        Screen(self.console).show(self.spectator.table(), [turn], *below, max_lines=12)
