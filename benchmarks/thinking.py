"""The speed of the search, and the response times of the levels.

    python benchmarks/thinking.py speed
    python benchmarks/thinking.py answers --positions 200
    python benchmarks/thinking.py rounds --games 1

Speed is iterations per CPU second on one core, at positions of three-player games that the search plays against itself.
Answers are measured in wall-clock time, including other load on the machine, at positions of every kind of table,
including the draft.
"""

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from statistics import median, quantiles

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "invariants"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from hegemon import Game
from hegemon.bots import make_bot, warm_up
from hegemon.kernels.tree import ROOT, SearchSettings, Tree, grow_compiled
from hegemon.play.determinization import unseen_cards
from hegemon.play.match import play_match
from random_games import new_game, random_choice, seat_to_move

#: The time limit of each level, in seconds.
LIMITS = {"expert": 1.0, "champion": 3.0}


def speed(games: int, iterations: int) -> None:
    """Iterations per second at several stages of the game."""
    played = []
    for seed in range(games):
        game = Game(3, seed=seed)
        play_match(game, [make_bot("search:100", seat) for seat in range(3)])
        played.append(game)
    for part in (0.0, 0.25, 0.5, 0.75):
        rates = []
        for seed, game in enumerate(played):
            place = int(part * len(game.moves))
            again = Game(3, seed=seed)
            for choice in game.moves[:place]:
                again.play(choice)
            while len(again.choices) < 2:
                again.play(game.moves[len(again.moves)])
            base, unseen = unseen_cards(again.view(again.seat), again.memory(again.seat))
            tree = Tree.of(2 * iterations)
            began = time.thread_time()
            grow_compiled(base, tree, unseen.arrays(), ROOT, SearchSettings(1.0, 0.3), iterations, 1)
            rates.append(iterations / (time.thread_time() - began))
        print(
            f"{part:4.0%} of the game: {median(rates):7,.0f} iterations a second "
            f"(slowest of {games} positions {min(rates):,.0f}, fastest {max(rates):,.0f})",
            flush=True,
        )


def answers(positions: int) -> None:
    """The response times of the levels, at positions of every kind of table."""
    times: dict[str, list[float]] = {name: [] for name in LIMITS}
    number = 0
    while len(times["expert"]) < positions:
        game, chance = new_game(number), Random(number)
        target_ply = chance.randrange(
            60
        )  # so that early choices, such as draft picks, are as frequent as later ones
        while not game.over and len(game.moves) <= target_ply:
            seat = seat_to_move(game, chance)
            choices = game.choices_of(seat)
            if len(game.moves) == target_ply and len(choices) > 1:
                seen, memory = game.view(seat), game.memory(seat)
                for name, spent in times.items():
                    bot = make_bot(name, number)
                    began = time.perf_counter()
                    bot.choose(seen, memory, choices)
                    spent.append(time.perf_counter() - began)
            game.play(random_choice(game, seat, chance, calm=number % 2 == 0), seat)
        number += 1
    for name, spent in times.items():
        within = sum(one <= LIMITS[name] for one in spent) / len(spent)
        print(
            f"{name:7} {len(spent)} answers: median {median(spent):.2f} s, "
            f"99 % within {quantiles(spent, n=100)[-1]:.2f} s, longest {max(spent):.2f} s; "
            f"{within:.1%} within {LIMITS[name]:.0f} s",
            flush=True,
        )


def rounds(games: int) -> None:
    """The time that three champions take for their consecutive turns, at a table of four."""
    spent: Counter[tuple[int, int]] = Counter()
    for seed in range(games):
        game = Game(4, seed=seed)
        bots = [make_bot("greedy", 0), *(make_bot("champion", seat) for seat in range(1, 4))]
        while not game.over:
            seat, turn, began = game.seat, (seed, game.position.round), time.perf_counter()
            game.play(bots[seat].choose(game.view(seat), game.memory(seat), game.choices))
            spent[turn] += time.perf_counter() - began if seat else 0
    print(
        f"{len(spent)} rounds of three: median {median(spent.values()):.2f} s, "
        f"longest {max(spent.values()):.2f} s"
    )


def main() -> None:
    """Run a benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("speed", "answers", "rounds"))
    parser.add_argument("--games", type=int, default=15, help="speed, rounds: from this many games")
    parser.add_argument("--iterations", type=int, default=5000, help="speed: this many from each position")
    parser.add_argument("--positions", type=int, default=200, help="answers: at this many positions")
    given = parser.parse_args()
    warm_up()
    if given.what == "speed":
        speed(given.games, given.iterations)
    elif given.what == "rounds":
        rounds(given.games)
    else:
        answers(given.positions)


if __name__ == "__main__":
    main()
