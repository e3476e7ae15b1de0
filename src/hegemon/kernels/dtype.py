"""A position as a NumPy record, for compiled code.

The record has the fields of a `Position` under the same names, in the order of `FIELDS`. Copying a position copies a
few hundred bytes, and a million positions are one array.
"""

from collections.abc import Iterable
from math import prod
from operator import attrgetter
from struct import Struct
from typing import Any, Final

import numpy as np

from hegemon.rules.position import FIELDS, Position

# Two-byte fields come first, so that all fields are aligned without padding, which NumPy would leave uninitialized:
# equal positions have equal bytes.
POSITION_DTYPE: Final = np.dtype(
    [(name, f"<u{bits // 8}", shape) for name, bits, shape in FIELDS], align=True
)
# The same layout for the struct module.
_STRUCT: Final = Struct("<" + "".join(f"{prod(shape)}{'BH'[bits // 8 - 1]}" for _, bits, shape in FIELDS))

_VALUES: Final = attrgetter(*(name for name, _, _ in FIELDS))
_DEPTHS: Final = tuple(len(shape) for _, _, shape in FIELDS)


def to_bytes(position: Position) -> bytes:
    cells: list[int] = []
    for depth, value in zip(_DEPTHS, _VALUES(position), strict=True):
        if depth == 0:
            cells.append(value)
        elif depth == 1:
            cells += value
        else:
            for row in value:
                cells += row
    return _STRUCT.pack(*cells)


def to_record(position: Position) -> Any:
    return to_records([position])[0]


def to_records(positions: Iterable[Position]) -> np.ndarray[Any, np.dtype[np.void]]:
    return np.frombuffer(bytearray().join(map(to_bytes, positions)), POSITION_DTYPE)


def to_position(record: Any) -> Position:
    """A record as a position of plain integers in plain lists."""
    return Position(**{name: record[name].tolist() for name, _, _ in FIELDS})
