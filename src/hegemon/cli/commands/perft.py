"""`hegemon perft`: the number of move sequences from a position."""

from typing import Annotated, Any, Final

import typer
from rich import box
from rich.table import Table
from typer import Argument, Option

from hegemon.cli.commands.show import read_line
from hegemon.cli.json_output import write_json
from hegemon.cli.options import AsJson, PositionLine
from hegemon.cli.prose import ERRORS
from hegemon.cli.terminal.console import output_console
from hegemon.notation.reading import read_position
from hegemon.notation.writing import write_position
from hegemon.rules.actions import CHOICES
from hegemon.rules.engine import legal
from hegemon.rules.position import Position

MAX_DEPTH: Final = 60
#: Up to this depth, counting is done before the compiler would be.
_MAX_INTERPRETED_DEPTH: Final = 3


def perft(
    position: PositionLine,
    depth: Annotated[int, Argument(help="The number of moves.")],
    divide: Annotated[bool, Option("--divide", help="Count separately for every first move.")] = False,
    as_json: AsJson = False,
) -> None:
    """Count the sequences of moves from a position."""
    start = read_position(read_line(position))
    if not 0 <= depth <= MAX_DEPTH:
        raise typer.BadParameter(ERRORS["depth"].format(most=MAX_DEPTH, depth=depth))
    counts = count_by_choice(start, depth)
    total = sum(counts.values()) if depth else 1
    if as_json:
        data: dict[str, Any] = {"position": write_position(start), "depth": depth, "count": total}
        write_json(data | ({"divide": counts} if divide else {}))
        return
    console = output_console()
    if divide:
        table = Table(box=box.SIMPLE, show_header=False, pad_edge=False)
        table.add_column(style="choice")
        table.add_column(justify="right")
        for choice, count in counts.items():
            table.add_row(choice, str(count))
        console.print(table)
    console.print(total)


def count_by_choice(position: Position, depth: int) -> dict[str, int]:
    """The number of sequences of that many moves, by their first choice."""
    from hegemon.kernels.sequences import perft, perft_interpreted, successors

    if depth == 0:
        return {}
    count = perft if depth > _MAX_INTERPRETED_DEPTH else perft_interpreted
    return {
        CHOICES[action]: count(after, depth - 1)
        for action, after in successors(position, legal(position)).items()
    }
