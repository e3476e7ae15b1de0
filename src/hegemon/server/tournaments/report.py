"""The results of a tournament as a table for spreadsheets."""

import csv
import io
from typing import Final

from hegemon.server.db.tournament_rows import TournamentSnapshot
from hegemon.server.tournaments.formats import CRITERIA, DUPLICATE
from hegemon.server.tournaments.standings import UNITS, WIN, Cell, cells_of, standings

#: The characters that make a spreadsheet treat a text as a formula.
_FORMULA_PREFIXES: Final = ("=", "+", "-", "@")


def decimal(value: int, unit: int) -> float | int:
    """A value in whole units, or with a fraction."""
    return value // unit if value % unit == 0 else value / unit


def results_csv(snapshot: TournamentSnapshot) -> str:
    """The standings, with a column for every game of an entry: its result, and the opponents by rank."""
    criteria = CRITERIA[snapshot.tournament.format]
    lines, cells = standings(snapshot), cells_of(snapshot.pairings)
    ranks = {line.entry.number: line.rank for line in lines}
    games = max((len(row) for row in cells.values()), default=0)
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(
        ["rank", "name", "bot", "withdrawn", *criteria, *(f"game {number}" for number in range(1, games + 1))]
    )
    for line in lines:
        name = line.entry.name
        table.writerow(
            [
                line.rank,
                f"'{name}" if name.startswith(_FORMULA_PREFIXES) else name,
                line.entry.bot or "",
                "yes" if line.entry.withdrawn else "",
                *(decimal(value, UNITS[key]) for key, value in line.values.items()),
                *(_cell_text(cell, ranks, snapshot.tournament.format) for cell in cells[line.entry.number]),
            ]
        )
    return text.getvalue()


def _cell_text(cell: Cell, ranks: dict[int, int], format_name: str) -> str:
    """A result and the opponents by rank, such as `1 : 4`, or `bye`; in duplicate the score."""
    if cell.pairing.is_bye:
        return "bye"
    opponents = " ".join(str(ranks[number]) for number in cell.opponents)
    result = cell.score if format_name == DUPLICATE else cell.points
    if result is None:
        return f"* : {opponents}"
    shown = result if format_name == DUPLICATE else decimal(result, WIN)
    return f"{shown} : {opponents}"
