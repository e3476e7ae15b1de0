"""`hegemon play`: one person at a table with bots."""

import contextlib
import secrets
import shlex
import sys
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text
from typer import Argument, Option

from hegemon.bots.registry import specifies_code
from hegemon.cli import saves
from hegemon.cli.commands.show import read_line
from hegemon.cli.errors import INTERRUPTED, os_error_sentence
from hegemon.cli.options import Players, Rulings, Seed, Teams, Variant
from hegemon.cli.prose import ERRORS, MESSAGES, translator, typed_words
from hegemon.cli.seats import (
    GUEST,
    bot_kind,
    bot_names,
    check_name,
    let_bots_play,
    printable,
    read_seat,
    record_to_resume,
    seat_bots,
)
from hegemon.cli.signals import Interrupts
from hegemon.cli.terminal.console import command, is_interactive, output_console
from hegemon.cli.terminal.help import Help
from hegemon.cli.terminal.prompt import find_cards, find_choice, matching_choices
from hegemon.cli.terminal.screen import Screen
from hegemon.cli.terminal.spectator import Spectator
from hegemon.cli.terminal.table import TerminalRenderer
from hegemon.notation.choices import read_choice
from hegemon.notation.reading import read_position
from hegemon.notation.setup import SetupError, check_players
from hegemon.notation.writing import write_position
from hegemon.play.game import Game
from hegemon.play.legality import IllegalMoveError, reason_against
from hegemon.play.selection import SEPARATOR
from hegemon.rules.position import Question
from hegemon.views import position_table


def play(
    context: typer.Context,
    file: Annotated[Path | None, Argument(help="With --resume: the saved game to resume.")] = None,
    players: Players = 3,
    variant: Variant = "basic",
    teams: Teams = False,
    rulings: Rulings = "standard",
    bots: Annotated[str, Option(help="One bot for all other seats, or one for each: easy,hard.")] = "greedy",
    seat: Annotated[str | None, Option(help="Your seat, 1 for the First Player; otherwise random.")] = None,
    seed: Seed = None,
    position: Annotated[
        str | None, Option(help="Start at this position, in one line, at the seat to move.")
    ] = None,
    name: Annotated[str, Option(help="Your name.")] = GUEST,
    resume: Annotated[
        bool, Option("--resume", help="Resume the last unfinished game, or the given file.")
    ] = False,
    at: Annotated[
        int | None,
        Option(min=0, help="With --resume: play on after this many moves, also of a finished game."),
    ] = None,
    scroll: Annotated[bool, Option("--scroll", help="Do not clear the screen.")] = False,
) -> int:
    """Play against bots.

    Type the number or the name of a choice; ? explains. Ctrl-C saves the game and says how to resume it.
    """
    if file is not None and not resume:
        raise typer.BadParameter(ERRORS["file-without-resume"].format(path=file))
    if at is not None and not resume:
        raise typer.BadParameter(ERRORS["at-without-resume"])
    if resume:
        reject_options(
            context, "resume-options", "players", "variant", "teams", "rulings", "seed", "position", "name"
        )
        path = file if file is not None else saves.latest_unfinished()
        record, own = record_to_resume(saves.read(path), path, seat, bots, at)
        game = Game.from_record(record)
        if at is not None:
            path = saves.new_path(record.names[own])
    elif position is not None:
        reject_options(context, "position-options", "players", "variant", "teams", "rulings", "seed")
        game, own = game_at(position, seat, bots, check_name(name))
        path = saves.folder()
    else:
        check_players(players, teams)
        own = read_seat(
            seat or "random", players, chance=secrets.randbelow(players) if seed is None else seed
        )
        names = bot_names(bots, players - 1)
        names.insert(own, check_name(name))
        game = Game(players, variant, teams=teams, rulings=rulings, seed=seed, names=names)
        path = saves.new_path(names[own])
    return PlaySession(output_console(), game, own, path, scroll=scroll).run()


def reject_options(context: typer.Context, key: str, *options: str) -> None:
    """Reject options that are determined by the game."""
    for option in options:
        source = context.get_parameter_source(option)
        if source is not None and source.name == "COMMANDLINE":
            raise typer.BadParameter(ERRORS[key].format(option=f"--{option}"))


def game_at(line: str, seat: str | None, kinds: str, name: str) -> tuple[Game, int]:
    """A game that starts at a position, and the seat of the person: the one to move unless it is given."""
    start = read_position(read_line(line))
    if start.question == Question.OVER:
        raise SetupError(ERRORS["position-over"])
    own = read_seat(seat, start.players, secrets.randbelow(start.players)) if seat else start.seat
    names = bot_names(kinds, start.players - 1)
    names.insert(own, name)
    return Game.from_position(start, names), own


class PlaySession:
    """The loop of one person's game: bots move, the person is prompted, the game is saved."""

    def __init__(self, console: Console, game: Game, seat: int, path: Path, *, scroll: bool = False) -> None:
        self.console = console
        self.game = game
        self.seat = seat
        self.path = path
        self.bots = seat_bots(game)
        self.spectator = Spectator(game, seat)
        self.clears_screen = is_interactive(console) and not scroll
        self.echoes_input = not sys.stdin.isatty()
        self.interrupts = Interrupts()
        self.shown_events = count_shown_events(game, seat)
        self.message = "" if game.moves else self.welcome()

    def welcome(self) -> str:
        kinds = [(self.spectator.names[seat], bot_kind(self.game.names[seat])) for seat in self.bots]
        bots = [MESSAGES["welcome.bot"].format(name=name, kind=kind) for name, kind in kinds]
        return MESSAGES["welcome"].format(seat=self.seat + 1, bots=translator().listing(bots))

    def run(self) -> int:
        """Play until the game is over or the person leaves, and return the exit status."""
        with self.interrupts:
            try:
                is_playing = True
                while is_playing and not self.game.over:
                    self.let_others_play()
                    if not self.game.over:
                        is_playing = self.prompt()
            except (KeyboardInterrupt, EOFError) as reason:
                self.console.print()
                self.leave()
                return INTERRUPTED if isinstance(reason, KeyboardInterrupt) else 0
            except BaseException:
                self.save()
                raise
            if self.game.over:
                self.finish()
            else:
                self.leave()
        return 0

    def let_others_play(self) -> None:
        with self.console.status(MESSAGES["thinking"]) if self.clears_screen else contextlib.nullcontext():
            let_bots_play(self.game, self.bots, self.interrupts.allowed)

    def prompt(self) -> bool:
        """Draw the question and read lines until it is answered; False if the person leaves."""
        self.draw()
        while True:
            text = self.read("> ")
            match text.partition(" ")[0].casefold(), text:
                case ("q" | "quit" | "exit", _):
                    return False
                case ("", _):
                    if len(self.choices) == 1:
                        return self.play(self.choices[0])
                    self.draw()
                case (_, "u" | "undo"):
                    if self.undo():
                        return True
                case ("d" | "discard" | "pile", _):
                    self.console.print(TerminalRenderer.of(self.console).discard_pile(self.spectator.table()))
                case ("log", _):
                    self.spectator.print_log(self.console)
                case ("table", _):
                    self.draw()
                case ("help", _):
                    self.explain(text[4:].strip())
                case _ if text.startswith("?"):
                    self.explain(text[1:].strip())
                case _:
                    if self.choose(text):
                        return True

    @property
    def choices(self) -> tuple[str, ...]:
        return self.game.choices_of(self.seat)

    def read(self, prompt: str) -> str:
        """Read a line from the terminal or from a pipe."""
        self.console.print(Text(prompt, style="turn"), end="")
        with self.interrupts.allowed():
            line = input()
        if self.echoes_input:
            self.console.print(printable(line), markup=False)
        return line.strip()

    def draw(self) -> None:
        """Draw the table, what has happened, and the question."""
        if self.clears_screen:
            self.console.clear()
        turns = self.spectator.narrator.narrate_by_turn(self.spectator.events(self.shown_events))
        self.console.print(Screen(self.console).question(self.spectator.table(), turns, self.message))
        self.message = ""

    def choose(self, text: str) -> bool:
        """Play the choice that a text names, or explain why it cannot be played."""
        found = matching_choices(text, self.choices)
        if len(found) == 1:
            return self.play(found[0])
        choice, cards = find_choice(text), find_cards(text)
        if cards and not found:
            return self.choose_cards(text, cards)
        if found:
            self.print_message("several", text=text, choices=", ".join(found))
        elif choice is not None:
            reason = reason_against(self.game.position, self.seat, read_choice(choice))
            sentence = translator().reason(reason) if reason is not None else ""
            self.print_message("not-now", choice=choice, reason=sentence)
        else:
            key = "not-a-choice" if len(self.choices) > 1 else "only-choice"
            self.print_message(key, text=text[:40], number=len(self.choices), choice=self.choices[0])
        return False

    def choose_cards(self, text: str, cards: list[str]) -> bool:
        """Play a set of cards, or explain why it cannot be played."""
        try:
            return self.play(cards)
        except IllegalMoveError as error:
            self.print_message("not-now", choice=text, reason=translator().reason(error.reason))
            return False

    def play(self, choice: str | list[str]) -> bool:
        """Play a choice or cards. After a draft pick or the end of a turn, earlier events count as shown."""
        before = len(self.game.events)
        drafting = self.game.view(self.seat).round == 0
        self.game.play(choice, self.seat)
        if drafting or self.game.over or self.game.seat != self.seat:
            self.shown_events = before
        return True

    def print_message(self, key: str, **values: object) -> None:
        """Print a message under the question."""
        # A path must not be broken into lines, so that it can be copied.
        has_path = "path" in values or "file" in values
        self.console.print(Text(MESSAGES[key].format(**values)), soft_wrap=has_path)

    def undo(self) -> bool:
        """Undo the last choice; ask first if it is final, since only bots are affected."""
        own = [ply for ply, seat in enumerate(self.game.movers) if seat == self.seat]
        if not own:
            self.print_message("undo.nothing")
            return False
        if self.game.undoable(self.seat) is not None:
            self.message = MESSAGES["undone"].format(choice=self.game.undo(self.seat))
        else:
            first = self.game.first_of_choice(own[-1])
            choice = SEPARATOR.join(self.game.moves[first : own[-1] + 1])
            offer = MESSAGES["undo.offer"].format(choice=choice)
            if self.read(f"{offer} ").casefold() not in typed_words("yes"):
                self.print_message("undo.kept")
                return False
            self.game.rewind(first)
            self.message = MESSAGES["rewound"].format(choice=choice)
        self.shown_events = count_shown_events(self.game, self.seat)
        return True

    def explain(self, text: str) -> None:
        """Print the help, or what a choice, an effect or a Domain is about."""
        help_ = Help(TerminalRenderer.of(self.console), self.game.position, self.seat)
        self.console.print(help_.about(text) if text else help_.overview())

    def finish(self) -> None:
        """Draw the final table with all hands open, and print the result and the path of the saved game."""
        if self.clears_screen:
            self.console.clear()
        screen = Screen(self.console)
        turns = self.spectator.narrator.narrate_by_turn(self.spectator.events(self.shown_events))
        ending = turns[-1].pop() if turns else ""
        self.console.print(screen.renderer.table(position_table(self.game.position, self.spectator.names)))
        self.console.print(screen.news([turn for turn in turns if turn], max_lines=12))
        self.console.print(Text(ending, style="win"))
        if self.save() is not None:
            self.print_message("replay", command=command(), file=shlex.quote(str(self.path)))

    def leave(self) -> None:
        """Save the game, and print its path and how to resume it."""
        if not self.game.dealt:
            line = shlex.quote(write_position(self.game.position))
            self.print_message("play-on", command=command(), path=line, seat=self.seat + 1)
        elif not self.game.moves:
            self.print_message("nothing-saved")
        elif self.save() is not None:
            file = "" if self.path.parent == saves.folder() else f" {shlex.quote(str(self.path))}"
            if code := [kind for kind in map(bot_kind, self.game.names) if kind and specifies_code(kind)]:
                file += f" --bots {shlex.quote(','.join(code))}"
            self.print_message("resume", command=command(), file=file)
            self.print_message("spoiler")

    def save(self) -> Path | None:
        """Save the record in its folder, or else in the folder for temporary files; a study has no record."""
        if not self.game.moves or not self.game.dealt:
            return None
        self.path, error = saves.write_with_fallback(self.path, self.game.record())
        with contextlib.suppress(OSError):
            if error is None:
                self.print_message("saved", path=self.path)
            else:
                self.print_message("saved.elsewhere", path=self.path, reason=os_error_sentence(error)[0])
        return self.path


def count_shown_events(game: Game, seat: int) -> int:
    """The number of events that the seat had seen when its last turn ended."""
    choosers = [*game.movers, game.seat]
    ended = [ply for ply, (mover, following) in enumerate(pairwise(choosers)) if mover == seat != following]
    return len(game.at(ended[-1]).events) if ended else 0
