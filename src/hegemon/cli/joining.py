"""A bot from here at a table far away: `hegemon join`."""

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
from typing import Any, Final, Protocol, TypeVar

from rich.console import Console, Group, RenderableType
from rich.text import Text

from hegemon.cli import saves
from hegemon.cli.console import command, is_interactive
from hegemon.cli.drawing import Artist, Scene, scene_of_view
from hegemon.cli.guard import BAD_INPUT, FAILED, INTERRUPTED, CannotJoin
from hegemon.cli.interruptions import Interruptions
from hegemon.cli.prose import JOINING
from hegemon.cli.screen import Screen
from hegemon.cli.seats import printable
from hegemon.client import (
    BadLink,
    ClientError,
    Entry,
    Link,
    Look,
    Moment,
    NotThere,
    Seat,
    SeatLost,
    Server,
    read_link,
)
from hegemon.play.events import Event, GameEnded, TurnBegan
from hegemon.play.player import Player
from hegemon.play.serialization import event_to_dict, result_to_dict
from hegemon.prose.choices import ChoiceDescriber
from hegemon.prose.narration import Narrator

#: So long a server that was there is waited for.
PATIENCE_SECONDS: Final = 3600.0

#: So often it is looked whether there is another game.
_LOOK_SECONDS: Final = 2.0


Found = TypeVar("Found")


class Shows(Protocol):
    """Shows what happens at the table to whoever started the bot."""

    def tell(self, sentence: str) -> None:
        """Something that is not about the game."""
        ...

    def sat_down(self, seat: Seat, look: Look) -> None:
        """The bot has a seat."""
        ...

    def moment(self, moment: Moment) -> None:
        """Something has happened."""
        ...

    def answered(self, number: int, word: str) -> None:
        """The bot has answered."""
        ...


class Joining:
    """A bot's time at a table far away."""

    def __init__(self, url: str, kind: str, player: Player, shows: Shows, *, again: bool = False) -> None:
        self.url = url
        self.kind = kind
        self.player = player
        self.shows = shows
        self.again = again
        self.way_back = url
        self.seated = False
        self.interruptions = Interruptions()

    def run(self, name: str) -> int:
        """Play to the end, or until somebody stops it; the exit status."""
        with self.interruptions:
            try:
                seat: Seat | None = self.wait_for(partial(self.sit_down, name))
                while seat is not None:
                    seat = self.play(seat)
            except KeyboardInterrupt:
                self.tell(JOINING["left"].format(command=self.command()) if self.seated else JOINING["gone"])
                return INTERRUPTED
            except SeatLost:
                raise CannotJoin(JOINING["lost" if self.seated else "no-seat"]) from None
            except ClientError as error:
                wrong = isinstance(error, (BadLink, NotThere))
                raise CannotJoin(shown(str(error)), BAD_INPUT if wrong else FAILED) from None
        return 0

    def wait_for(self, what: Callable[[], Found]) -> Found:
        """Wait for the server or for the bot; meanwhile an interruption is heard."""
        with self.interruptions.heard():
            return what()

    def tell(self, sentence: str) -> None:
        """Something that is not about the game, also while we wait; an interruption comes after the sentence."""
        with self.interruptions.unheard():
            self.shows.tell(sentence)

    def command(self) -> str:
        """How to come back."""
        return f"{command()} join {shlex.quote(self.way_back)} --bot {shlex.quote(self.kind)}"

    def sit_down(self, name: str) -> Seat:
        """The seat that the link leads to. By the same link, the same machine comes back to the same seat."""
        link = read_link(self.url)
        server = Server(link.server, patience=PATIENCE_SECONDS, on_trouble=self.tell)
        if not link.invite:
            if not link.token:
                raise BadLink(JOINING["no-token"])
            return server.seat(link.game, link.token)
        token = kept_token(link)
        seat = server.join(link.invite, name, token=token)
        if token is None:
            self.way_back = seat.link
        return seat

    def play(self, seat: Seat) -> Seat | None:
        """Play one game to its end; the seat at the next one, if there is to be one."""
        look = self.wait_for(seat.look)
        if look.seat is None:
            raise CannotJoin(JOINING["host"], BAD_INPUT)
        self.seated = True
        self.shows.sat_down(seat, look)
        moments = seat.watch(hold=True)
        while (moment := self.wait_for(partial(next, moments, None))) is not None:
            # What has happened at a game that is over already was told before.
            self.shows.moment(moment if look.result is None else dataclasses.replace(moment, news=()))
            if moment.choices:
                word = self.wait_for(partial(seat.answer, moment, self.player))
                if word is not None:
                    self.shows.answered(moment.look.number, word)
        return self.wait_for_another(seat) if self.again else None

    def wait_for_another(self, seat: Seat) -> Seat:
        """Whether there is another game is for the people to say."""
        self.tell(JOINING["another"])
        while (following := self.wait_for(seat.look).following) is None:
            self.wait_for(partial(time.sleep, _LOOK_SECONDS))
        return seat.server.seat(following, seat.token)


def kept_token(link: Link) -> str | None:
    """The token by which this machine sits down by an invitation, always the same; None where nothing can be kept."""
    try:
        key = kept_key(saves.folder().parent / "key")
    except (OSError, saves.NothingSaved):
        return None
    digest = hmac.digest(key, str(link).encode(), hashlib.sha256)
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def kept_key(path: Path) -> bytes:
    """The secret of this machine, made when it is first needed."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            dir=path.parent, prefix=".key."
        ) as file:  # for this user's eyes alone
            file.write(secrets.token_bytes(32))
            file.flush()
            with contextlib.suppress(FileExistsError):  # another bot may have been started at the same moment
                os.link(file.name, path)
    return path.read_bytes()


# ------------------------------------------------------------------ showing


def shown(text: str) -> str:
    """A text from a server, without letters that would command the terminal."""
    return "\n".join(printable(line) for line in text.split("\n"))


def narrator_of(look: Look) -> Narrator:
    """Tells what happened to the bot's seat."""
    return Narrator([printable(name) for name in look.names], look.seat, teams=bool(look.view.teams))


class Lines:
    """For programs: everything as JSON, a line each."""

    def _print(self, **facts: Any) -> None:
        sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")
        sys.stdout.flush()

    def tell(self, sentence: str) -> None:
        """Something that is not about the game."""
        self._print(note=sentence)

    def sat_down(self, seat: Seat, look: Look) -> None:
        """The bot has a seat."""
        self._print(game=seat.game, seat=(look.seat or 0) + 1, names=list(look.names), waits=look.waits)

    def moment(self, moment: Moment) -> None:
        """Every entry with its events, and at the end the result."""
        for news in moment.news:
            if isinstance(news, Entry):
                events = [event_to_dict(event) for event in news.events]
                facts = {"taken_back": news.taken_back} if news.taken_back is not None else {}
                self._print(number=news.number, events=events, **facts)
            else:
                self._print(said=news.sentence, name=news.name)
        if moment.look.result is not None:
            self._print(result=result_to_dict(moment.look.result))

    def answered(self, number: int, word: str) -> None:
        """The bot has answered."""
        self._print(answers=number, word=word)


class Log:
    """Where nobody sits at the terminal: what happens, a sentence a line, and at the end the table."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def tell(self, sentence: str) -> None:
        """Something that is not about the game."""
        self.console.print(Text(shown(sentence), style="quiet"), soft_wrap=True)

    def sat_down(self, seat: Seat, look: Look) -> None:
        """The bot has a seat."""
        self.tell(welcome(seat, look))

    def moment(self, moment: Moment) -> None:
        """What has happened."""
        for sentence in sentences(moment):
            self.console.print(Artist.of(self.console).sentence(sentence), soft_wrap=True)
        if moment.look.result is not None:
            self.console.print(Artist.of(self.console).table(scene_of(moment)))

    def answered(self, number: int, word: str) -> None:
        """What it did is told with the rest."""


class Board(Log):
    """At a terminal: the table, drawn anew whenever something has happened."""

    def __init__(self, console: Console, kind: str) -> None:
        super().__init__(console)
        self.kind = kind
        self.notes: list[str] = []
        self.entries: dict[int, tuple[Event, ...]] = {}

    def tell(self, sentence: str) -> None:
        """Something that is not about the game: it stays below the table until the next moment."""
        self.notes.append(shown(sentence))
        self.console.print()  # what was typed, such as ^C, stands on a line of its own
        super().tell(sentence)

    def sat_down(self, seat: Seat, look: Look) -> None:
        """The bot has a seat."""
        self.entries = {}
        super().sat_down(seat, look)

    def moment(self, moment: Moment) -> None:
        """The table, what has happened in this turn and the one before, and what is asked."""
        for news in moment.news:
            if isinstance(news, Entry):
                self.entries[news.number] = news.events
                self.entries.pop(-1 if news.taken_back is None else news.taken_back, None)
            else:
                self.notes.append(
                    JOINING["said"].format(name=shown(news.name), sentence=shown(news.sentence))
                )
        if moment.look.waits:
            return
        screen, narrator = Screen(self.console), narrator_of(moment.look)
        events = [event for number in sorted(self.entries) for event in self.entries[number]]
        began = [place for place, event in enumerate(events) if isinstance(event, TurnBegan)]
        told = narrator.narrate_by_turn(events[began[-2] if len(began) > 1 else 0 :])
        parts: list[RenderableType] = [
            screen.artist.table(scene_of(moment)),
            screen.news(told, most=max(3, screen.artist.height - 18)),
            *(Text(note, style="quiet") for note in self.notes[-3:]),
        ]
        if moment.look.result is None:
            question = ChoiceDescriber(moment.view, narrator.names).question()
            parts += [
                Text(question, style="question"),
                Text(JOINING["keys"].format(bot=self.kind), style="quiet"),
            ]
        self.console.clear()
        self.console.print(Group(*parts))
        self.notes = []


def scene_of(moment: Moment) -> Scene:
    """The table as the bot's seat sees it."""
    return scene_of_view(moment.view, moment.look.names, moment.memory)


def welcome(seat: Seat, look: Look) -> str:
    """Where the bot sits."""
    names = [printable(name) for place, name in enumerate(look.names) if place != look.seat]
    sentence = JOINING["sits"].format(
        name=look.names[look.seat or 0],
        seat=(look.seat or 0) + 1,
        others=", ".join(names),
        address=Link(seat.server.address, game=seat.game),
    )
    if look.result is not None:
        return f"{sentence}\n{JOINING['over']} {narrator_of(look).ending(GameEnded(look.result))}"
    return f"{sentence}\n{JOINING['waits']}" if look.waits else sentence


def sentences(moment: Moment) -> Iterable[str]:
    """What has happened since the moment before, and what was said."""
    narrator = narrator_of(moment.look)
    for news in moment.news:
        if not isinstance(news, Entry):
            yield JOINING["said"].format(name=shown(news.name), sentence=shown(news.sentence))
        elif news.taken_back is not None:
            yield JOINING["taken-back"]
        else:
            yield from narrator.narrate(news.events)


def shows_on(console: Console, kind: str, *, as_json: bool) -> Shows:
    """How it is shown here."""
    if as_json:
        return Lines()
    return Board(console, kind) if is_interactive(console) else Log(console)
