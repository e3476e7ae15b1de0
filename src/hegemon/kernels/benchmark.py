"""Benchmarks: decisions per second, interpreted and compiled, and startup times."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hegemon.kernels.batch import Batch
from hegemon.kernels.compiler import can_compile, compiled
from hegemon.kernels.dtype import to_records
from hegemon.kernels.gpu import can_use_cuda, play_on_cuda
from hegemon.kernels.random_play import Series, SeriesResults, play_compiled, play_interpreted, play_on_cores

_PLAYER_COUNTS: Final = (2, 3, 4)
_BATCH_SIZE: Final = 4096
_COPIES: Final = 1 << 16

_COMPILE: Final = "from hegemon.kernels import Series, play_compiled; play_compiled(Series(1))"


@dataclass(frozen=True)
class Speeds:
    """Decisions per second of random play; None where this machine lacks the requirements."""

    interpreted: float
    compiled: float | None
    all_cores: float | None
    batch: float | None
    cuda: float | None
    clone_ns: float | None
    """Nanoseconds to copy a position in compiled code."""
    import_ms: float
    """Milliseconds of `import hegemon` in a new interpreter."""
    compile_cold_s: float | None
    """Seconds of the first compiled game with an empty cache."""
    compile_warm_s: float | None
    """Seconds of the first compiled game with a full cache."""


def measure(seconds: float) -> Iterator[tuple[str, float | None]]:
    """Measure and yield the figures of `Speeds`, each for about that many seconds."""
    numba = can_compile()
    yield "import_ms", 1000 * _seconds_of("import hegemon")
    yield "interpreted", decisions_per_second(play_interpreted, 1, seconds)
    cold, warm = _compile_times() if numba else (None, None)
    yield "compile_cold_s", cold
    yield "compile_warm_s", warm
    yield "compiled", decisions_per_second(play_compiled, 500, seconds) if numba else None
    yield "all_cores", decisions_per_second(play_on_cores, 20_000, seconds) if numba else None
    yield "batch", batch_decisions_per_second(seconds) if numba else None
    yield "cuda", decisions_per_second(play_on_cuda, 1 << 20, seconds) if can_use_cuda() else None
    yield "clone_ns", clone_nanoseconds() if numba else None


def decisions_per_second(play: Callable[[Series], SeriesResults], games: int, seconds: float) -> float:
    """Random play with two, three and four players, in series of `games`."""
    for players in _PLAYER_COUNTS:
        play(Series(1, players))  # compile before measuring
    decisions = 0
    first = 0
    begin = time.perf_counter()
    while (passed := time.perf_counter() - begin) < seconds:
        for players in _PLAYER_COUNTS:
            decisions += int(play(Series(games, players, first=first)).decisions.sum(dtype=np.int64))
        first += games
    return decisions / passed


def batch_decisions_per_second(seconds: float) -> float:
    """Steps of a batch, with masks and observations, on one core."""
    batches = [Batch(_BATCH_SIZE, players) for players in _PLAYER_COUNTS]
    for batch in batches:
        batch.step(batch.random_actions())
    steps = 0
    begin = time.perf_counter()
    while (passed := time.perf_counter() - begin) < seconds:
        for batch in batches:
            batch.step(batch.random_actions())
        steps += 1
    return steps * len(batches) * _BATCH_SIZE / passed


def copy_repeatedly(positions: Any, times: int) -> None:
    for _ in range(times):
        for place in range(len(positions) - 1):
            positions[place + 1] = positions[place]


def clone_nanoseconds(times: int = 200) -> float:
    positions = np.repeat(to_records([Series(1).empty_position()]), 64)
    copy = compiled(copy_repeatedly)
    copy(positions, 1)
    rounds = times * _COPIES // len(positions) // 64
    begin = time.perf_counter()
    copy(positions, rounds)
    return 1e9 * (time.perf_counter() - begin) / (rounds * (len(positions) - 1))


def _seconds_of(program: str, **environment: str) -> float:
    """The time of a program in a new interpreter minus that of an empty one, best of three each."""
    times: dict[str, list[float]] = {program: [], "pass": []}
    for _ in range(3):
        for run, seconds in times.items():
            begin = time.perf_counter()
            _run(run, os.environ | environment)
            seconds.append(time.perf_counter() - begin)
    return max(0.0, min(times[program]) - min(times["pass"]))


def _run(program: str, environment: Mapping[str, str], stderr: int | None = None) -> None:
    """Run a program in a new interpreter and session, so that Ctrl-C interrupts only this process."""
    command = [sys.executable, "-c", program]
    subprocess.run(command, check=True, env=environment, stderr=stderr, start_new_session=True)


def _compile_times() -> tuple[float, float]:
    """The seconds of the first compiled game, with an empty cache and with a full one."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"HEGEMON_CACHE": folder}
        times = []
        for _ in range(2):
            begin = time.perf_counter()
            _run(_COMPILE, environment, stderr=subprocess.DEVNULL)
            times.append(time.perf_counter() - begin)
    return times[0], times[1]
