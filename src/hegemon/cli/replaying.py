"""A game once more, from its record: step by step in the terminal, or all of it as a log."""

from rich.console import Console, Group, RenderableType
from rich.text import Text

from hegemon.cli.console import is_interactive
from hegemon.cli.drawing import Artist
from hegemon.cli.onlooker import Onlooker
from hegemon.cli.prose import MESSAGES, SCREEN
from hegemon.cli.screen import Screen
from hegemon.cli.seats import printable
from hegemon.notation.choices import choices_in
from hegemon.notation.record import Record
from hegemon.play.events import TurnBegan
from hegemon.play.game import Game


class Replay:
    """A game that is looked at again, with all cards open or through the eyes of one seat."""

    def __init__(self, console: Console, record: Record, seat: int | None = None) -> None:
        self.console = console
        self.record = record
        self.game = Game.from_record(record)
        self.onlooker = Onlooker(self.game, seat)
        self.total = len(record.moves)
        self.message = ""
        if record.result is None and seat is None:
            self.message = MESSAGES["replay.open"]

    def run(self) -> None:
        """Step through the game if somebody sits there, print it if nobody does."""
        if is_interactive(self.console):
            self.step_through()
        else:
            self.print_all()

    def print_all(self) -> None:
        """The whole game in sentences, and the table at its end."""
        self.onlooker.print_log(self.console)
        self.console.print(Artist.of(self.console).table(self.onlooker.scene()))
        if self.record.result is None:
            self.console.print(Text(MESSAGES["replay.unfinished"], style="quiet"))
        for number, comment in self.record.comments.items():
            sentence = MESSAGES["replay.comment"].format(number=number, comment=printable(comment))
            self.console.print(Text(sentence, style="italic"), soft_wrap=True)

    # ---------------------------------------------------------------- step by step

    def step_through(self) -> None:
        """Show a moment, and go where the keys say; the end of the input is the end of the replay."""
        place: int | None = 0
        while place is not None:
            self.show(place)
            try:
                text = self.console.input(Text(SCREEN["prompt"], style="turn"))
            except EOFError:
                return
            place = self.next_place(place, text.strip().casefold())

    def next_place(self, place: int, text: str) -> int | None:
        """Where a key leads; None is out."""
        match text:
            case "q" | "quit":
                return None
            case "" | "n" | "next":
                return min(place + 1, self.total)
            case "b" | "back":
                return max(place - 1, 0)
            case "t" | "turn":
                return self.next_turn(place)
            case "e" | "end":
                return self.total
        if text.isascii() and text.isdecimal() and len(text) < 7 and int(text) <= self.total:
            return int(text)
        self.message = MESSAGES["replay.lost"].format(total=self.total)
        return place

    def show(self, place: int) -> None:
        """The table after so many choices, and what the last of them did."""
        told = 0
        if place:
            self.go_to(place - 1)
            told = len(self.game.events)
        self.go_to(place)
        screen = Screen(self.console)
        parts: list[RenderableType] = [
            screen.artist.table(self.onlooker.scene()),
            screen.news([self.onlooker.narrator.narrate(self.onlooker.events(told))], most=12),
        ]
        if place in self.record.comments:
            parts.append(Text(printable(self.record.comments[place]), style="italic"))
        if not self.game.over:
            parts.append(self.onlooker.question())
        if place == self.total:
            key = "replay.result" if self.game.over else "replay.unfinished"
            parts.append(Text(MESSAGES[key], style="quiet"))
        if self.message:
            parts.append(Text(self.message, style="alert"))
            self.message = ""
        parts.append(Text(MESSAGES["replay.keys"].format(number=place, total=self.total), style="quiet"))
        self.console.clear()
        self.console.print(Group(*parts))

    def go_to(self, place: int) -> None:
        """The game after so many choices."""
        said = len(self.game.moves)
        if place < said:
            self.game.rewind(place)
        for seat, word in self.record.moves[said:place]:
            self.game.play(choices_in(1 << word)[0], seat)

    def next_turn(self, place: int) -> int:
        """The number of choices after which the next turn begins, or the last."""
        self.go_to(place)
        while place < self.total:
            told = len(self.game.events)
            place += 1
            self.go_to(place)
            if any(isinstance(event, TurnBegan) for event in self.game.events[told:]):
                break
        return place
