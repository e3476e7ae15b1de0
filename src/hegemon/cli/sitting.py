"""A person sits at the table with bots: ask, answer, explain, take back, save."""

import contextlib
import dataclasses
import shlex
import sys
from itertools import pairwise
from pathlib import Path

from rich.console import Console
from rich.text import Text

from hegemon.cli import answers, saves
from hegemon.cli.console import command, is_interactive
from hegemon.cli.drawing import Artist, scene_of_position
from hegemon.cli.explaining import Explaining
from hegemon.cli.guard import INTERRUPTED, sentence_for
from hegemon.cli.interruptions import Interruptions
from hegemon.cli.onlooker import Onlooker
from hegemon.cli.prose import ENGLISH, MESSAGES, SCREEN
from hegemon.cli.screen import Screen
from hegemon.cli.seats import bot_kind, let_bots_play, printable, seat_bots
from hegemon.notation.choices import read_choice
from hegemon.play.game import Game
from hegemon.play.legality import reason_against


class Sitting:
    """One person's time at the table."""

    def __init__(self, console: Console, game: Game, seat: int, path: Path, *, scroll: bool = False) -> None:
        self.console = console
        self.game = game
        self.seat = seat
        self.path = path
        self.bots = seat_bots(game)
        self.onlooker = Onlooker(game, seat)
        self.clears = is_interactive(console) and not scroll
        self.echoes = not sys.stdin.isatty()
        self.interruptions = Interruptions()
        self.told = events_before(game, seat)
        self.message = "" if game.moves else self.welcome()

    def welcome(self) -> str:
        """A word to whoever sits down at a new game."""
        bots = [
            MESSAGES["welcome.bot"].format(
                name=self.onlooker.names[seat], kind=bot_kind(self.game.names[seat])
            )
            for seat in self.bots
        ]
        return MESSAGES["welcome"].format(seat=self.seat + 1, bots=ENGLISH.listing(bots))

    # ---------------------------------------------------------------- the course of a sitting

    def run(self) -> int:
        """Play until the game is over or the person leaves; the exit status."""
        with self.interruptions:
            try:
                stays = True
                while stays and not self.game.over:
                    self.let_others_play()
                    if not self.game.over:
                        stays = self.ask()
            except (KeyboardInterrupt, EOFError) as left:
                self.console.print()
                self.leave()
                return INTERRUPTED if isinstance(left, KeyboardInterrupt) else 0
            except BaseException:
                self.save()
                raise
            if self.game.over:
                self.finish()
            else:
                self.leave()
        return 0

    def let_others_play(self) -> None:
        """The bots choose; some of them think for a while."""
        thinking = self.console.status(MESSAGES["thinking"]) if self.clears else contextlib.nullcontext()
        with thinking:
            let_bots_play(self.game, self.bots, self.interruptions.heard)

    def ask(self) -> bool:
        """Put the open question, and read until it is answered; False if the person leaves."""
        self.draw()
        while True:
            text = self.read(SCREEN["prompt"])
            match text.partition(" ")[0].casefold(), text:
                case ("q" | "quit" | "exit", _):
                    return False
                case ("", _):
                    if len(self.choices) == 1:
                        return self.answer(self.choices[0])
                    self.draw()
                case (_, "u" | "undo"):
                    if self.undo():
                        return True
                case ("d" | "discard" | "pile", _):
                    self.console.print(Artist.of(self.console).pile(self.onlooker.scene()))
                case ("log", _):
                    self.onlooker.print_log(self.console)
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
        """The answers that are open to the person."""
        return self.game.choices_of(self.seat)

    def read(self, prompt: str) -> str:
        """A line that somebody typed, or that came through a pipe."""
        self.console.print(Text(prompt, style="turn"), end="")
        with self.interruptions.heard():
            line = input()
        if self.echoes:
            self.console.print(printable(line), markup=False)
        return line.strip()

    def draw(self) -> None:
        """The table, the news and the question."""
        if self.clears:
            self.console.clear()
        news = self.onlooker.narrator.narrate_by_turn(self.onlooker.events(self.told))
        self.console.print(
            Screen(self.console).question(self.onlooker.scene(), news, self.choices, self.message)
        )
        self.message = ""

    # ---------------------------------------------------------------- answers

    def choose(self, text: str) -> bool:
        """Take an answer, or say why it is none."""
        found = answers.find_answer(text, self.choices)
        if len(found) == 1:
            return self.answer(found[0])
        word = answers.find_word(text)
        if found:
            self.say("several", text=text, words=", ".join(found))
        elif word is not None:
            reason = reason_against(self.game.position, self.seat, read_choice(word))
            self.say("not-now", word=word, reason=reason)
        else:
            key = "not-a-choice" if len(self.choices) > 1 else "not-a-choice.one"
            self.say(key, text=text[:40], number=len(self.choices), word=self.choices[0])
        return False

    def answer(self, word: str) -> bool:
        """Choose a word; after a draft pick or at the end of a turn, what was told so far is no longer news."""
        before = len(self.game.events)
        drafting = self.game.view(self.seat).round == 0
        self.game.play(word, self.seat)
        if drafting or self.game.over or self.game.seat != self.seat:
            self.told = before
        return True

    def say(self, key: str, **facts: object) -> None:
        """A remark under the question."""
        # A path that somebody wants to copy must not be broken.
        whole = "path" in facts or "file" in facts
        self.console.print(Text(MESSAGES[key].format(**facts)), soft_wrap=whole)

    # ---------------------------------------------------------------- taking back

    def undo(self) -> bool:
        """Take the last choice back: at once where that is fair, else after a question, for only bots look on."""
        said = self.game.record().moves
        own = [number for number, (seat, _) in enumerate(said) if seat == self.seat]
        if not own:
            self.say("undo.nothing")
            return False
        if self.game.undoable(self.seat) is not None:
            word = self.game.undo(self.seat)
            self.message = MESSAGES["undone"].format(word=word)
        else:
            word = self.game.moves[own[-1]]
            if self.read(MESSAGES["undo.offer"].format(word=word)).casefold() not in ("y", "yes"):
                self.say("undo.kept")
                return False
            self.game.rewind(own[-1])
            self.message = MESSAGES["rewound"].format(word=word)
        self.told = events_before(self.game, self.seat)
        return True

    # ---------------------------------------------------------------- looking things up

    def explain(self, text: str) -> None:
        """Help, or what a word is about and whether it is possible now."""
        explaining = Explaining(Artist.of(self.console), self.game.position, self.seat)
        self.console.print(explaining.about(text) if text else explaining.help())

    # ---------------------------------------------------------------- the end

    def finish(self) -> None:
        """The last table with all cards open, who won, and where the game is kept."""
        if self.clears:
            self.console.clear()
        screen = Screen(self.console)
        news = self.onlooker.narrator.narrate_by_turn(self.onlooker.events(self.told))
        ending = news[-1].pop() if news else ""
        self.console.print(screen.artist.table(scene_of_position(self.game.position, self.game.names)))
        self.console.print(screen.news([turn for turn in news if turn], most=12))
        self.console.print(Text(ending, style="win"))
        if self.save() is not None:
            self.say("replay", command=command(), file=shlex.quote(str(self.path)))

    def leave(self) -> None:
        """Save the game, and say where it is and how to go on."""
        if not self.game.moves:
            self.say("nothing-saved")
        elif self.save() is not None:
            latest = self.path.parent == saves.folder()
            file = "" if latest else f" {shlex.quote(str(self.path))}"
            self.say("resume", command=command(), file=file)
            self.say("spoiler")

    def save(self) -> Path | None:
        """Write the record where games are kept, or failing that where temporary files go."""
        if not self.game.moves:
            return None
        self.path, error = saves.write_somewhere(self.path, self.game.record())
        with contextlib.suppress(OSError):
            key = "saved" if error is None else "saved.elsewhere"
            self.say(key, path=self.path, reason=sentence_for(error)[0] if error is not None else "")
        return self.path


def events_before(game: Game, seat: int) -> int:
    """How many events had happened when a seat last ended a turn: what came after is news to it."""
    record = game.record()
    choosers = [*(chooser for chooser, _ in record.moves), game.seat]
    ended = [number for number, (now, then) in enumerate(pairwise(choosers)) if now == seat != then]
    if not ended:
        return 0
    earlier = dataclasses.replace(record, moves=record.moves[: ended[-1]], result=None)
    return len(Game.from_record(earlier).events)
