"""The speed of the learned bot: one choice, a batch of positions, and an iteration of a guided search.

    python benchmarks/network.py

CPU time on one core.
"""

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import time
from collections.abc import Callable

from hegemon import Batch, Game
from hegemon.bots import Learned, LearnedSearch, warm_up
from hegemon.bots.learned import shipped_network
from hegemon.kernels.network import outputs_of

ROWS = 256
ITERATIONS = 4000


def milliseconds(work: Callable[[], object], times: int) -> float:
    """The CPU time of one call, the best of five rounds."""
    work()
    rounds = []
    for _ in range(5):
        began = time.process_time()
        for _ in range(times):
            work()
        rounds.append(1000 * (time.process_time() - began) / times)
    return min(rounds)


def main() -> None:
    game = Game(3, seed=1)
    for _ in range(40):
        game.play(game.choices[0])
    seat = game.seat
    question = game.view(seat), game.memory(seat), game.choices
    batch = Batch(ROWS, 3, seed=1)
    bare, network = Learned(), shipped_network()
    print(f"a choice of the bare network: {milliseconds(lambda: bare.choose(*question), 200):.2f} ms")
    together = milliseconds(lambda: outputs_of(network, batch.observations), 20)
    print(f"a batch of {ROWS} positions: {together:.1f} ms")
    warm_up(["champion"])
    search = LearnedSearch(iterations=ITERATIONS)
    took = milliseconds(lambda: search.analyze(*question), 1)
    assert search.result is not None
    print(f"an iteration of a guided search: {1000 * took / search.result.iterations:.0f} µs")


if __name__ == "__main__":
    main()
