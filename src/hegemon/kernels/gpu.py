"""Random play on an NVIDIA GPU: the same rules, compiled for CUDA, one thread per game.

It needs the package numba-cuda, a driver and a GPU. The games are identical to those on a CPU, bit for bit.
"""

import os
from functools import cache
from typing import Any, Final

import numpy as np

from hegemon.kernels.compiler import announce, register_kernels
from hegemon.kernels.dtype import POSITION_DTYPE, to_records
from hegemon.kernels.random_play import Series, SeriesResults, play_out, set_up, write_result

THREADS_PER_BLOCK: Final = 128
MAX_GAMES_PER_LAUNCH: Final = 1 << 22


@cache
def get_cuda() -> Any:
    if not hasattr(np, "row_stack"):  # removed in NumPy 2.5, but imported by numba-cuda 0.30
        np.row_stack = np.vstack
    os.environ.setdefault("NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS", "0")  # small batches are intended
    from numba import cuda

    return cuda


def can_use_cuda() -> bool:
    """Whether there is a GPU that CUDA can use."""
    try:
        return bool(get_cuda().is_available())
    except Exception:  # the errors differ by what is missing: numba-cuda, its libraries or the driver
        return False


@cache
def _kernel(registers: int | None) -> Any:
    """The CUDA kernel, with an optional limit of registers per thread."""
    import numba

    cuda = get_cuda()
    register_kernels()
    record = numba.from_dtype(POSITION_DTYPE)

    def play_one_game(
        empty: Any, variant: int, seed: int, first: int, winning: Any, ending: Any, domain: Any, rounds: Any,
        turns: Any, decisions: Any,
    ) -> None:  # fmt: skip
        game = cuda.grid(1)
        if game < len(winning):
            table = cuda.local.array(1, record)
            table[0] = empty[0]
            position = table[0]
            state = set_up(position, variant, seed, first + game)
            decisions[game] = play_out(position, state)
            write_result(position, game, winning, ending, domain, rounds, turns)

    announce()
    return cuda.jit(max_registers=registers)(play_one_game)


def play_on_cuda(
    series: Series,
    threads: int = THREADS_PER_BLOCK,
    max_games: int = MAX_GAMES_PER_LAUNCH,
    registers: int | None = None,
) -> SeriesResults:
    """Play a series on the GPU; blocks and launches affect only the speed, not the games."""
    if not can_use_cuda():
        raise RuntimeError(
            "there is no GPU that CUDA can use here; play_on_cores plays the same games on the CPU"
        )
    cuda = get_cuda()
    results = SeriesResults.of(series.games)
    empty = cuda.to_device(to_records([series.empty_position()]))
    for begin in range(0, series.games, max_games):
        places = [array[begin : begin + max_games] for array in results.arrays()]
        on_device = [cuda.device_array(place.shape, place.dtype) for place in places]
        games = len(places[0])
        _kernel(registers)[-(-games // threads), threads](
            empty, series.variant, series.seed, series.first + begin, *on_device
        )
        for place, array in zip(places, on_device, strict=True):
            array.copy_to_host(place)
    return results
