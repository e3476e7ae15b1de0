"""Random play on a GPU: verify that it plays the same games as the CPU, and measure decisions per second.

    python benchmarks/gpu.py [--equal N] [--games N] [--json FILE]

First, the same series are played on the GPU and on the CPU, with different players, variants, teams and rulings; the
command fails if a single game differs. Then it measures the GPU by games per launch, threads per block, registers per
thread and players, and the CPU on one core and on several. It prints one JSON object.
"""

import argparse
import json
import sys
import time
from importlib.metadata import version
from itertools import product
from pathlib import Path

import numpy as np

from hegemon.kernels.gpu import MAX_GAMES_PER_LAUNCH, THREADS_PER_BLOCK, can_use_cuda, get_cuda, play_on_cuda
from hegemon.kernels.random_play import Series, available_cores, play_compiled, play_on_cores
from hegemon.rules.rulings import PRESETS, SWITCHES
from hegemon.rules.setup import Variant

TABLES = [(2, False), (3, False), (4, False), (4, True)]
VARIANTS = {variant.name.capitalize(): int(variant) for variant in Variant}


def report_progress(text):
    print(text, file=sys.stderr, flush=True)


def check_equality(games):
    """Play every kind of series on both; return the number of identical games."""
    chance = np.random.default_rng(1)
    compared = 0
    switches = [int(number) for number in chance.integers(0, 1 << len(SWITCHES), 6)]
    for (players, teams), variant, rulings in product(
        TABLES, VARIANTS.values(), [*sorted(set(PRESETS.values())), *switches]
    ):
        series = Series(games, players, variant, teams, rulings, int(chance.integers(0, 2**63)), compared)
        if play_on_cuda(series) != play_on_cores(series):
            raise SystemExit(f"the games differ: {series}")
        compared += games
    return compared


def decisions_per_second(play, series, *options, times=3):
    """The best of several runs."""
    best = 0.0
    for _ in range(times):
        begin = time.perf_counter()
        results = play(series, *options)
        best = max(best, int(results.decisions.sum(dtype=np.int64)) / (time.perf_counter() - begin))
    return round(best)


def measure(games):
    """All figures, each the best of several runs."""
    figures = {}
    begin = time.perf_counter()
    play_on_cuda(Series(1))
    figures["compile_s"] = round(time.perf_counter() - begin, 1)
    report_progress("threads in a block")
    figures["threads"] = {
        threads: decisions_per_second(play_on_cuda, Series(games), threads)
        for threads in (32, 64, 128, 192, 256, 384, 512)
    }
    best = max(figures["threads"], key=figures["threads"].get)
    figures["registers"] = {}
    for registers in (None, 32, 40, 48, 56):
        report_progress(f"registers: {registers}")
        play_on_cuda(Series(1), best, MAX_GAMES_PER_LAUNCH, registers)
        figures["registers"][str(registers)] = decisions_per_second(
            play_on_cuda, Series(games), best, MAX_GAMES_PER_LAUNCH, registers
        )
    report_progress("games in one launch")
    figures["games"] = {
        1 << power: decisions_per_second(play_on_cuda, Series(1 << power), best) for power in range(8, 25, 2)
    }
    report_progress("players and variants")
    figures["players"] = {
        f"{players} {name}": decisions_per_second(
            play_on_cuda, Series(games, players=players, variant=variant), best
        )
        for players, (name, variant) in product((2, 3, 4), VARIANTS.items())
    }
    report_progress("the CPU")
    all_cores = available_cores()
    figures["cores"] = {
        cores: decisions_per_second(play_on_cores, Series(20_000 * cores), cores)
        for cores in sorted({1, 2, 4, 8, all_cores})
        if cores <= all_cores
    }
    return figures


def main():
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--equal", type=int, default=1_000, help="games in each series that is compared")
    parser.add_argument("--games", type=int, default=1 << 21, help="games in each series that is measured")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    if not can_use_cuda():
        raise SystemExit("there is no GPU that CUDA can use here")
    device = get_cuda().get_current_device()
    figures = {
        "gpu": device.name.decode() if isinstance(device.name, bytes) else device.name,
        "multiprocessors": device.MULTIPROCESSOR_COUNT,
        "versions": {name: version(name) for name in ("numba", "numba-cuda", "numpy")},
        "usual_threads": THREADS_PER_BLOCK,
    }
    play_compiled(Series(1))
    report_progress("comparing with the CPU")
    figures["equal_games"] = check_equality(options.equal)
    figures |= measure(options.games)
    text = json.dumps(figures, indent=2)
    print(text)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
