"""Comparison with hand-written C: the same two-player Basic games, compiled by Numba from the rules and written in C.

    python benchmarks/floor/run.py [--games N] [--rounds N] [--compiler CC]

Both play the same series alternately, several times; the best run of each counts. The command fails if a single game
differs. It prints one JSON object: decisions per second of both, and the ratio of their times.
"""

import argparse
import ctypes
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from hegemon.kernels import Series, SeriesResults, play_compiled

SOURCE = Path(__file__).with_name("floor.c")
FLAGS = ["-O3", "-march=native", "-std=c11", "-Wall", "-Wextra", "-Wno-sign-conversion", "-shared", "-fPIC"]


def build(compiler, folder):
    """Compile the C program and load it."""
    library = Path(folder) / "floor.so"
    subprocess.run([compiler, *FLAGS, "-o", library, SOURCE], check=True)
    return ctypes.CDLL(str(library))


def play_in_c(library, series):
    """Play a series in C."""
    results = SeriesResults.of(series.games)
    arrays = [array.ctypes.data_as(ctypes.c_void_p) for array in results.arrays()]
    library.play_games(
        ctypes.c_int64(series.games), ctypes.c_uint64(series.seed), ctypes.c_uint64(series.first), *arrays
    )
    return results


def seconds(play, *arguments):
    """How long a call takes, and what it returns."""
    begin = time.perf_counter()
    results = play(*arguments)
    return time.perf_counter() - begin, results


def compare(compiler="cc", games=500, rounds=300):
    """Play the same games both ways, alternately; return the figures of the best run of each."""
    with tempfile.TemporaryDirectory() as folder:
        library = build(compiler, folder)
        play_compiled(Series(1))  # compile before the clock runs
        in_c, in_numba, decisions = [], [], 0
        for number in range(rounds):
            series = Series(games, seed=1_000 + number)
            time_in_c, floor = seconds(play_in_c, library, series)
            time_in_numba, ours = seconds(play_compiled, series)
            if ours != floor:
                raise SystemExit(f"the games differ: {series}")
            decisions = int(ours.decisions.sum())
            in_c.append(time_in_c / decisions)
            in_numba.append(time_in_numba / decisions)
    return {
        "compiler": subprocess.run(
            [compiler, "--version"], capture_output=True, text=True, check=True
        ).stdout.splitlines()[0],
        "flags": " ".join(FLAGS[:2]),
        "games": games * rounds,
        "c": round(1 / min(in_c)),
        "numba": round(1 / min(in_numba)),
        "ratio": round(min(in_numba) / min(in_c), 3),
    }


def main():
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--games",
        type=int,
        default=500,
        help="games per run; short runs are less likely to be disturbed by other load",
    )
    parser.add_argument("--rounds", type=int, default=300, help="runs of each program")
    parser.add_argument("--compiler", default="cc", help="the C compiler")
    options = parser.parse_args()
    json.dump(compare(options.compiler, options.games, options.rounds), sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
