"""`hegemon join`: a bot of this machine at a table on a server."""

import base64
import contextlib
import dataclasses
import hashlib
import hmac
import json
import os
import secrets
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

from rich.console import Console
from rich.text import Text
from typer import Argument, Option

from hegemon.bots import ProgramError, make_bot
from hegemon.bots.registry import specifies_code
from hegemon.cli import saves
from hegemon.cli.errors import BAD_INPUT, FAILED, INTERRUPTED, CommandError
from hegemon.cli.prose import JOINING, sentence_of, translate_message, translator, use_language
from hegemon.cli.seats import printable
from hegemon.cli.signals import Interrupts
from hegemon.cli.terminal.console import command, is_interactive, output_console
from hegemon.cli.terminal.screen import Screen
from hegemon.cli.terminal.spectator import recent_events
from hegemon.cli.terminal.table import TerminalRenderer
from hegemon.client import (
    ClientError,
    InvalidLink,
    Link,
    Moment,
    MoveUpdate,
    NotFound,
    Seat,
    SeatLost,
    Server,
    TableState,
    read_link,
)
from hegemon.play.events import Event, GameEnded
from hegemon.play.player import Player
from hegemon.play.serialization import event_to_dict, result_to_dict
from hegemon.prose.choices import ChoiceDescriber
from hegemon.prose.narration import Narrator
from hegemon.views import TableView, view_table

RECONNECT_TIMEOUT: Final = 3600.0
_REMATCH_POLL_INTERVAL: Final = 2.0

T = TypeVar("T")


def join(
    url: Annotated[str, Argument(help="An invitation, or a game’s page with the token of a seat after #.")],
    bot: Annotated[str, Option(help="The bot that plays, such as greedy, hard or search:0.1s.")],
    name: Annotated[str, Option(help="Its name at the table.")] = "",
    seed: Annotated[int | None, Option(help="The same seed plays the same way.")] = None,
    again: Annotated[bool, Option("--again", help="Stay for a rematch.")] = False,
    as_json: Annotated[
        bool, Option("--json", help="Print what happens as lines of JSON, for programs.")
    ] = False,
) -> int:
    """Let one of your bots play at a table on a server.

    Ctrl-C leaves; the seat stays, and the same command returns to it. If the server does not answer, the bot waits.
    """
    if as_json:
        use_language("en")  # the output is for programs
    player = make_bot(bot, seed if seed is not None else secrets.randbits(63))
    console = output_console()
    log = ScreenReporter(console, bot) if is_interactive(console) else LogReporter(console)
    reporter = JsonReporter() if as_json else log
    return JoinSession(url, bot, player, reporter, rematch=again).run(name or f"{public_name(bot)} (bot)")


def public_name(bot: str) -> str:
    """The public name of a bot, without local paths: that of its class, or the last word of its command."""
    return Path(bot.split()[-1]).name.rpartition(":")[2] if specifies_code(bot) else bot


class JoinSession:
    """The games of one bot at a table on a server."""

    def __init__(
        self,
        url: str,
        kind: str,
        player: Player,
        reporter: "LogReporter | JsonReporter",
        *,
        rematch: bool = False,
    ) -> None:
        self.url = url
        self.kind = kind
        self.player = player
        self.reporter = reporter
        self.rematch = rematch
        self.return_link = url
        self.seated = False
        self.interrupts = Interrupts()

    def run(self, name: str) -> int:
        """Play to the end or to an interrupt, and return the exit status."""
        with self.interrupts:
            try:
                seat: Seat | None = self.call_interruptibly(partial(self.take_seat, name))
                while seat is not None:
                    seat = self.play(seat)
            except KeyboardInterrupt:
                self.notify(JOINING["left" if self.seated else "gone"].format(command=self.command()))
                return INTERRUPTED
            except ProgramError:
                self.notify(JOINING["left"].format(command=self.command()))
                raise
            except SeatLost:
                raise CommandError(JOINING["lost" if self.seated else "no-seat"]) from None
            except ClientError as error:
                is_bad_input = isinstance(error, (InvalidLink, NotFound))
                raise CommandError(
                    printable_lines(sentence_of(error)), BAD_INPUT if is_bad_input else FAILED
                ) from None
        return 0

    def call_interruptibly(self, call: Callable[[], T]) -> T:
        """Call the server or the bot; an interrupt is raised at once."""
        with self.interrupts.allowed():
            return call()

    def notify(self, sentence: str) -> None:
        """Show a sentence, also inside `call_interruptibly`; interrupts are deferred."""
        with self.interrupts.deferred():
            self.reporter.notify(translate_message(sentence))

    def command(self) -> str:
        """The command that returns to the seat."""
        return f"{command()} join {shlex.quote(self.return_link)} --bot {shlex.quote(self.kind)}"

    def take_seat(self, name: str) -> Seat:
        """The seat that the link leads to, the same one each time on this machine."""
        link = read_link(self.url)
        server = Server(
            link.server,
            language=translator().code,
            retry_timeout=RECONNECT_TIMEOUT,
            on_connection_problem=self.notify,
        )
        if not link.invite:
            if not link.token:
                raise InvalidLink(JOINING["no-token"])
            return server.seat(link.game, link.token)
        token = token_for(link)
        seat = server.join(link.invite, name, token=token)
        if token is None:
            self.return_link = seat.link
        return seat

    def play(self, seat: Seat) -> Seat | None:
        """Play one game to its end; return the seat in the rematch, if any."""
        state = self.call_interruptibly(seat.state)
        if state.seat is None:
            raise CommandError(JOINING["host"], BAD_INPUT)
        self.seated = True
        self.reporter.seated(seat, state)
        moments = seat.watch(reclaim=True)
        while (moment := self.call_interruptibly(partial(next, moments, None))) is not None:
            # The events of a game that was already over have been shown before.
            self.reporter.update(moment if state.result is None else dataclasses.replace(moment, updates=()))
            if moment.choices:
                choice = self.call_interruptibly(partial(seat.play_turn, moment, self.player))
                if choice is not None:
                    self.reporter.moved(moment.state.version, choice)
        return self.wait_for_rematch(seat) if self.rematch else None

    def wait_for_rematch(self, seat: Seat) -> Seat:
        self.notify(JOINING["another"])
        while (next_game := self.call_interruptibly(seat.state).next_game) is None:
            self.call_interruptibly(partial(time.sleep, _REMATCH_POLL_INTERVAL))
        return seat.server.seat(next_game, seat.token)


def token_for(link: Link) -> str | None:
    """The token of this machine for an invitation, always the same; None if no key can be saved."""
    try:
        key = machine_key(saves.folder().parent / "key")
    except (OSError, saves.SaveError):
        return None
    digest = hmac.digest(key, str(link).encode(), hashlib.sha256)
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def machine_key(path: Path) -> bytes:
    """The secret of this machine, created when it is first needed."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        # A temporary file is readable by this user only.
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".key.") as file:
            file.write(secrets.token_bytes(32))
            file.flush()
            with contextlib.suppress(FileExistsError):  # another bot may have been started at the same time
                os.link(file.name, path)
    return path.read_bytes()


# ------------------------------------------------------------------ reporters


def printable_lines(text: str) -> str:
    """A text from a server, without control characters."""
    return "\n".join(printable(line) for line in text.split("\n"))


def narrator_for(state: TableState) -> Narrator:
    return Narrator(
        [printable(name) for name in state.names], state.seat, teams=bool(state.view.teams), tr=translator()
    )


class JsonReporter:
    """Prints everything as JSON lines."""

    def _print(self, **data: Any) -> None:
        sys.stdout.write(json.dumps(data, ensure_ascii=False) + "\n")
        sys.stdout.flush()

    def notify(self, sentence: str) -> None:
        self._print(note=sentence)

    def seated(self, seat: Seat, state: TableState) -> None:
        number = (state.seat or 0) + 1
        self._print(game=seat.game, seat=number, names=list(state.names), is_waiting=state.is_waiting)

    def update(self, moment: Moment) -> None:
        """Print every entry with its events, and at the end the result."""
        for update in moment.updates:
            if isinstance(update, MoveUpdate):
                undone = {"undone": update.undone} if update.undone is not None else {}
                self._print(version=update.version, events=list(map(event_to_dict, update.events)), **undone)
            else:
                self._print(message=update.sentence, name=update.name)
        if moment.state.result is not None:
            self._print(result=result_to_dict(moment.state.result))

    def moved(self, version: int, choice: str) -> None:
        self._print(version=version, choice=choice)


class LogReporter:
    """Prints events, one sentence per line, and the table at the end."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def notify(self, sentence: str) -> None:
        self.console.print(Text(printable_lines(sentence), style="quiet"), soft_wrap=True)

    def seated(self, seat: Seat, state: TableState) -> None:
        self.notify(welcome(seat, state))

    def update(self, moment: Moment) -> None:
        renderer = TerminalRenderer.of(self.console)
        for sentence in sentences(moment):
            self.console.print(renderer.sentence(sentence), soft_wrap=True)
        if moment.state.result is not None:
            self.console.print(renderer.table(table_of(moment)))

    def moved(self, version: int, choice: str) -> None:
        """Print nothing: the events of the move follow."""


class ScreenReporter(LogReporter):
    """Draws the table again after every update."""

    def __init__(self, console: Console, kind: str) -> None:
        super().__init__(console)
        self.kind = kind
        self.notes: list[str] = []
        self.entries: dict[int, tuple[Event, ...]] = {}

    def notify(self, sentence: str) -> None:
        """Show a sentence below the table until the next update."""
        self.notes.append(printable_lines(sentence))
        self.console.print()  # after input such as ^C
        super().notify(sentence)

    def seated(self, seat: Seat, state: TableState) -> None:
        self.entries = {}
        super().seated(seat, state)

    def update(self, moment: Moment) -> None:
        """Draw the table, the events of this turn and the one before, and the question."""
        for update in moment.updates:
            if isinstance(update, MoveUpdate):
                self.entries[update.version] = update.events
                self.entries.pop(-1 if update.undone is None else update.undone, None)
            else:
                self.notes.append(chat_line(update.name, update.sentence))
        if moment.state.is_waiting:
            return
        screen, narrator = Screen(self.console), narrator_for(moment.state)
        events = [event for version in sorted(self.entries) for event in self.entries[version]]
        turns = narrator.narrate_by_turn(recent_events(events))
        below: list[str | Text] = [*self.notes[-3:]]
        if moment.state.result is None:
            question = ChoiceDescriber(moment.view, narrator.names, translator()).question()
            below += [Text(question, style="question"), JOINING["keys"].format(bot=self.kind)]
        screen.show(table_of(moment), turns, *below, max_lines=screen.renderer.height - 18)
        self.notes = []


def table_of(moment: Moment) -> TableView:
    return view_table(moment.view, [printable(name) for name in moment.state.names], memory=moment.memory)


def chat_line(name: str, message: str) -> str:
    return JOINING["said"].format(name=printable_lines(name), sentence=printable_lines(message))


def welcome(seat: Seat, state: TableState) -> str:
    """The seat of the bot, the other players, and whether the game has started."""
    names = [printable(name) for place, name in enumerate(state.names) if place != state.seat]
    sentence = JOINING["sits"].format(
        name=state.names[state.seat or 0],
        seat=(state.seat or 0) + 1,
        others=", ".join(names),
        address=Link(seat.server.address, game=seat.game),
    )
    if state.result is not None:
        return f"{sentence}\n{JOINING['over']} {narrator_for(state).ending(GameEnded(state.result))}"
    return f"{sentence}\n{JOINING['waits']}" if state.is_waiting else sentence


def sentences(moment: Moment) -> Iterable[str]:
    """The events and the chat since the last update."""
    narrator = narrator_for(moment.state)
    for update in moment.updates:
        if not isinstance(update, MoveUpdate):
            yield chat_line(update.name, update.sentence)
        elif update.undone is not None:
            yield JOINING["taken-back"]
        else:
            yield from narrator.narrate(update.events)
