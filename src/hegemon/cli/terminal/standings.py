"""The results of a tournament as tables."""

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hegemon.arena.standings import Standings
from hegemon.arena.tables import all_tables
from hegemon.cli.prose import ARENA, said


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
        grid = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for place, heading in enumerate(table.headings):
            grid.add_column(said(heading), justify="right" if place else "left", no_wrap=True)
        for name, *cells in table.rows:
            grid.add_row(
                Text(said(name), style="name" if name in standings.sides or name in standings.bots else ""),
                *map(said, cells),
            )
        console.print(grid)
