"""Scaling: decisions per second by the number of games, the number of cores, and the size of a batch.

    python benchmarks/growth.py [--json FILE] [--gpu FILE] [--plots FOLDER]

Measures this machine's CPU, reads the GPU's figures from the output of `benchmarks/gpu.py --json`, and plots each.
Every point is the best of three runs, or of nine runs for cores.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import matplotlib as mpl
import numpy as np

from hegemon import Batch
from hegemon.kernels import Series, available_cores, play_compiled, play_on_cores

mpl.use("Agg")
from matplotlib.figure import Figure

MAX_GAMES = 10_000_000
PLAYERS = 3
BATCHES = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536)


def report_progress(text):
    print(text, file=sys.stderr, flush=True)


def best_of(run, times=3):
    """The most decisions per second over several runs; `run` returns the number of decisions."""
    best = 0.0
    for _ in range(times):
        begin = time.perf_counter()
        decisions = run()
        best = max(best, decisions / (time.perf_counter() - begin))
    return round(best)


def play(player, games, *options):
    """Play a series and count its decisions."""
    return int(player(Series(games, PLAYERS), *options).decisions.sum(dtype=np.int64))


def by_games(most):
    """One core: from a single game to millions."""
    play(play_compiled, 1)
    figures = {}
    games = 1
    while games <= most:
        report_progress(f"{games} games")
        figures[games] = best_of(lambda games=games: play(play_compiled, games), 1 if games >= 100_000 else 3)
        games *= 10
    return figures


def by_cores():
    """The same games on one core and on several."""
    figures = {}
    for cores in sorted({1, 2, 4, 8, available_cores()}):
        if cores <= available_cores():
            report_progress(f"{cores} cores")
            figures[cores] = best_of(lambda cores=cores: play(play_on_cores, 300_000 * cores, cores), 9)
    return figures


def by_batch():
    """Steps with masks and observations, by the number of games in the batch."""
    figures = {}
    for games in BATCHES:
        report_progress(f"batches of {games}")
        batch = Batch(games, PLAYERS)
        steps = max(20, 200_000 // games)

        def run(batch=batch, steps=steps, games=games):
            for _ in range(steps):
                batch.step(batch.random_actions())
            return steps * games

        figures[games] = best_of(run)
    return figures


def draw(file, title, lines, label, base=10):
    """One plot of decisions per second, with logarithmic scales."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for name, points in lines.items():
        axes.plot(
            [int(place) for place in points],
            [value / 1e6 for value in points.values()],
            marker="o",
            label=name,
        )
    axes.set(xlabel=label, ylabel="million decisions a second", title=title)
    axes.set_xscale("log", base=base)
    axes.set_yscale("log", base=base)
    if base == 2:
        axes.xaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_major_formatter("{x:g}")
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend()
    figure.savefig(file, metadata={"Date": None})


def main():
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most-games", type=int, default=MAX_GAMES)
    parser.add_argument("--gpu", type=Path, help="the figures of benchmarks/gpu.py")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--plots", type=Path, help="write the plots to this folder")
    options = parser.parse_args()
    figures = {"games": by_games(options.most_games), "cores": by_cores(), "batch": by_batch()}
    text = json.dumps(figures, indent=2)
    print(text)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")
    if options.plots:
        options.plots.mkdir(parents=True, exist_ok=True)
        gpu = json.loads(options.gpu.read_text()) if options.gpu else {"games": {}, "cores": {}}
        games = {"one core": figures["games"]} | ({"H200": gpu["games"]} if gpu["games"] else {})
        cores = {f"a machine of {available_cores()}": figures["cores"]} | (
            {"a machine of 16": gpu["cores"]} if gpu["cores"] else {}
        )
        draw(options.plots / "games.svg", "More games at once", games, "games")
        draw(options.plots / "cores.svg", "More cores", cores, "cores", base=2)
        draw(
            options.plots / "batch.svg",
            "Larger batches, one core",
            {"Batch": figures["batch"]},
            "games in a batch",
        )


if __name__ == "__main__":
    main()
