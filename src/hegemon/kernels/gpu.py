"""Random play on an NVIDIA GPU: the same rules, compiled for CUDA, one thread a game.

It needs the package numba-cuda, a driver and a GPU. The games are those of every other speed, bit for bit.
"""

from functools import cache
from typing import Any, Final

import numpy as np

from hegemon.kernels.compiler import notice, register_kernels
from hegemon.kernels.dtype import POSITION_DTYPE, to_records
from hegemon.kernels.random_play import Results, Series, play_out, set_up, write_result

#: How many threads stand in a block.
THREADS: Final = 128

#: How many games are played in one launch at most; their results are fetched before the next one.
PORTION: Final = 1 << 22


@cache
def _cuda() -> Any:
    """Numba's door to CUDA."""
    if not hasattr(np, "row_stack"):  # NumPy 2.5 dropped the name, and numba-cuda 0.30 still imports it
        np.row_stack = np.vstack
    from numba import cuda

    return cuda


def can_use_cuda() -> bool:
    """Whether there is a GPU that CUDA can use."""
    try:
        return bool(_cuda().is_available())
    except Exception:  # numba-cuda, its libraries or the driver may be missing, each in its own way
        return False


@cache
def _kernel(registers: int | None) -> Any:
    """The loop of one thread, compiled for CUDA with at most so many registers a thread."""
    import numba

    cuda = _cuda()
    register_kernels()
    record = numba.from_dtype(POSITION_DTYPE)

    def play_one_game(
        empty: Any,
        variant: int,
        seed: int,
        first: int,
        winning: Any,
        ending: Any,
        domain: Any,
        rounds: Any,
        turns: Any,
        decisions: Any,
    ) -> None:
        game = cuda.grid(1)
        if game < len(winning):
            table = cuda.local.array(1, record)
            table[0] = empty[0]
            position = table[0]
            state = set_up(position, variant, seed, first + game)
            decisions[game] = play_out(position, state)
            write_result(position, game, winning, ending, domain, rounds, turns)

    notice()
    return cuda.jit(max_registers=registers)(play_one_game)


def play_on_cuda(
    series: Series, threads: int = THREADS, portion: int = PORTION, registers: int | None = None
) -> Results:
    """Play a series on the GPU; how it is shared out among blocks and launches changes the speed, never a game."""
    if not can_use_cuda():
        raise RuntimeError(
            "there is no GPU that CUDA can use here; play_on_cores plays the same games on the CPU"
        )
    cuda = _cuda()
    results = Results.of(series.games)
    empty = cuda.to_device(to_records([series.empty_table()]))
    for begin in range(0, series.games, portion):
        places = [array[begin : begin + portion] for array in results.arrays()]
        on_device = [cuda.device_array(place.shape, place.dtype) for place in places]
        games = len(places[0])
        _kernel(registers)[-(-games // threads), threads](
            empty, series.variant, series.seed, series.first + begin, *on_device
        )
        for place, array in zip(places, on_device, strict=True):
            array.copy_to_host(place)
    return results
