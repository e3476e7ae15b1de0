"""The report of a tournament: one self-contained HTML page and the records of the games."""

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template

from hegemon.arena import plots, tables
from hegemon.arena.bootstrap import Score
from hegemon.arena.games import GameResult, record_of_result
from hegemon.arena.standings import Standings
from hegemon.arena.tables import TextTable
from hegemon.notation.record import write_record


def write_report(folder: Path, standings: Standings, games: Sequence[GameResult], command: str) -> Path:
    """Write the page and the records, and return the path of the page."""
    records = folder / "games"
    records.mkdir(parents=True, exist_ok=True)
    for game in games:
        text = write_record(record_of_result(standings.tournament, game))
        (records / f"{name_of(game)}.toml").write_text(text, encoding="utf-8")
    page = folder / "index.html"
    page.write_text(tournament_page(standings, games, command), encoding="utf-8")
    return page


def name_of(game: GameResult) -> str:
    return f"deal-{game.deal + 1:05}-table-{game.table + 1}-seating-{game.seating + 1:02}"


def tournament_page(standings: Standings, games: Sequence[GameResult], command: str) -> str:
    parts = [
        section(
            "Standings",
            html_table(tables.sides_table(standings)),
            ratings_plot(standings),
            standings_plot(standings),
        ),
        *forfeits(standings),
        section("Who beats whom", pairs(standings)),
        section("Seats", html_table(tables.seats_table(standings)), seats_plot(standings)),
        section("How games end", html_table(tables.endings_table(standings)), domains_plot(standings)),
        section("How long games are", html_table(tables.length_table(standings)), length_plot(standings)),
        section("Effects applied", html_table(tables.effects_table(standings))),
        section("Thinking", html_table(tables.thinking_table(standings))),
        section("Games", games_note(games), f"<p>Made by <code>{escape(command)}</code></p>"),
    ]
    return page(" against ".join(standings.sides), summary(standings), parts)


def page(title: str, summary: str, parts: Iterable[str]) -> str:
    template = Template((files(__package__) / "report.html").read_text(encoding="utf-8"))
    return template.substitute(title=escape(title), summary=summary, parts="\n".join(parts))


def summary(standings: Standings) -> str:
    tournament = standings.tournament
    return (
        f"{standings.games} games of {standings.deals} deal{'s' * (standings.deals != 1)}: {tournament.players} players"
        f"{' in teams' if tournament.teams else ''}, {escape(tournament.variant)}, rulings "
        f"{escape(tournament.rulings)}, seed {tournament.seed}. Every deal was played in every seating."
    )


def section(title: str, *parts: str) -> str:
    return f"<section>\n<h2>{title}</h2>\n" + "\n".join(filter(None, parts)) + "\n</section>"


def html_table(table: TextTable) -> str:
    head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in table.headings)
    rows = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in table.rows)
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'


# ------------------------------------------------------------------ sections


def pairs(standings: Standings) -> str:
    table = tables.pairs_table(standings)
    if not table.rows:
        return '<p class="note">There is only one side.</p>'
    note = (
        "Of the games that one of the two won, the part that the side of the row did, with its 95 % interval."
    )
    return f'<p class="note">{note}</p>{html_table(table)}'


def forfeits(standings: Standings) -> list[str]:
    table = tables.forfeits_table(standings)
    return [section("Lost by forfeit", html_table(table))] if table.rows else []


def in_plot(score: Score) -> plots.Interval:
    return score.win_rate, score.low, score.high


def ratings_plot(standings: Standings) -> str:
    if not standings.ratings:
        return ""
    ratings = {name: standings.ratings[name] for name in tables.best_first(standings)}
    rows = {name: (rating.points, rating.low, rating.high) for name, rating in ratings.items()}
    label = "rating, in Elo points above the mean, with 95 % intervals"
    svg = plots.intervals(rows, label, even=0.0, color=plots.OTHER, scale=1, form="{:+.0f}")
    return plots.in_page(svg, "Ratings", "ratings")


def standings_plot(standings: Standings) -> str:
    rows = {name: in_plot(standings.sides[name]) for name in tables.best_first(standings)}
    if not standings.games:
        return ""
    even = 1 / (2 if standings.tournament.teams else standings.tournament.players)
    label = "games won, percent, with 95 % intervals; the line is an even share"
    svg = plots.intervals(rows, label, even=even)
    return plots.in_page(svg, "Win rates", "rates")


def seats_plot(standings: Standings) -> str:
    if not standings.games:
        return ""
    rows = {f"seat {seat}": in_plot(score) for seat, score in enumerate(standings.seats, 1)}
    svg = plots.intervals(rows, "games won from each seat, percent, with 95 % intervals")
    return plots.in_page(svg, "Seat advantage", "seats")


def domains_plot(standings: Standings) -> str:
    if not standings.domains:
        return ""
    total = standings.domains.total()
    rows = {domain: 100 * games / total for domain, games in standings.domains.most_common()}
    svg = plots.bars(rows, "Hegemonies by Domain, percent", plots.DOMAIN_COLORS)
    return plots.in_page(svg, "Hegemonies by Domain", "domains")


def length_plot(standings: Standings) -> str:
    if not standings.rounds:
        return ""
    return plots.in_page(plots.histogram({"rounds": standings.rounds}, "rounds"), "Length", "length")


def games_note(games: Sequence[GameResult]) -> str:
    if not games:
        return "<p>No game was finished.</p>"
    return (
        "<p>The records of all games are in the folder <code>games</code>; look at one with "
        f"<code>hegemon replay {escape(f'games/{name_of(games[0])}.toml')}</code>.</p>"
    )
