"""The whole screen of a sitting: the table, the news, the question and its answers, fitted to the terminal."""

from collections.abc import Sequence
from math import ceil

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from hegemon.cli.drawing import Artist, Scene
from hegemon.cli.meanings import Meanings
from hegemon.cli.prose import SCREEN

# A choice in a few words takes about this much room, with its number and word before it.
_NARROW_COLUMN = 38

# The question, the keys, the prompt, and the lines between.
_FRAME = 5


class Screen:
    """Fits what a person needs for a choice into the terminal as it is now."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.artist = Artist.of(console)

    def lines(self, part: RenderableType) -> int:
        """How many lines a part of the screen takes."""
        return len(self.console.render_lines(part, self.console.options))

    def question(
        self, scene: Scene, turns: Sequence[Sequence[str]], choices: Sequence[str], message: str = ""
    ) -> RenderableType:
        """The table, what has happened, what is asked, and the numbered answers."""
        meanings = Meanings(scene.view, [self.artist.name(scene, seat) for seat in range(scene.view.players)])
        table = self.artist.table(scene)
        room = self.artist.height - self.lines(table) - _FRAME - bool(message)
        news = self.news(turns, 1000)
        answers = self.answers(meanings, choices, columns=1)
        if self.lines(news) + len(choices) > room:
            columns = max(1, self.artist.width // _NARROW_COLUMN)
            # Answers in a few words make room for the news, down to the last turn or so.
            if len(choices) + min(3, self.lines(news)) > room and columns > 1:
                answers = self.answers(meanings, choices, columns)
            news = self.news(turns, max(3, room - self.lines(answers)))
        parts: list[RenderableType] = [table, news]
        if message:
            parts.append(Text(message, style="alert"))
        parts.append(Text(meanings.question(), style="question"))
        parts.append(answers)
        parts.append(Text(SCREEN["keys"], style="quiet", no_wrap=True, overflow="ellipsis"))
        return Group(*parts)

    def news(self, turns: Sequence[Sequence[str]], most: int) -> RenderableType:
        """What has happened, a paragraph a turn; of long news the latest."""
        paragraphs: list[RenderableType] = []
        left = most
        for number, sentences in enumerate(reversed(turns)):
            paragraph = self.paragraph(sentences)
            left -= self.lines(paragraph)
            if left < 0 and paragraphs:
                more = sum(len(turn) for turn in turns[: len(turns) - number])
                paragraphs.append(Text(SCREEN["earlier"].format(number=more), style="quiet"))
                break
            paragraphs.append(paragraph)
        return Group(*reversed(paragraphs))

    def paragraph(self, sentences: Sequence[str]) -> RenderableType:
        """The sentences of a turn."""
        text = Text(" ").join([self.artist.sentence(sentence) for sentence in sentences])
        line = Table.grid(padding=(0, 1, 0, 0))
        line.add_row(Text(self.artist.signs.bullet, style="quiet"), text)
        return line

    def answers(self, meanings: Meanings, choices: Sequence[str], columns: int) -> RenderableType:
        """The answers by number and word, each with its meaning; down the first column, then down the next."""
        rows = ceil(len(choices) / columns)
        widest = max(len(word) for word in choices)
        grid = Table.grid(padding=(0, 2, 0, 0))
        for _ in range(columns):
            grid.add_column(justify="right", no_wrap=True, style="count")
            grid.add_column(no_wrap=True, style="word", min_width=widest)
            grid.add_column(no_wrap=columns > 1, overflow="ellipsis")
        for row in range(rows):
            cells: list[RenderableType] = []
            for place in range(row, len(choices), rows):
                word = choices[place]
                meaning = self.artist.sentence(meanings.meaning(word, short=columns > 1))
                cells += [str(place + 1), word, meaning]
            grid.add_row(*cells)
        return Padding(grid, (0, 0, 0, 1))
