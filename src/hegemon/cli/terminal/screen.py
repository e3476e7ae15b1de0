"""The whole screen: the table, recent events, the question and its choices, fitted to the terminal."""

from collections.abc import Sequence
from math import ceil
from typing import Final

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from hegemon.cli.prose import SCREEN, SHORT, translator
from hegemon.cli.terminal.table import TerminalRenderer
from hegemon.prose.choices import ChoiceDescriber
from hegemon.rules.actions import Effect
from hegemon.views import TableView

#: The keys of short texts that several choices share.
_SHORT_KEYS: Final = {
    **dict.fromkeys(("keep", "take-from-center", "discard-from-hand", "fetch", "give"), "card"),
    **dict.fromkeys(("discard-from-area", "take-back"), "left"),
    **dict.fromkeys(("embargo-domain", "embargo-domain.self"), "domain"),
    "democracy-domain.self": "democracy-domain",
    "breakthrough.empty": "breakthrough",
}

#: The width of a choice with its number and its short text.
_NARROW_COLUMN: Final = 38


class RenderedPart:
    """A part of the screen that is rendered in advance, so that its height is known."""

    def __init__(self, console: Console, content: RenderableType) -> None:
        self.lines = console.render_lines(content, console.options, pad=False)

    def __len__(self) -> int:
        return len(self.lines)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in self.lines:
            yield from line
            yield Segment.line()


class Screen:
    """Fits everything needed for a choice into the terminal at its current size."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.renderer = TerminalRenderer.of(console)

    def part(self, *contents: RenderableType) -> RenderedPart:
        return RenderedPart(self.console, Group(*contents))

    def question(self, table: TableView, turns: Sequence[Sequence[str]], message: str = "") -> RenderableType:
        """The table, recent events, the question, and the numbered choices."""
        describer, choices = ChoiceDescriber(table.view, table.names, translator()), table.choices
        question_lines: list[RenderableType] = [Text(message, style="turn")] if message else []
        question_lines.append(Text(describer.question(), style="question"))
        if table.selection is not None and table.marking:
            example = " ".join(card[0] for card in [*table.selection.cards][: table.marking])
            question_lines.append(Text(SCREEN["together"].format(example=example), style="quiet"))
        question = self.part(*question_lines)
        keys = Text(SCREEN["keys"], style="quiet", no_wrap=True, overflow="ellipsis")
        drawn = self.part(self.renderer.table(table))
        paragraphs = [self.part(self.paragraph(sentences)) for sentences in turns]
        wanted = sum(map(len, paragraphs))
        # One line is for the keys, and one for the prompt.
        space = self.renderer.height - len(question) - 2
        columns = max(1, self.renderer.width // _NARROW_COLUMN)
        # If space is short, choices get short texts; then the sentences about markers are dropped.
        if space - len(drawn) >= len(choices) + min(3, wanted):
            columns = 1
        listed = self.part(self.choices(describer, choices, columns))
        if space - len(drawn) < len(listed) + min(2, wanted):
            drawn = self.part(self.renderer.table(table, brief=True))
        news = self.part(self.latest(paragraphs, turns, max_lines=max(1, space - len(drawn) - len(listed))))
        return self.spaced(drawn, news, self.part(question, listed, keys))

    def show(
        self, table: TableView, turns: Sequence[Sequence[str]], *lines: str | Text, max_lines: int
    ) -> None:
        """Clear the terminal, and draw the table, recent events in at most `max_lines` lines, and the lines below."""
        below = [Text(line, style="quiet") if isinstance(line, str) else line for line in lines]
        self.console.clear()
        self.console.print(Group(self.renderer.table(table), self.news(turns, max(3, max_lines)), *below))

    def spaced(self, *parts: RenderedPart) -> RenderableType:
        """Parts below each other, separated by empty lines if there is space."""
        shown = [part for part in parts if len(part)]
        has_space = sum(map(len, shown)) + len(shown) <= self.renderer.height
        rows: list[RenderableType] = []
        for part in shown:
            rows += ["", part] if has_space and rows else [part]
        return Group(*rows)

    def news(self, turns: Sequence[Sequence[str]], max_lines: int) -> RenderableType:
        """Recent events, one paragraph per turn; only the latest if space is short."""
        return self.latest([self.part(self.paragraph(sentences)) for sentences in turns], turns, max_lines)

    def latest(
        self, paragraphs: list[RenderedPart], turns: Sequence[Sequence[str]], max_lines: int
    ) -> RenderableType:
        """As many of the latest paragraphs as fit, but at least one, and a note about what is left out."""
        first = 0
        while first < len(turns) - 1 and sum(map(len, paragraphs[first:])) + (first > 0) > max_lines:
            first += 1
        left_out = sum(len(sentences) for sentences in turns[:first])
        rows: list[RenderableType] = [*paragraphs[first:]]
        if left_out and sum(map(len, paragraphs[first:])) < max_lines:
            rows.insert(0, Text(SCREEN.numbered("earlier", left_out), style="quiet"))
        return Group(*rows)

    def paragraph(self, sentences: Sequence[str]) -> RenderableType:
        text = Text(" ").join([self.renderer.sentence(sentence) for sentence in sentences])
        line = Table.grid(padding=(0, 1, 0, 0))
        line.add_row(Text(self.renderer.signs.bullet, style="quiet"), text)
        return line

    def choices(self, describer: ChoiceDescriber, choices: Sequence[str], columns: int) -> RenderableType:
        """The choices with their numbers and meanings, column by column."""
        rows = ceil(len(choices) / columns)
        widest = max(map(len, choices))
        grid = Table.grid(padding=(0, 2, 0, 0))
        for _ in range(columns):
            grid.add_column(justify="right", no_wrap=True, style="count")
            grid.add_column(no_wrap=True, style="choice", min_width=widest)
            grid.add_column(no_wrap=columns > 1, overflow="ellipsis")
        for row in range(rows):
            cells: list[RenderableType] = []
            for place in range(row, len(choices), rows):
                choice = choices[place]
                meaning = short_text(describer, choice) if columns > 1 else describer.describe(choice)
                cells += [str(place + 1), choice, self.renderer.sentence(meaning)]
            grid.add_row(*cells)
        return Padding(grid, (0, 0, 0, 1))


def short_text(describer: ChoiceDescriber, choice: str) -> str:
    long_key, values = describer.template(choice)
    key, number = short_key(long_key), values.get("number")
    if key == "copied":
        values["effect"] = describer.tr.effects[Effect[long_key.removesuffix(".copied").upper()]]
    if isinstance(number, int) and f"{key}.one" in SHORT:
        del values["number"]
        return SHORT.numbered(key, number, **values)
    return SHORT[key].format(**values)


def short_key(key: str) -> str:
    """The key of the short text for that of a long one."""
    return "copied" if key.endswith(".copied") else _SHORT_KEYS.get(key, key)
