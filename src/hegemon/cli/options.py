"""Options and arguments that several commands share."""

from typing import Annotated

import typer

Players = Annotated[int, typer.Option("--players", "-p", help="How many play: 2, 3 or 4.")]
Variant = Annotated[str, typer.Option(help="How the cards are dealt: basic or draft.")]
Teams = Annotated[bool, typer.Option("--teams", help="Two against two: seats 1 and 3 against 2 and 4.")]
Rulings = Annotated[str, typer.Option(help="A preset, perhaps with switches; see: hegemon rulings.")]
Seed = Annotated[int | None, typer.Option(help="The same seed deals the same game.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print plain data, for a program.")]
PositionLine = Annotated[
    str, typer.Argument(help="A position in one line, in quotes; - reads it from the input.")
]
Jobs = Annotated[int | None, typer.Option(help="How many work at once; as many as there are cores.")]
JsonFile = Annotated[
    str | None, typer.Option("--json", help="Write everything as plain data to this file; - prints it.")
]
