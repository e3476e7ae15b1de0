"""Compiled loops. They contain no rules: `hegemon.rules` defines legal actions and their effects.

NumPy is imported on first use of one of these names, Numba when the first loop is compiled.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from hegemon.kernels.batch import Batch
    from hegemon.kernels.compiler import can_compile, compiled, kernel
    from hegemon.kernels.dtype import POSITION_DTYPE, to_bytes, to_position, to_record, to_records
    from hegemon.kernels.gpu import can_use_cuda, play_on_cuda
    from hegemon.kernels.gpu_batch import ALL_SETUPS, GpuBatch, Setup
    from hegemon.kernels.observation import FEATURES, OBSERVATION, OBSERVATION_VERSION, Piece
    from hegemon.kernels.random_play import (
        Series,
        SeriesResults,
        available_cores,
        play_compiled,
        play_interpreted,
        play_on_cores,
        play_series,
    )
    from hegemon.kernels.sequences import divide, perft, perft_compiled, perft_interpreted
    from hegemon.kernels.state import STATE, STATE_FEATURES
    from hegemon.kernels.transcript import Transcript, transcripts

__all__ = [
    "ALL_SETUPS", "FEATURES", "OBSERVATION", "OBSERVATION_VERSION", "POSITION_DTYPE", "STATE", "STATE_FEATURES",
    "Batch", "GpuBatch", "Piece", "Series", "SeriesResults", "Setup", "Transcript", "available_cores", "can_compile",
    "can_use_cuda", "compiled", "divide", "kernel", "perft", "perft_compiled", "perft_interpreted", "play_compiled",
    "play_interpreted", "play_on_cores", "play_on_cuda", "play_series", "to_bytes", "to_position", "to_record",
    "to_records", "transcripts",
]  # fmt: skip

_MODULE_OF: Final = {
    name: file
    for file, names in {
        "batch": "Batch",
        "compiler": "can_compile compiled kernel",
        "observation": "FEATURES OBSERVATION OBSERVATION_VERSION Piece",
        "gpu": "can_use_cuda play_on_cuda",
        "gpu_batch": "ALL_SETUPS GpuBatch Setup",
        "random_play": "Series SeriesResults available_cores play_compiled play_interpreted play_on_cores play_series",
        "dtype": "POSITION_DTYPE to_bytes to_position to_record to_records",
        "sequences": "divide perft perft_compiled perft_interpreted",
        "state": "STATE STATE_FEATURES",
        "transcript": "Transcript transcripts",
    }.items()
    for name in names.split()
}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"hegemon.kernels.{_MODULE_OF[name]}"), name)
