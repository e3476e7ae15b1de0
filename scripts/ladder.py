"""Let all bots play each other, and write the ladder into the documentation.

    python scripts/ladder.py                             # the quick bots, a few deals: some minutes
    python scripts/ladder.py --bots all --games 2000     # every bot: hours
    python scripts/ladder.py --players 2,3 --bots chance,greedy,easy

It is the arena with every combination of bots at a table, each deal in every seating. An interrupted run is resumed by
the same command.
"""

import argparse
import os
import platform
import re
import shlex
import sys
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path

from hegemon.arena.runner import Progress, Run
from hegemon.arena.standings import Standings
from hegemon.arena.study_report import markdown_table
from hegemon.arena.tables import TextTable, pairs_table, sides_table
from hegemon.arena.tournament import Tournament
from hegemon.bots import BOTS, seconds_per_turn
from hegemon.cli import runs

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "bots.md"
SECTION = re.compile(r"(<!-- ladder -->\n).*(<!-- /ladder -->)", re.DOTALL)

#: Bots that may take longer for a turn play only if they are named, or with `all`.
QUICK_SECONDS = 1.0


def main() -> None:
    options = read_options()
    if not SECTION.search(options.page.read_text(encoding="utf-8")):
        sys.exit(f"{options.page} has no place for the ladder: <!-- ladder --> and <!-- /ladder -->")
    parts = [f"```sh\n{shlex.join(['python', 'scripts/ladder.py', *sys.argv[1:]])}\n```", machine()]
    with runs.progress_bars() as update:
        for players in options.players:
            tournament = Tournament(options.bots, players, seed=options.seed)
            parts += ladder(play(tournament, options.games, options.jobs, partial(update, str(players))))
    generated = "\n" + "\n\n".join(parts) + "\n\n"
    text = options.page.read_text(encoding="utf-8")
    options.page.write_text(
        SECTION.sub(lambda found: found[1] + generated + found[2], text), encoding="utf-8"
    )
    print(options.page)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bots", type=read_bots, default="quick", help="names, quick or all")
    parser.add_argument("--players", type=read_players, default="2", help="seats of a game: 2, or 2,3,4")
    parser.add_argument("--games", type=int, default=100, help="games of each kind of table")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=runs.number_of_jobs(None))
    parser.add_argument("--page", type=Path, default=PAGE)
    return parser.parse_args()


def read_bots(text: str) -> tuple[str, ...]:
    if text == "all":
        return tuple(BOTS)
    if text == "quick":
        return tuple(name for name in BOTS if (seconds_per_turn(name) or 0) <= QUICK_SECONDS)
    return tuple(text.split(","))


def read_players(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


def play(tournament: Tournament, games: int, jobs: int, report: Callable[[Progress], None]) -> Standings:
    journal = runs.unfinished_journal(tournament)
    Run(tournament, games, runs.local_workers(tournament.names, jobs), journal).play(report)
    standings = Standings.of(tournament, journal.games)
    journal.delete()
    return standings


def ladder(standings: Standings) -> list[str]:
    """The ratings, and who beats whom."""
    rated = sides_table(standings)
    thinking = [f"{1000 * standings.bots[row[0]].seconds_per_decision:.1f} ms" for row in rated.rows]
    rows = [
        (str(place), f"`{row[0]}`", *row[5:], *row[3:5], seconds)
        for place, (row, seconds) in enumerate(zip(rated.rows, thinking, strict=True), 1)
    ]
    headings = ("", "bot", *rated.headings[5:], *rated.headings[3:5], "time per decision")
    players = standings.tournament.players
    return [
        f"### {players} players",
        f"{standings.games:,} games, {standings.deals:,} deals.",
        markdown_table(TextTable(headings, rows)),
        markdown_table(pairs_table(standings)),
    ]


def machine() -> str:
    model = re.search(r"model name\s*: (.*)", cpu_info())
    name = model[1] if model else platform.processor() or platform.machine()
    return (
        f"hegemon {version('hegemon')}, Python {platform.python_version()}, {os.cpu_count()} cores of {name}."
    )


def cpu_info() -> str:
    facts = Path("/proc/cpuinfo")
    return facts.read_text(encoding="utf-8") if facts.exists() else ""


if __name__ == "__main__":
    main()
