"""The whole screen of a sitting: the table, the news, the question and its answers, fitted to the terminal."""

from collections.abc import Sequence
from math import ceil
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from hegemon.cli.drawing import Artist, Scene
from hegemon.cli.meanings import Meanings
from hegemon.cli.prose import ONE_ORDER, SCREEN
from hegemon.rules.position import Question

_PICKS: Final = (
    Question.DISCARD_FROM_HAND,
    Question.DISCARD_FROM_AREA,
    Question.TAKE_BACK,
    Question.PLAY_MORE,
    Question.FETCH,
    Question.GIVE,
)

# A choice in a few words takes about this much room, with its number and word before it.
_NARROW_COLUMN: Final = 38


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
        several = scene.view.question in _PICKS and scene.view.left > 1
        asked: list[RenderableType] = [Text(message, style="turn")] if message else []
        asked.append(Text(meanings.question(), style="question"))
        asked += [Text(ONE_ORDER, style="quiet")] if several else []
        keys = Text(SCREEN["keys"], style="quiet", no_wrap=True, overflow="ellipsis")
        table = self.artist.table(scene)
        answers = self.answers(meanings, choices, columns=1)
        news_lines = self.lines(self.news(turns, most=1000))
        columns = max(1, self.artist.width // _NARROW_COLUMN)
        # When it gets tight, answers in a few words make room for the news, and then markers are no longer told.
        if self.room(table, asked) < len(choices) + min(3, news_lines) and columns > 1:
            answers = self.answers(meanings, choices, columns)
        if self.room(table, asked) < self.lines(answers) + min(2, news_lines):
            table = self.artist.table(scene, brief=True)
        news = self.news(turns, most=max(1, self.room(table, asked) - self.lines(answers)))
        return self.spaced(table, news, Group(*asked, answers, keys))

    def room(self, table: RenderableType, asked: list[RenderableType]) -> int:
        """How many lines are left for news and answers; one is for the keys, and one for the prompt."""
        return self.artist.height - self.lines(table) - self.lines(Group(*asked)) - 2

    def spaced(self, *parts: RenderableType) -> RenderableType:
        """Parts of the screen below each other, with air between them where there is room for it."""
        parts = tuple(part for part in parts if self.lines(part))
        air = sum(map(self.lines, parts)) + len(parts) <= self.artist.height
        return Group(*(Padding(part, (0, 0, 1 if air and part is not parts[-1] else 0, 0)) for part in parts))

    def news(self, turns: Sequence[Sequence[str]], most: int) -> RenderableType:
        """What has happened, a paragraph a turn; of long news the latest."""
        paragraphs = [self.paragraph(sentences) for sentences in turns]
        lines = [self.lines(paragraph) for paragraph in paragraphs]
        first = 0
        while first < len(turns) - 1 and sum(lines[first:]) + (first > 0) > most:
            first += 1
        if first:
            # The line that tells of what is left out is itself left out where there is room for one turn only.
            number = sum(len(sentences) for sentences in turns[:first])
            earlier = Text(SCREEN["earlier"].format(number=number), style="quiet")
            return Group(*([earlier] if sum(lines[first:]) < most else []), *paragraphs[first:])
        return Group(*paragraphs)

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
