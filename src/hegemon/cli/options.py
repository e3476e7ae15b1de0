"""Options and arguments that several commands share."""

from typing import Annotated

from typer import Argument, Option

Players = Annotated[int, Option("--players", "-p", help="The number of players: 2, 3 or 4.")]
Variant = Annotated[str, Option(help="The variant: basic or draft.")]
Teams = Annotated[bool, Option("--teams", help="Play in teams: seats 1 and 3 against 2 and 4.")]
Rulings = Annotated[str, Option(help="A preset, with switches if you like; see: hegemon rulings.")]
Seed = Annotated[int | None, Option(help="The same seed deals the same game.")]
AsJson = Annotated[bool, Option("--json", help="Print JSON, for programs.")]
PositionLine = Annotated[str, Argument(help="A position in one line, in quotes; - reads standard input.")]
Jobs = Annotated[int | None, Option(help="The number of parallel jobs; otherwise one per core.")]
Database = Annotated[str | None, Option(help="A file or a URL; otherwise in your data folder.")]
