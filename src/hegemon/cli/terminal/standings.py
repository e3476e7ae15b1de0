"""The results of a tournament as tables."""

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hegemon.arena.standings import Standings
from hegemon.arena.tables import INTERVAL, all_tables
from hegemon.cli.prose import ARENA, translate_message


def draw_standings(console: Console, standings: Standings) -> None:
    tournament = standings.tournament
    console.print(
        ARENA.numbered(
            "played",
            standings.deals,
            games=standings.games,
            players=tournament.players,
            variant=tournament.variant,
            rulings=tournament.rulings,
            seed=tournament.seed,
        )
    )
    if not standings.games:
        return
    for table in all_tables(standings):
        grid = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        for place, heading in enumerate(table.headings):
            style = "quiet" if heading == INTERVAL else "name" if place == 0 else ""
            grid.add_column(
                translate_message(heading), justify="right" if place else "left", no_wrap=True, style=style
            )
        for cells in table.rows:
            grid.add_row(*(Text(translate_message(cell)) for cell in cells))
        console.print()
        console.print(grid)
