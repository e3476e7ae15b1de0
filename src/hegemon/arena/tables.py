"""The standings of a tournament as tables of text, for the terminal and for the report."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hegemon.arena.bootstrap import Score
from hegemon.arena.games import FORFEIT
from hegemon.arena.ratings import Rating
from hegemon.arena.seats import EXIT, TIME
from hegemon.arena.standings import Standings, spread
from hegemon.notation.messages import message
from hegemon.rules.actions import Effect

_ENDINGS: Final = {
    "hegemony": message("Hegemony"),
    "majority": message("Majority"),
    "stall": message("Stall"),
    FORFEIT: message("Forfeit"),
}
_GAMES: Final = message("games")
_WIN_RATE: Final = message("win rate")
INTERVAL: Final = message("95% interval")


MAX_HEADING_LENGTH: Final = 24


@dataclass(frozen=True)
class TextTable:
    """A table; its first heading describes the rows."""

    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def win_rate(score: Score) -> str:
    return percent(score.win_rate) if score.games else "–"


def win_interval(score: Score) -> str:
    interval = f"{100 * score.low:.1f} – {100 * score.high:.1f}"
    return message("{percent}%", percent=interval) if score.games else "–"


def percent(part: float) -> str:
    return message("{percent}%", percent=f"{100 * part:.1f}")


def format_number(value: float) -> str:
    """A number without needless decimals."""
    return f"{value:.0f}" if value == int(value) else f"{value:.2f}"


def best_first(standings: Standings) -> list[str]:
    """The sides by rating, or by win rate if there are no ratings."""
    rates = {name: score.win_rate for name, score in standings.sides.items()}
    points = {name: rating.points for name, rating in standings.ratings.items()}
    return sorted(rates, key=(points or rates).__getitem__, reverse=True)


def side_heading(standings: Standings) -> str:
    return message("team") if standings.tournament.teams else message("bot")


def sides_table(standings: Standings) -> TextTable:
    rows = []
    for name in best_first(standings):
        score, rating = standings.sides[name], standings.ratings.get(name)
        cells = str(score.games), format_number(score.wins), win_rate(score), win_interval(score)
        rows.append((name, *cells, *(rating_cells(rating) if rating else ())))
    headings = [side_heading(standings), _GAMES, message("wins"), _WIN_RATE, INTERVAL]
    if standings.ratings:
        headings += [message("rating"), INTERVAL]
    return TextTable(tuple(headings), rows)


def rating_cells(rating: Rating) -> tuple[str, str]:
    return f"{rating.points:+.0f}", f"{rating.low:+.0f} … {rating.high:+.0f}"


def pairs_table(standings: Standings) -> TextTable:
    """The win rate of every side against every other; no rows for a single side."""
    names = best_first(standings)

    def cell(one: str, other: str) -> str:
        score = standings.pairs.get((one, other), Score())
        rate = f"{100 * score.win_rate:.1f}", f"{100 * score.low:.0f} – {100 * score.high:.0f}"
        return message("{percent}% ({interval})", percent=rate[0], interval=rate[1]) if score.games else "–"

    rows = [(f"{rank}  {one}", *(cell(one, other) for other in names)) for rank, one in enumerate(names, 1)]
    return TextTable((message("beats"), *map(str, range(1, len(names) + 1))), rows if len(names) > 1 else [])


def short_name(name: str) -> str:
    """The name of a bot in a heading; commands and paths are shortened in the middle, where they differ least."""
    return name if len(name) <= MAX_HEADING_LENGTH else f"{name[:8]}…{name[9 - MAX_HEADING_LENGTH :]}"


def seats_table(standings: Standings) -> TextTable:
    rows = []
    for seat, score in enumerate(standings.seats):
        sides = (win_rate(scores[seat]) for scores in standings.sides_by_seat.values())
        rows.append((message("seat {seat}", seat=seat + 1), win_rate(score), win_interval(score), *sides))
    return TextTable((message("seat"), _WIN_RATE, INTERVAL, *map(short_name, standings.sides)), rows)


def endings_table(standings: Standings) -> TextTable:
    counts = [(_ENDINGS[ending], games) for ending, games in standings.endings.most_common()]
    counts += [
        (message("Hegemony: {domain}", domain=domain.capitalize()), games)
        for domain, games in standings.domains.most_common()
    ]
    rows = [(name, str(games), percent(games / standings.games)) for name, games in counts]
    return TextTable((message("how games end"), _GAMES, message("share")), rows)


def length_table(standings: Standings) -> TextTable:
    keys = ("mean", "least", "median", "most")
    rows = []
    for name, numbers in ((message("rounds"), standings.rounds), (message("moves"), standings.moves)):
        if found := spread(numbers):
            rows.append((name, *(format_number(found[key]) for key in keys)))
    headings = message("length"), message("mean"), message("least"), message("median"), message("most")
    return TextTable(headings, rows)


def effects_table(standings: Standings) -> TextTable:
    """Uses of each effect by each bot per game and seat."""
    rows = []
    for effect in Effect:
        key = effect.name.lower()
        uses = [figures.effects[key] / max(1, figures.seats) for figures in standings.bots.values()]
        if any(uses):
            name = message("{effect}", effect=key.replace("_", " ").title())
            rows.append((name, *(f"{times:.2f}" for times in uses)))
    return TextTable((message("effects per game"), *map(short_name, standings.bots)), rows)


def thinking_table(standings: Standings) -> TextTable:
    rows = [
        (
            name,
            str(figures.decisions),
            f"{1000 * figures.seconds_per_decision:.2f} ms",
            f"{1000 * figures.slowest:.0f} ms",
        )
        for name, figures in standings.bots.items()
    ]
    return TextTable((message("thinking"), message("decisions"), message("mean"), message("slowest")), rows)


def forfeits_table(standings: Standings) -> TextTable:
    """Games that bots lost because they hung or exited; no rows if there are none."""
    rows = [
        (name, str(forfeits.total()), str(forfeits[TIME]), str(forfeits[EXIT]))
        for name, figures in standings.bots.items()
        if (forfeits := figures.forfeits)
    ]
    return TextTable((message("forfeits"), _GAMES, message("too slow"), message("exited")), rows)


def all_tables(standings: Standings) -> Sequence[TextTable]:
    """Every table that has rows."""
    makers = (
        sides_table,
        forfeits_table,
        pairs_table,
        seats_table,
        endings_table,
        length_table,
        effects_table,
        thinking_table,
    )
    return [table for make in makers if (table := make(standings)).rows]
