"""Options and arguments that several commands share."""

from typing import Annotated

from typer import Argument, Option

Players = Annotated[int, Option("--players", "-p", help="How many play: 2, 3 or 4.")]
Variant = Annotated[str, Option(help="How the cards are dealt: basic or draft.")]
Teams = Annotated[bool, Option("--teams", help="Two against two: seats 1 and 3 against 2 and 4.")]
Rulings = Annotated[str, Option(help="A preset, perhaps with switches; see: hegemon rulings.")]
Seed = Annotated[int | None, Option(help="The same seed deals the same game.")]
AsJson = Annotated[bool, Option("--json", help="Print plain data, for a program.")]
PositionLine = Annotated[str, Argument(help="A position in one line, in quotes; - reads it from the input.")]
Jobs = Annotated[int | None, Option(help="How many work at once; as many as there are cores.")]
JsonFile = Annotated[str | None, Option("--json", help="Write JSON to this file; - prints it.")]
Database = Annotated[str | None, Option(help="A file or a URL; otherwise in your data folder.")]
