"""The speed of the analysis, and the agreement of marked mistakes with a longer search.

    python benchmarks/analysis.py speed --games 8
    python benchmarks/analysis.py agreement --games 24 --times 10

Speed is CPU time on one core, for three-player games between bots of different strength, per game and scaled to 150
decisions. For the agreement, every choice that was marked as a mistake is evaluated again, with many times the
iterations and another seed; it is still a mistake if it costs five points or more. A sample of the other decisions
shows how many mistakes were not marked.
"""

import argparse
import sys
import time
from pathlib import Path
from random import Random
from statistics import mean, quantiles

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from hegemon import Game, play_match
from hegemon.analysis import ITERATIONS, MISTAKE, NOISE, Analysis, analyze_decision
from hegemon.bots import make_bot, warm_up

#: The seats of the games: strong players alone, and players of different strength.
TABLES = (("learned", "learned", "learned"), ("easy", "greedy", "learned"), ("chance", "greedy", "normal"))


def play_game(number: int) -> Game:
    """A finished three-player game."""
    game = Game(3, seed=number)
    bots = [make_bot(name, 10 * number + seat) for seat, name in enumerate(TABLES[number % len(TABLES)])]
    play_match(game, bots)
    return game


def speed(games: int, iterations: int) -> None:
    rates = []
    for number in range(games):
        game = play_game(number)
        began = time.process_time()
        analysis = Analysis.of(game, iterations=iterations)
        seconds = time.process_time() - began
        rates.append(150 * seconds / len(analysis.decisions))
        print(
            f"{' '.join(TABLES[number % len(TABLES)]):24}: {len(analysis.decisions):3} decisions in {seconds:4.1f} s, "
            f"{rates[-1]:4.1f} s for 150",
            flush=True,
        )
    print(f"150 decisions: {mean(rates):.1f} s on average, {max(rates):.1f} s at most")


def agreement(games: int, iterations: int, times: int, others: int) -> None:
    chance = Random(0)
    marked, unmarked = [], []
    for number in range(games):
        game = play_game(number)
        analysis = Analysis.of(game, iterations=iterations)
        rest = [decision for decision in analysis.decisions if not decision.is_mistake]
        for found, decisions in (
            (marked, analysis.mistakes(limit=None)),
            (unmarked, chance.sample(rest, min(others, len(rest)))),
        ):
            for decision in decisions:
                again = analyze_decision(game, decision.ply, iterations=times * iterations, seed=1)
                found.append((decision.loss, again.loss, again.loss >= MISTAKE - NOISE))
        print(f"{number + 1} games: {mistake_rate(marked)} of {len(marked)} marked", flush=True)
    print(
        f"\nMarked mistakes that are mistakes at {times} times the iterations: {mistake_rate(marked)} of {len(marked)}"
    )
    for low, high in ((0.07, 0.1), (0.1, 0.15), (0.15, 1.01)):
        part = [entry for entry in marked if low <= entry[0] < high]
        print(
            f"  that cost {100 * low:.0f} to {100 * min(1, high):.0f} points: {mistake_rate(part)} of {len(part)}"
        )
    costly = sum(again > 0 for _, again, _ in marked)
    print(f"Marked mistakes that cost something there: {costly / max(1, len(marked)):.0%}")
    print(f"Other decisions that are mistakes there: {mistake_rate(unmarked)} of {len(unmarked)}")
    if len(marked) > 1:
        change = [again - loss for loss, again, _ in marked]
        tenths = quantiles(change, n=10)
        print(
            f"The loss changes by {100 * mean(change):+.1f} points on average, "
            f"mostly from {100 * tenths[0]:+.1f} to {100 * tenths[-1]:+.1f}"
        )


def mistake_rate(found: list[tuple[float, float, bool]]) -> str:
    return f"{sum(same for _, _, same in found) / len(found):.0%}" if found else "–"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("speed", "agreement"))
    parser.add_argument("--games", type=int, default=8)
    parser.add_argument("--iterations", type=int, default=ITERATIONS)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument(
        "--others", type=int, default=10, help="other decisions of each game to evaluate again"
    )
    options = parser.parse_args()
    warm_up(("champion",))
    if options.what == "speed":
        speed(options.games, options.iterations)
    else:
        agreement(options.games, options.iterations, options.times, options.others)


if __name__ == "__main__":
    main()
