"""The whole screen of a sitting: the table, the news, the question and its answers, fitted to the terminal."""

from collections.abc import Sequence
from math import ceil
from typing import Final

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from hegemon.cli.drawing import Artist, Scene
from hegemon.cli.prose import ONE_ORDER, SCREEN, SHORT_CHOICE_TEXTS
from hegemon.prose.choices import ChoiceDescriber
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


class Part:
    """A part of the screen, drawn once, so that its height is known."""

    def __init__(self, console: Console, content: RenderableType) -> None:
        self.lines = console.render_lines(content, console.options, pad=False)

    def __len__(self) -> int:
        return len(self.lines)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in self.lines:
            yield from line
            yield Segment.line()


class Screen:
    """Fits what a person needs for a choice into the terminal as it is now."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.artist = Artist.of(console)

    def part(self, *contents: RenderableType) -> Part:
        """A part of the screen, as high as it is."""
        return Part(self.console, Group(*contents))

    def question(
        self, scene: Scene, turns: Sequence[Sequence[str]], choices: Sequence[str], message: str = ""
    ) -> RenderableType:
        """The table, what has happened, what is asked, and the numbered answers."""
        describer = ChoiceDescriber(
            scene.view, [self.artist.name(scene, seat) for seat in range(scene.view.players)]
        )
        asked: list[RenderableType] = [Text(message, style="turn")] if message else []
        asked.append(Text(describer.question(), style="question"))
        if scene.view.question in _PICKS and scene.view.left > 1:
            asked.append(Text(ONE_ORDER, style="quiet"))
        question = self.part(*asked)
        keys = Text(SCREEN["keys"], style="quiet", no_wrap=True, overflow="ellipsis")
        table = self.part(self.artist.table(scene))
        paragraphs = [self.part(self.paragraph(sentences)) for sentences in turns]
        wanted = sum(map(len, paragraphs))
        # One line is for the keys, and one for the prompt.
        room = self.artist.height - len(question) - 2
        columns = max(1, self.artist.width // _NARROW_COLUMN)
        # When it gets tight, answers in a few words make room for the news, and then markers are no longer told.
        if room - len(table) >= len(choices) + min(3, wanted):
            columns = 1
        answers = self.part(self.answers(describer, choices, columns))
        if room - len(table) < len(answers) + min(2, wanted):
            table = self.part(self.artist.table(scene, brief=True))
        news = self.part(self.latest(paragraphs, turns, most=max(1, room - len(table) - len(answers))))
        return self.spaced(table, news, self.part(question, answers, keys))

    def spaced(self, *parts: Part) -> RenderableType:
        """Parts of the screen below each other, with air between them where there is room for it."""
        shown = [part for part in parts if len(part)]
        air = sum(map(len, shown)) + len(shown) <= self.artist.height
        rows: list[RenderableType] = []
        for part in shown:
            rows += ["", part] if air and rows else [part]
        return Group(*rows)

    def news(self, turns: Sequence[Sequence[str]], most: int) -> RenderableType:
        """What has happened, a paragraph a turn; of long news the latest."""
        return self.latest([self.part(self.paragraph(sentences)) for sentences in turns], turns, most)

    def latest(self, paragraphs: list[Part], turns: Sequence[Sequence[str]], most: int) -> RenderableType:
        """As many of the latest paragraphs as there is room for, and how much is left out; one at least."""
        first = 0
        while first < len(turns) - 1 and sum(map(len, paragraphs[first:])) + (first > 0) > most:
            first += 1
        left_out = sum(len(sentences) for sentences in turns[:first])
        rows: list[RenderableType] = [*paragraphs[first:]]
        if left_out and sum(map(len, paragraphs[first:])) < most:
            rows.insert(0, Text(SCREEN["earlier"].format(number=left_out), style="quiet"))
        return Group(*rows)

    def paragraph(self, sentences: Sequence[str]) -> RenderableType:
        """The sentences of a turn."""
        text = Text(" ").join([self.artist.sentence(sentence) for sentence in sentences])
        line = Table.grid(padding=(0, 1, 0, 0))
        line.add_row(Text(self.artist.signs.bullet, style="quiet"), text)
        return line

    def answers(self, describer: ChoiceDescriber, choices: Sequence[str], columns: int) -> RenderableType:
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
                meaning = self.artist.sentence(
                    in_short(describer, word) if columns > 1 else describer.describe(word)
                )
                cells += [str(place + 1), word, meaning]
            grid.add_row(*cells)
        return Padding(grid, (0, 0, 0, 1))


def in_short(describer: ChoiceDescriber, word: str) -> str:
    """What an answer would do, in a few words."""
    key, facts = describer.template(word)
    one = f"{key}.one"
    return SHORT_CHOICE_TEXTS[one if facts.get("number") == 1 and one in SHORT_CHOICE_TEXTS else key].format(
        **facts
    )
