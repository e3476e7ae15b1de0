"""The results of a tournament as tables."""

from collections.abc import Callable
from typing import Any, Final

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from hegemon.arena.report import by_rate, ends, number, rate
from hegemon.arena.standings import Score, Standings, spread
from hegemon.cli.prose import ARENA
from hegemon.rules.actions import Effect


def draw_standings(console: Console, standings: Standings) -> None:
    tournament = standings.tournament
    console.print(
        ARENA["played.one" if standings.deals == 1 else "played"].format(
            games=standings.games,
            deals=standings.deals,
            players=tournament.players,
            variant=tournament.variant,
            rulings=tournament.rulings,
            seed=tournament.seed,
        )
    )
    if standings.games:
        console.print(Group(*(part(standings) for part in _TABLES)))


def grid(*headings: str) -> Table:
    """An empty table whose columns but the first are right-aligned."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for place, heading in enumerate(headings):
        made.add_column(heading, justify="right" if place else "left", no_wrap=True)
    return made


def rates_table(standings: Standings) -> RenderableType:
    """Games, wins, win rate and rating of every bot."""
    made = grid(
        "", *(ARENA[key] for key in ("col.games", "col.wins", "col.rate", "col.interval", "col.rating"))
    )
    for name, score in by_rate(standings):
        rating = standings.ratings.get(name)
        rated = f"{rating.mu:.1f} ± {2 * rating.sigma:.1f}" if rating else "–"
        cells = (str(score.games), number(score.wins), rate(score), ends(score), rated)
        made.add_row(Text(name, style="name"), *cells)
    return made


def pairs_table(standings: Standings) -> RenderableType:
    """The win rate of every bot against every other."""
    names = [name for name, _ in by_rate(standings)]
    if len(names) < 2:
        return Text()
    made = grid(ARENA["beats"], *names)
    for one in names:
        scores = (standings.pairs.get((one, other), Score()) for other in names)
        made.add_row(Text(one, style="name"), *(rate(score) for score in scores))
    return made


def seats_table(standings: Standings) -> RenderableType:
    """The win rate of every seat."""
    names = list(standings.bots)
    made = grid(ARENA["seats"], ARENA["col.rate"], ARENA["col.interval"], *names)
    for seat, score in enumerate(standings.seats):
        own = (rate(standings.bots_by_seat[name][seat]) for name in names)
        made.add_row(ARENA["seat"].format(seat=seat + 1), rate(score), ends(score), *own)
    return made


def endings_table(standings: Standings) -> RenderableType:
    """How games end, and how long they are."""
    made = grid(ARENA["endings"], ARENA["col.games"], ARENA["col.part"])
    for ending, games in standings.endings.most_common():
        made.add_row(ending, str(games), f"{100 * games / standings.games:.1f} %")
    for domain, games in standings.domains.most_common():
        made.add_row(f"  {domain}", str(games), f"{100 * games / standings.games:.1f} %")
    length = grid(ARENA["length"], *(ARENA[f"col.{key}"] for key in ("mean", "least", "median", "most")))
    for key, numbers in (("rounds", standings.rounds), ("choices", standings.moves)):
        found: dict[str, Any] = spread(numbers) or {}
        length.add_row(ARENA[key], *(number(found[part]) for part in ("mean", "least", "median", "most")))
    return Group(made, length)


def effects_table(standings: Standings) -> RenderableType:
    """Effects a game, by bot."""
    names = list(standings.bots)
    made = grid(ARENA["effects"], *names)
    for effect in Effect:
        key = effect.name.lower()
        if any(standings.effects[name][key] for name in names):
            times = (standings.effects[name][key] / max(1, standings.bots[name].games) for name in names)
            made.add_row(key.replace("_", " "), *(f"{each:.2f}" for each in times))
    return made


def thinking_table(standings: Standings) -> RenderableType:
    made = grid(ARENA["thinking"], ARENA["col.decisions"], ARENA["col.mean"], ARENA["col.slowest"])
    for name, thought in standings.thinking.items():
        times = (f"{1000 * thought.mean:.2f} ms", f"{1000 * thought.slowest:.0f} ms")
        made.add_row(Text(name, style="name"), str(thought.decisions), *times)
    return made


_TABLES: Final[tuple[Callable[[Standings], RenderableType], ...]] = (
    rates_table,
    pairs_table,
    seats_table,
    endings_table,
    effects_table,
    thinking_table,
)
