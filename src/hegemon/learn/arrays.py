"""The arrays of a device: NumPy's on a CPU, and on a GPU those of CuPy, which has the same interface.

On a GPU, matrices are multiplied in half precision by tensor cores, and what is done to every number of a large array
is one pass over it, so that little time is spent on moving numbers.
"""

import importlib
from typing import Any, Final

import numpy as np

from hegemon.kernels.network import INPUT_BYTES, INPUT_SCALES, INPUT_THRESHOLDS, inputs_of

# What keeps Adam from dividing by zero.
_EPSILON: Final = 1e-5


class CpuArrays:
    """NumPy, in single precision."""

    xp: Any = np
    precision: Any = np.float32
    #: Gradients are this much smaller than they are while they pass the layers, so that half precision can hold them.
    gradient_scale = 1.0

    def inputs(self, observations: Any) -> Any:
        """The inputs of the network for rows of observations."""
        return inputs_of(observations)

    def activate(self, sums: Any, biases: Any) -> Any:
        """Add the biases, and cut off what is below zero."""
        sums += biases
        return np.maximum(sums, 0, out=sums)

    def pass_back(self, gradients: Any, layer: Any) -> Any:
        """The gradients by the sums of a layer, from those by its values."""
        gradients *= layer > 0
        return gradients

    def sum_rows(self, array: Any) -> Any:
        return array.sum(axis=0)

    def step_of_adam(
        self, gradient: Any, decay: float, square_decay: float, rate: float, correction: float, weights: Any,
        mean: Any, square: Any,
    ) -> None:  # fmt: skip
        """Change the weights, and the means of the gradients and of their squares."""
        mean += (1 - decay) * (gradient - mean)
        square += (1 - square_decay) * (gradient**2 - square)
        weights -= rate * mean / (np.sqrt(square / correction) + _EPSILON)

    def to_host(self, array: Any) -> Any:
        return array


class GpuArrays(CpuArrays):
    """CuPy, in half precision where matrices are multiplied."""

    gradient_scale = 1 / 64

    def __init__(self) -> None:
        cp = importlib.import_module("cupy")
        self.xp = cp
        self.precision = cp.float16
        self._bytes, self._thresholds = cp.asarray(INPUT_BYTES), cp.asarray(INPUT_THRESHOLDS)
        self._scales = cp.asarray(INPUT_SCALES)
        self._inputs = cp.ElementwiseKernel(
            "raw uint8 rows, raw int64 bytes, raw uint8 thresholds, raw float32 scales, int64 features, int64 inputs",
            "float16 y",
            """
            const long long place = i % inputs;
            const unsigned char number = rows[i / inputs * features + bytes[place]];
            y = thresholds[place] ? (float)(number >= thresholds[place]) : number * scales[place];
            """,
            "hegemon_inputs",
        )
        self._activate = cp.ElementwiseKernel(
            "float16 bias", "float16 y", "y = max((float)y + (float)bias, 0.0f)", "hegemon_activate"
        )
        self._pass_back = cp.ElementwiseKernel(
            "float16 value", "float16 y", "if (!((float)value > 0.0f)) y = 0.0f", "hegemon_pass_back"
        )
        self._step_of_adam = cp.ElementwiseKernel(
            "float32 gradient, float32 decay, float32 square_decay, float32 rate, float32 correction",
            "float32 weight, float32 mean, float32 square",
            f"""
            mean += (1 - decay) * (gradient - mean);
            square += (1 - square_decay) * (gradient * gradient - square);
            weight -= rate * mean / (sqrt(square / correction) + {_EPSILON}f);
            """,
            "hegemon_adam",
        )

    def inputs(self, observations: Any) -> Any:
        rows = self.xp.ascontiguousarray(observations)
        found = self.xp.empty((*rows.shape[:-1], len(INPUT_BYTES)), self.xp.float16)
        self._inputs(
            rows, self._bytes, self._thresholds, self._scales, rows.shape[-1], len(INPUT_BYTES), found
        )
        return found

    def activate(self, sums: Any, biases: Any) -> Any:
        self._activate(biases, sums)
        return sums

    def pass_back(self, gradients: Any, layer: Any) -> Any:
        self._pass_back(layer, gradients)
        return gradients

    def sum_rows(self, array: Any) -> Any:
        # A product is many times faster than CuPy's sum over the rows.
        return (self.xp.ones(len(array), self.precision) @ array).astype(self.xp.float32)

    def step_of_adam(self, *numbers: Any) -> None:
        self._step_of_adam(*numbers)

    def to_host(self, array: Any) -> Any:
        return array.get()


def arrays_of(device: str) -> CpuArrays:
    """The arrays of a device, `cpu` or `gpu`."""
    return GpuArrays() if device == "gpu" else CpuArrays()
