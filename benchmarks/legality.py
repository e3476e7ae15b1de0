"""Check that bots always choose legally: at random positions of every kind of table, under any time limit.

    python benchmarks/legality.py --positions 100000

Games of all kinds (two to four players, teams, Basic and Draft, every preset and random switches) are played at random.
At positions along the way, every bot chooses, and its choice must be legal. In the draft, any seat that owes a pick may
choose.
"""

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "invariants"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from hegemon.bots import make_bot, warm_up
from hegemon.rules.position import Question
from random_games import new_game, random_choice, seat_to_move

BOTS = ("chance", "greedy", "search:1", "search:20", "search:0.001s")


def check_choices(
    positions: int, first: int = 0, share: float = 0.25
) -> tuple[Counter[str], Counter[str], list[float]]:
    """Let every bot choose at some positions; count the questions and the choices, and time the searches of 1 ms."""
    questions: Counter[str] = Counter()
    answers: Counter[str] = Counter()
    times: list[float] = []
    number = first
    while questions.total() < positions:
        game, chance = new_game(number), Random(number)
        calm = number % 3 == 0
        while not game.over and questions.total() < positions:
            seat = seat_to_move(game, chance)
            choices = game.choices_of(seat)
            if chance.random() < share:
                seen, memory = game.view(seat), game.memory(seat)
                questions[Question(seen.question).name.lower()] += 1
                for name in BOTS:
                    began = time.perf_counter()
                    choice = make_bot(name, number).choose(seen, memory, choices)
                    if name == "search:0.001s":
                        times.append(time.perf_counter() - began)
                    if choice not in choices:
                        raise SystemExit(
                            f"{name} chose {choice} in game {number} after {len(game.moves)} moves"
                        )
                    answers[name] += 1
            game.play(random_choice(game, seat, chance, calm), seat)
        number += 1
    return questions, answers, times


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--positions", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first game")
    given = parser.parse_args()
    warm_up()
    began = time.perf_counter()
    questions, answers, times = check_choices(given.positions, given.first)
    print(
        f"{questions.total()} positions, {answers.total()} answers, all legal; {time.perf_counter() - began:.0f} s"
    )
    middle, most = (1000 * time for time in (median(times), sorted(times)[int(0.99 * len(times))]))
    print(f"a search of 1 ms: half of the answers within {middle:.1f} ms, 99 % within {most:.1f} ms")
    print(", ".join(f"{name} {number}" for name, number in questions.most_common()))


if __name__ == "__main__":
    main()
