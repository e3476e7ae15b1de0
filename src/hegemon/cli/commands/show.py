"""`hegemon show`: a position or a view, drawn and checked."""

import sys

from rich.text import Text

from hegemon.cli.json_output import write_json
from hegemon.cli.options import AsJson, PositionLine
from hegemon.cli.prose import ERRORS, MESSAGES, SCREEN, translate_message, translator
from hegemon.cli.terminal.console import output_console
from hegemon.cli.terminal.table import TerminalRenderer
from hegemon.notation.errors import NotationError
from hegemon.notation.problems import problems
from hegemon.notation.reading import read_position, read_view
from hegemon.notation.writing import write_position, write_view
from hegemon.prose.choices import ChoiceDescriber
from hegemon.rules.position import Question
from hegemon.views import position_table, table_to_dict, view_table


def show(position: PositionLine, as_json: AsJson = False) -> None:
    """Draw a position, or a view of one, and list what could not happen in a real game."""
    text = read_line(position)
    # JSON is the same in every language.
    seat = SCREEN.english("seat") if as_json else SCREEN["seat"]
    if "?" in text or "@" in text:
        view = read_view(text)
        table, line, found = view_table(view, seat_names(seat, view.players)), write_view(view), None
    else:
        shown = read_position(text)
        table = position_table(shown, seat_names(seat, shown.players))
        line, found = write_position(shown), problems(shown)
    if as_json:
        write_json({"line": line, **table_to_dict(table), "problems": found})
        return
    console = output_console()
    renderer = TerminalRenderer.of(console)
    console.print(renderer.table(table))
    if table.view.question != Question.OVER:
        console.print(
            Text(ChoiceDescriber(table.view, table.names, translator()).question(), style="question")
        )
        console.print(Text(SCREEN["choices"].format(choices=" ".join(table.choices))))
    console.print(Text(line, style="quiet"), soft_wrap=True)
    if found:
        console.print(Text(MESSAGES["problems"], style="alert"))
        for problem in found:
            console.print(Text(f"{renderer.signs.bullet} {translate_message(problem)}"))


def read_line(text: str) -> str:
    """The text itself, or a line of the standard input for `-`."""
    if text != "-":
        return text
    line = sys.stdin.readline().strip()
    if not line:
        raise NotationError(ERRORS["position"], "", 0, ERRORS["no-position"])
    return line


def seat_names(name: str, players: int) -> list[str]:
    return [name.format(seat=seat + 1) for seat in range(players)]
