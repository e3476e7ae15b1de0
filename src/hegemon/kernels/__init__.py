"""The compiled loops. They hold no rule: what may be chosen and what a choice does stands in `hegemon.rules`.

NumPy is imported when the first of these names is used, and Numba when the first loop is compiled.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hegemon.kernels.compiling import can_compile, compiled, kernel
    from hegemon.kernels.random_play import (
        Results,
        Series,
        available_cores,
        play_compiled,
        play_interpreted,
        play_on_cores,
        play_series,
    )
    from hegemon.kernels.record import POSITION, to_bytes, to_position, to_record, to_records
    from hegemon.kernels.transcript import Transcript, transcripts

__all__ = [
    "POSITION",
    "Results",
    "Series",
    "Transcript",
    "available_cores",
    "can_compile",
    "compiled",
    "kernel",
    "play_compiled",
    "play_interpreted",
    "play_on_cores",
    "play_series",
    "to_bytes",
    "to_position",
    "to_record",
    "to_records",
    "transcripts",
]

_FILES = ("compiling", "record", "random_play", "transcript")


def __getattr__(name: str) -> Any:
    if name in __all__:
        for file in _FILES:
            found = import_module(f"hegemon.kernels.{file}")
            if hasattr(found, name):
                return getattr(found, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
