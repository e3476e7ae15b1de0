"""Batches on a GPU: verify that they play the same games as the CPU, and measure steps per second.

    python benchmarks/gpu_batch.py [--games N] [--json FILE]

First, a batch of every kind of table is stepped in parallel with batches on the CPU; the command fails if a number
differs. Then it measures the loop of kernels alone (sample actions, step, write masks and observations), with and
without the observations of all seats, and `hegemon.Batch` on one core and on all cores. It prints one JSON object.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

from hegemon import Batch
from hegemon.kernels.gpu import can_use_cuda, get_cuda
from hegemon.kernels.gpu_batch import ALL_SETUPS, GpuBatch
from hegemon.kernels.random_play import available_cores

ARRAYS = ("masks", "seats", "observations", "dones")


def check_equality(games, steps):
    """The number of rows that were compared."""
    gpu = GpuBatch(games, seed=1)
    cpus = [Batch(games, setup.players, setup.variant, teams=setup.teams, seed=1) for setup in ALL_SETUPS]
    kinds = np.arange(games) * len(ALL_SETUPS) // games
    for _ in range(steps):
        on_host = {name: getattr(gpu, name).copy_to_host() for name in ARRAYS}
        rewards = gpu.rewards.copy_to_host()
        for kind, cpu in enumerate(cpus):
            rows = kinds == kind
            for name, array in on_host.items():
                if not np.array_equal(array[rows], getattr(cpu, name)[rows]):
                    raise SystemExit(f"{name} differs in {ALL_SETUPS[kind]}")
            if not np.array_equal(rewards[rows, : cpu.players], cpu.rewards[rows]):
                raise SystemExit(f"rewards differ in {ALL_SETUPS[kind]}")
            cpu.step(cpu.random_actions())
        gpu.step(gpu.random_actions())
    gpu.check()
    return games * steps


def steps_per_second(batch, steps, *, all_seats=False, times=3):
    """The best of several runs."""
    best = 0.0
    for _ in range(times):
        begin = time.perf_counter()
        for _ in range(steps):
            batch.step(batch.random_actions())
            if all_seats:
                batch.observe_seats()
        if isinstance(batch, GpuBatch):
            batch.check()
        best = max(best, steps * len(batch) / (time.perf_counter() - begin))
    return round(best)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=1 << 16)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    if not can_use_cuda():
        raise SystemExit("there is no GPU that CUDA can use here")
    device = get_cuda().get_current_device()
    figures = {"gpu": device.name.decode() if isinstance(device.name, bytes) else device.name}
    begin = time.perf_counter()
    GpuBatch(1)
    figures["compile_s"] = round(time.perf_counter() - begin, 1)
    figures["equal_rows"] = check_equality(1024, 500)
    figures["games"] = {
        games: steps_per_second(GpuBatch(games), 500) for games in (1 << 12, 1 << 14, options.games, 1 << 18)
    }
    figures["kinds"] = {
        f"{setup.players} {setup.variant}{' teams' * setup.teams}": steps_per_second(
            GpuBatch(options.games, [setup]), 500
        )
        for setup in ALL_SETUPS
    }
    figures["all_seats"] = steps_per_second(GpuBatch(options.games), 200, all_seats=True)
    figures["cores"] = {
        cores: steps_per_second(Batch(options.games, cores=cores), 10) for cores in (1, available_cores())
    }
    text = json.dumps(figures, indent=2)
    print(text)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
