"""A position that somebody wrote down: drawn, checked, or counted from."""

import sys
from dataclasses import dataclass
from typing import Any, Final

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hegemon.cli.drawing import Artist, Scene, scene_of_position, scene_of_view
from hegemon.cli.facts import facts_of_position, facts_of_view, own_choices
from hegemon.cli.prose import ERRORS, MESSAGES, SCREEN
from hegemon.notation.choices import choices_in
from hegemon.notation.errors import NotationError
from hegemon.notation.problems import problems
from hegemon.notation.reading import read_position, read_view
from hegemon.notation.writing import write_position, write_view
from hegemon.prose.choices import ChoiceDescriber
from hegemon.rules.engine import legal
from hegemon.rules.position import Position, Question

#: Sequences longer than this would take longer than anybody waits.
DEEPEST: Final = 60
# Compiling takes some seconds, and so few choices are counted before that.
_QUICK: Final = 3


def read_line(text: str) -> str:
    """A line that was typed, or that comes through a pipe."""
    if text != "-":
        return text
    line = sys.stdin.readline().strip()
    if not line:
        raise NotationError("position", "", 0, ERRORS["no-position"])
    return line


@dataclass(frozen=True)
class Shown:
    """A position with all cards open, or a view of one."""

    scene: Scene
    position: Position | None

    @classmethod
    def read(cls, text: str) -> "Shown":
        """The position or the view that a line describes."""
        line = read_line(text)
        if "?" in line or "@" in line:
            view = read_view(line)
            return cls(scene_of_view(view, seat_names(view.players)), None)
        position = read_position(line)
        return cls(scene_of_position(position, seat_names(position.players)), position)

    def problems(self) -> list[str]:
        """What no real game could show; of a view nobody can tell."""
        return problems(self.position) if self.position is not None else []

    def line(self) -> str:
        """The one text of what is shown."""
        return write_position(self.position) if self.position is not None else write_view(self.scene.view)

    def choices(self) -> tuple[str, ...]:
        """What may be chosen, as far as that can be told."""
        return choices_in(legal(self.position)) if self.position is not None else own_choices(self.scene)

    def facts(self) -> dict[str, Any]:
        """The same for a program."""
        if self.position is None:
            return facts_of_view(self.scene)
        return facts_of_position(self.scene, self.position, self.problems())

    def draw(self, console: Console) -> None:
        """The table, what is asked, and what is odd about it."""
        artist = Artist.of(console)
        console.print(artist.table(self.scene))
        if self.scene.view.question != Question.OVER:
            console.print(
                Text(ChoiceDescriber(self.scene.view, self.scene.names).question(), style="question")
            )
            console.print(Text(SCREEN["choices"].format(choices=" ".join(self.choices()))))
        console.print(Text(self.line(), style="quiet"), soft_wrap=True)
        found = self.problems()
        if found:
            console.print(Text(MESSAGES["problems"], style="alert"))
            for problem in found:
                console.print(Text(f"{artist.signs.bullet} {problem}"))


def seat_names(players: int) -> list[str]:
    """Names for seats that nobody sits on."""
    return [SCREEN["seat"].format(seat=seat + 1) for seat in range(players)]


@dataclass(frozen=True)
class Count:
    """How many ways lead on from a position, in all and by the first choice."""

    position: Position
    depth: int
    ways: dict[str, int]
    total: int

    def facts(self, *, divided: bool) -> dict[str, Any]:
        """The same for a program."""
        facts: dict[str, Any] = {
            "position": write_position(self.position),
            "depth": self.depth,
            "count": self.total,
        }
        return facts | ({"divide": self.ways} if divided else {})

    def draw(self, console: Console, *, divided: bool) -> None:
        """The number, and what it is made of."""
        if divided:
            table = Table(box=box.SIMPLE, show_header=False, pad_edge=False)
            table.add_column(style="word")
            table.add_column(justify="right")
            for word, ways in self.ways.items():
                table.add_row(word, str(ways))
            console.print(table)
        console.print(self.total)


def count_ways(text: str, depth: int) -> Count:
    """Count the sequences of so many choices that can follow a position."""
    from hegemon.kernels.sequences import perft, perft_interpreted, successors

    position = read_position(read_line(text))
    if not 0 <= depth <= DEEPEST:
        raise typer.BadParameter(ERRORS["depth"].format(most=DEEPEST, depth=depth))
    if depth == 0:
        return Count(position, depth, {}, 1)
    count = perft if depth > _QUICK else perft_interpreted
    ways = {
        choices_in(1 << word)[0]: count(after, depth - 1)
        for word, after in successors(position, legal(position)).items()
    }
    return Count(position, depth, ways, sum(ways.values()))
