"""Win rates of a guided search with other settings, against opponents that search without a network.

    python benchmarks/guided.py --players 4 --exploration 0.25 --fpu-reduction 0.15 --deals 25

Each deal is played once for every seat (in teams, for every side), each game on one core.
"""

import argparse
import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from math import sqrt

from hegemon import Game, play_match
from hegemon.bots import LearnedSearch, make_bot, warm_up
from hegemon.bots.learned import EXPLORATION


@dataclass(frozen=True)
class Match:
    players: int
    teams: bool
    seconds: float
    exploration: float
    fpu_reduction: float | None

    def play(self, deal: int, seat: int) -> float:
        """The tested side's share of the win."""
        game = Game(self.players, seed=deal, teams=self.teams)
        own = {seat, (seat + 2) % self.players} if self.teams else {seat}
        bots = [
            LearnedSearch(
                deal, seconds=self.seconds, exploration=self.exploration, fpu_reduction=self.fpu_reduction
            )
            if place in own
            else make_bot(f"search:{self.seconds}s", deal)
            for place in range(self.players)
        ]
        result = play_match(game, bots)
        return len(own & set(result.winners)) / len(result.winners)


def interval(won: float, games: int) -> tuple[float, float]:
    """Wilson's interval at 95 %."""
    part, square = won / games, 1.96**2
    middle = (part + square / (2 * games)) / (1 + square / games)
    half = 1.96 * sqrt(part * (1 - part) / games + square / (4 * games**2)) / (1 + square / games)
    return middle - half, middle + half


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--teams", action="store_true")
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--exploration", type=float, default=EXPLORATION)
    parser.add_argument(
        "--fpu-reduction", type=float, help="by default, the value that the bot uses at such a table"
    )
    parser.add_argument("--deals", type=int, default=25)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    players = 4 if given.teams else given.players
    match = Match(players, given.teams, given.seconds, given.exploration, given.fpu_reduction)
    warm_up(["search", "champion"])
    deals, seats = zip(*product(range(given.deals), range(2 if given.teams else players)), strict=True)
    with ProcessPoolExecutor(given.jobs) as pool:
        shares = list(pool.map(match.play, deals, seats))
    low, high = interval(sum(shares), len(shares))
    print(f"{sum(shares) / len(shares):.1%} of {len(shares)} games ({low:.0%} to {high:.0%})")


if __name__ == "__main__":
    main()
