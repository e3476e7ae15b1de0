"""The standings of a tournament as tables of text, for the terminal and for the report."""

from collections.abc import Sequence
from dataclasses import dataclass

from hegemon.arena.standings import Score, Standings, spread
from hegemon.rules.actions import Effect


@dataclass(frozen=True)
class TextTable:
    """A table; its first heading says what the rows are."""

    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def win_rate(score: Score) -> str:
    return f"{100 * score.win_rate:.1f} %" if score.games else "–"


def win_interval(score: Score) -> str:
    low, high = score.interval
    return f"{100 * low:.1f} – {100 * high:.1f} %" if score.games else "–"


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
    return TextTable(("bot", "games", "wins", "win rate", "95 % interval", "rating"), rows)


def pairs_table(standings: Standings) -> TextTable:
    """The win rate of every bot against every other; no rows for a single bot."""
    names = [name for name, _ in by_win_rate(standings)]
    rows = [
        (one, *(win_rate(standings.pairs.get((one, other), Score())) for other in names)) for one in names
    ]
    return TextTable(("beats", *names), rows if len(names) > 1 else [])


def seats_table(standings: Standings) -> TextTable:
    rows = []
    for seat, score in enumerate(standings.seats):
        bots = (win_rate(scores[seat]) for scores in standings.bots_by_seat.values())
        rows.append((f"seat {seat + 1}", win_rate(score), win_interval(score), *bots))
    return TextTable(("seat", "win rate", "95 % interval", *standings.bots), rows)


def endings_table(standings: Standings) -> TextTable:
    counts = standings.endings.most_common()
    counts += [(f"  {domain}", games) for domain, games in standings.domains.most_common()]
    rows = [(name, str(games), f"{100 * games / standings.games:.1f} %") for name, games in counts]
    return TextTable(("how games end", "games", "part"), rows)


def length_table(standings: Standings) -> TextTable:
    keys = ("mean", "least", "median", "most")
    rows = []
    for name, numbers in (("rounds", standings.rounds), ("choices", standings.moves)):
        if found := spread(numbers):
            rows.append((name, *(number(found[key]) for key in keys)))
    return TextTable(("length", *keys), rows)


def effects_table(standings: Standings) -> TextTable:
    """Uses of each effect by each bot per game and seat."""
    rows = []
    for effect in Effect:
        key = effect.name.lower()
        uses = [used[key] / max(1, standings.bots[name].games) for name, used in standings.effects.items()]
        if any(uses):
            rows.append((key.replace("_", " "), *(f"{times:.2f}" for times in uses)))
    return TextTable(("effects a game", *standings.bots), rows)


def thinking_table(standings: Standings) -> TextTable:
    rows = [
        (name, str(thinking.decisions), f"{1000 * thinking.mean:.2f} ms", f"{1000 * thinking.slowest:.0f} ms")
        for name, thinking in standings.thinking.items()
    ]
    return TextTable(("thinking", "decisions", "mean", "slowest"), rows)


def all_tables(standings: Standings) -> Sequence[TextTable]:
    """Every table that has rows."""
    makers = bots_table, pairs_table, seats_table, endings_table, length_table, effects_table, thinking_table
    return [table for make in makers if (table := make(standings)).rows]
