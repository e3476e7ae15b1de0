"""Win rates of bots in duplicate deals, several matches side by side, as many games as fit into a time limit.

    python benchmarks/matches.py "learned:1s, search:1s, 3" "learned:1s, search:1s, teams" --minutes 9
    python benchmarks/matches.py "learned, search:1s, 2 draft" "learned:1s exploration=0.4, search:1s, 4" --deals 20

A match is the tested bot, its opponents, and the table: the number of players or `teams`, and `draft` for that variant.
A guided search may have other settings, and `--weights` another network. The tested bot plays every deal once in every
seat (in teams, on both sides). Each game takes one core. A deal counts when all its games are over.
"""

import argparse
import os
import re
import time
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from functools import cache
from itertools import count, islice
from typing import Any

# One core: the libraries behind NumPy read this when they are imported.
os.environ |= {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

from hegemon import Game, Player, play_match
from hegemon.arena.statistics import rate
from hegemon.bots import Learned, LearnedSearch, Search, load_network, make_bot, warm_up
from hegemon.bots.learned import GuidedKernel

_MATCH = re.compile(
    r"(?P<tested>[^,]+), *(?P<opponents>[^,]+), *(?P<table>[234]|teams)(?: (?P<variant>draft))?"
)


@cache
def kernel_of(weights: str) -> GuidedKernel:
    return GuidedKernel(load_network(weights))


def bot_of(text: str, seed: int, weights: str | None = None) -> Player:
    """A bot by name, for a guided search followed by its settings; it thinks in seconds of CPU time."""
    name, *settings = text.split()
    kind, _, limit = name.partition(":")
    options: dict[str, Any] = {
        key: float(value) for key, _, value in (one.partition("=") for one in settings)
    }
    if kind == "learned" and weights is not None:
        options["network"] = load_network(weights)
    if kind != "learned" or not options:
        bot = make_bot(name, seed)
    elif not limit:
        bot = Learned(seed, **options)
    else:
        if weights is not None:
            options["kernel"] = kernel_of(weights)
        limits: dict[str, Any] = (
            {"iterations": int(limit)} if limit.isdigit() else {"seconds": float(limit[:-1])}
        )
        bot = LearnedSearch(seed, **limits, **options)
    if isinstance(bot, Search):
        bot.clock = time.process_time
    return bot


@dataclass(frozen=True)
class Match:
    name: str
    tested: str
    opponents: str
    players: int
    teams: bool
    variant: str
    weights: str | None

    @classmethod
    def of(cls, text: str, weights: str | None = None) -> "Match":
        """Read a match; raises `SystemExit` with a sentence if the text is not one."""
        found = _MATCH.fullmatch(text)
        if found is None:
            raise SystemExit(
                f'"{text}" is not a match. Name a bot, its opponents and a table: "learned, search:1s, 3".'
            )
        teams = found["table"] == "teams"
        players = 4 if teams else int(found["table"])
        return cls(
            text, found["tested"], found["opponents"], players, teams, found["variant"] or "basic", weights
        )

    @property
    def seats(self) -> int:
        """The number of seats, or sides, that the tested bot takes in turn."""
        return 2 if self.teams else self.players

    def play(self, deal: int, seat: int) -> float:
        """The tested side's share of the win."""
        game = Game(self.players, self.variant, seed=deal, teams=self.teams)
        own = {seat, (seat + 2) % self.players} if self.teams else {seat}
        bots = [
            bot_of(self.tested, deal, self.weights) if place in own else bot_of(self.opponents, deal)
            for place in range(self.players)
        ]
        result = play_match(game, bots)
        return len(own & set(result.winners)) / len(result.winners)


def prepare(weights: str | None) -> None:
    """Compile what the bots need, before the clock starts."""
    warm_up(["search", "champion"])
    if weights is not None:
        kernel_of(weights).wait()


def play_all(
    matches: list[Match], deals: Iterable[int], seconds: float, jobs: int, weights: str | None
) -> dict[Match, list[float]]:
    """The shares of the win in each match, of the deals whose games are all over."""
    shares: dict[tuple[Match, int], list[float]] = defaultdict(list)
    end = time.monotonic() + seconds
    schedule = ((match, deal, seat) for deal in deals for match in matches for seat in range(match.seats))
    prepare(weights)
    with ProcessPoolExecutor(jobs, initializer=prepare, initargs=(weights,)) as pool:
        running: dict[Future[float], tuple[Match, int]] = {}
        while True:
            free = jobs - len(running) if time.monotonic() < end else 0
            for match, deal, seat in islice(schedule, free):
                running[pool.submit(match.play, deal, seat)] = match, deal
            if not running:
                break
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                shares[running.pop(future)].append(future.result())
    complete: dict[Match, list[float]] = {match: [] for match in matches}
    for (match, _), found in shares.items():
        if len(found) == match.seats:
            complete[match] += found
    return complete


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("matches", nargs="+", metavar="MATCH")
    parser.add_argument("--weights", help="the network of the tested bots; by default, that of the package")
    parser.add_argument("--deals", type=int, help="the number of deals; by default, until the time is up")
    parser.add_argument("--first-deal", type=int, default=0, help="the seed of the first deal")
    parser.add_argument("--minutes", type=float, default=60.0, help="start no game after this time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    matches = [Match.of(text, given.weights) for text in given.matches]
    deals: Iterable[int] = count(given.first_deal)
    if given.deals is not None:
        deals = islice(deals, given.deals)
    results = play_all(matches, deals, 60 * given.minutes, given.jobs, given.weights)
    print("| Tested | Opponents | Table | Games | Win rate |")
    print("|---|---|---|---:|---|")
    for match, shares in results.items():
        table = "teams" if match.teams else f"{match.players}"
        if match.variant == "draft":
            table += ", Draft"
        row = f"| `{match.tested}` | `{match.opponents}` | {table} | {len(shares)} |"
        if shares:
            found = rate(sum(shares), len(shares))
            row += f" {100 * found.value:.1f} % ({100 * found.low:.0f}–{100 * found.high:.0f}) |"
        print(row)


if __name__ == "__main__":
    main()
