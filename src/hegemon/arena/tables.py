"""The standings of a tournament as tables of text, for the terminal and for the report."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hegemon.arena.standings import Score, Standings, spread
from hegemon.notation.messages import message
from hegemon.rules.actions import Effect

_ENDINGS: Final = {
    "hegemony": message("Hegemony"),
    "majority": message("Majority"),
    "stall": message("Stall"),
}
_GAMES: Final = message("games")
_WIN_RATE: Final = message("win rate")
_INTERVAL: Final = message("95% interval")


@dataclass(frozen=True)
class TextTable:
    """A table; its first heading says what the rows are."""

    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def win_rate(score: Score) -> str:
    return percent(score.win_rate) if score.games else "–"


def win_interval(score: Score) -> str:
    low, high = score.interval
    interval = f"{100 * low:.1f} – {100 * high:.1f}"
    return message("{percent}%", percent=interval) if score.games else "–"


def percent(part: float) -> str:
    return message("{percent}%", percent=f"{100 * part:.1f}")


def number(value: float) -> str:
    """A number without needless decimals."""
    return f"{value:.0f}" if value == int(value) else f"{value:.2f}"


def by_win_rate(standings: Standings) -> list[tuple[str, Score]]:
    """The bots, the best first."""
    return sorted(standings.bots.items(), key=lambda entry: -entry[1].win_rate)


def bots_table(standings: Standings) -> TextTable:
    rows = []
    for name, score in by_win_rate(standings):
        rating = standings.ratings.get(name)
        rated = f"{rating.mu:.1f} ± {2 * rating.sigma:.1f}" if rating else "–"
        rows.append((name, str(score.games), number(score.wins), win_rate(score), win_interval(score), rated))
    return TextTable((message("bot"), _GAMES, message("wins"), _WIN_RATE, _INTERVAL, message("rating")), rows)


def pairs_table(standings: Standings) -> TextTable:
    """The win rate of every bot against every other; no rows for a single bot."""
    names = [name for name, _ in by_win_rate(standings)]
    rows = [
        (one, *(win_rate(standings.pairs.get((one, other), Score())) for other in names)) for one in names
    ]
    return TextTable((message("beats"), *names), rows if len(names) > 1 else [])


def seats_table(standings: Standings) -> TextTable:
    rows = []
    for seat, score in enumerate(standings.seats):
        bots = (win_rate(scores[seat]) for scores in standings.bots_by_seat.values())
        rows.append((message("seat {seat}", seat=seat + 1), win_rate(score), win_interval(score), *bots))
    return TextTable((message("seat"), _WIN_RATE, _INTERVAL, *standings.bots), rows)


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
            rows.append((name, *(number(found[key]) for key in keys)))
    headings = message("length"), message("mean"), message("least"), message("median"), message("most")
    return TextTable(headings, rows)


def effects_table(standings: Standings) -> TextTable:
    """Uses of each effect by each bot per game and seat."""
    rows = []
    for effect in Effect:
        key = effect.name.lower()
        uses = [used[key] / max(1, standings.bots[name].games) for name, used in standings.effects.items()]
        if any(uses):
            name = message("{effect}", effect=key.replace("_", " ").title())
            rows.append((name, *(f"{times:.2f}" for times in uses)))
    return TextTable((message("effects per game"), *standings.bots), rows)


def thinking_table(standings: Standings) -> TextTable:
    rows = [
        (name, str(thinking.decisions), f"{1000 * thinking.mean:.2f} ms", f"{1000 * thinking.slowest:.0f} ms")
        for name, thinking in standings.thinking.items()
    ]
    return TextTable((message("thinking"), message("decisions"), message("mean"), message("slowest")), rows)


def all_tables(standings: Standings) -> Sequence[TextTable]:
    """Every table that has rows."""
    makers = bots_table, pairs_table, seats_table, endings_table, length_table, effects_table, thinking_table
    return [table for make in makers if (table := make(standings)).rows]
