"""Ratings of bots that are too slow for a complete tournament, from as many line-ups as fit into a time limit.

    python benchmarks/lineups.py --players 3 --minutes 9
    python benchmarks/lineups.py --teams --minutes 9 --bots learned,greedy,search:1s

A tournament plays every combination of bots in every seating. Here, the combinations are in random order, each with its
own deal, and only the rotations of one seating are played; a combination is repeated only after all others have been
played. A deal counts when all its games are over.
"""

import argparse
import os
import random
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import count

from hegemon.arena.games import GameResult, play_seating
from hegemon.arena.standings import Standings
from hegemon.arena.study_report import markdown_table
from hegemon.arena.tables import sides_table
from hegemon.arena.tournament import Deal, Tournament
from hegemon.bots import BOTS, warm_up

SEARCHES = ("search:0.01s", "search:0.1s", "search:1s")
DEFAULT_BOTS = (*dict.fromkeys((*(name for name in BOTS if name != "search"), *SEARCHES)),)


def lineups(tournament: Tournament, seed: int) -> Iterator[tuple[Deal, list[int]]]:
    """Deals, and the seatings in which each of them is played."""
    chance = random.Random(seed)
    tables = tournament.tables
    for number in count():
        place = number % len(tables)
        if place == 0:
            order = chance.sample(range(len(tables)), len(tables))
        seatings = tables[order[place]]
        first = chance.choice(seatings)
        turns = 2 if tournament.teams else tournament.players
        rotations = dict.fromkeys(first[turn:] + first[:turn] for turn in range(turns))
        yield Deal(number, order[place]), [seatings.index(rotation) for rotation in rotations]


def play(tournament: Tournament, deal: Deal, seatings: list[int]) -> list[GameResult]:
    return [play_seating(tournament, deal, seating) for seating in seatings]


def play_until(tournament: Tournament, seed: int, end: float, jobs: int) -> list[GameResult]:
    """Play deals in processes until the time limit, and finish those in progress."""
    games: list[GameResult] = []
    schedule = lineups(tournament, seed)
    warm_up(tournament.names)
    with ProcessPoolExecutor(jobs) as pool:
        running: set[Future[list[GameResult]]] = set()
        while running or time.monotonic() < end:
            while len(running) < jobs and time.monotonic() < end:
                running.add(pool.submit(play, tournament, *next(schedule)))
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                games += future.result()
            print(f"\r{len(games)} games", end="", flush=True)
    print("\r", end="")
    return games


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bots", type=lambda text: tuple(text.split(",")), default=DEFAULT_BOTS)
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--teams", action="store_true")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    players = 4 if options.teams else options.players
    tournament = Tournament(options.bots, players, teams=options.teams, seed=options.seed)
    games = play_until(tournament, options.seed, time.monotonic() + 60 * options.minutes, options.jobs)
    if not games:
        parser.exit(1, "No deal was finished; give it more minutes.\n")
    standings = Standings.of(tournament, games)
    print(f"{standings.games:,} games of {len({game.deal for game in games}):,} deals\n")
    print(markdown_table(sides_table(standings)))


if __name__ == "__main__":
    main()
