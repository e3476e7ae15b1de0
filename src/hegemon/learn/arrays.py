"""The arrays of a device: NumPy's on a CPU, and on a GPU those of CuPy, which has the same interface.

On a GPU, matrices are multiplied in half precision by tensor cores, and what is done to every number of a large array
is one pass over it, so that little time is spent on moving numbers.
"""

import importlib
from typing import Any, Final

import numpy as np

from hegemon.kernels.network import INPUT_BYTES, INPUT_SCALES, INPUT_THRESHOLDS, inputs_of
from hegemon.learn import formulas
from hegemon.learn.cuda import CudaFormulas, aligned
from hegemon.learn.formulas import Losses, Returns, Targets, Weighting

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

    def rows(self, array: Any, places: Any) -> Any:
        """Some rows of an array."""
        return array[places]

    def padded(self, weights: list[Any]) -> list[Any]:
        """The weights of a network, or of several in a stack, as they are multiplied fastest."""
        return weights

    def choose(self, outputs: Any, masks: Any, noise: Any, temperature: float = 1.0) -> tuple[Any, Any]:
        """An action a row, and the logarithm of its probability."""
        return formulas.choose(outputs, masks, noise, temperature)

    def values_of(self, outputs: Any, seats: Any, players: Any) -> Any:
        """What every seat may expect, as the seats see it, counted from the First Player."""
        return formulas.values_of(outputs, seats, players)

    def slopes(
        self, outputs: Any, masks: Any, present: Any, targets: Targets, weighting: Weighting
    ) -> tuple[Any, Losses]:
        """The gradients by the outputs, smaller by the scale of gradients, and the means of the losses."""
        gradients, losses = formulas.slopes(outputs, masks, present, targets, weighting)
        return (gradients * self.gradient_scale).astype(self.precision), losses

    def returns(self, experience: Any, final: Any, trace: float) -> Returns:
        return formulas.returns(experience, final, trace)

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
        self._formulas = CudaFormulas(cp)
        self._width = aligned(len(INPUT_BYTES))
        missing = self._width - len(INPUT_BYTES)  # these inputs are always 0
        self._input_tables = [
            cp.asarray(np.pad(array, (0, missing)), dtype)
            for array, dtype in (
                (INPUT_BYTES, cp.int32), (INPUT_THRESHOLDS, cp.int32), (INPUT_SCALES, cp.float32)
            )
        ]  # fmt: skip
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
        found = self.xp.empty((*rows.shape[:-1], self._width), self.xp.float16)
        self._formulas.inputs(rows, self._input_tables, found)
        return found

    def activate(self, sums: Any, biases: Any) -> Any:
        self._formulas.activate(sums, biases)
        return sums

    def pass_back(self, gradients: Any, layer: Any) -> Any:
        self._formulas.pass_back(gradients, layer)
        return gradients

    def sum_rows(self, array: Any) -> Any:
        # A product is many times faster than CuPy's sum over the rows.
        return (self.xp.ones(len(array), self.precision) @ array).astype(self.xp.float32)

    def rows(self, array: Any, places: Any) -> Any:
        # A row of bytes is taken in words: CuPy computes the place of every single number.
        word = next(
            word for word in (self.xp.uint64, self.xp.uint32) if array.shape[-1] % word().itemsize == 0
        )
        return array.view(word)[places].view(array.dtype)

    def padded(self, weights: list[Any]) -> list[Any]:
        """Rows of zeros for inputs that do not exist, and columns for such outputs."""
        xp = self.xp
        first, last = weights[0], weights[-2]
        beside = [(0, 0)] * (first.ndim - 2)
        return [
            xp.pad(first, [*beside, (0, self._width - first.shape[-2]), (0, 0)]),
            *weights[1:-2],
            xp.pad(last, [*beside, (0, 0), (0, aligned(last.shape[-1]) - last.shape[-1])]),
            weights[-1],
        ]

    def choose(self, outputs: Any, masks: Any, noise: Any, temperature: float = 1.0) -> tuple[Any, Any]:
        return self._formulas.choose(outputs, masks, noise, temperature)

    def values_of(self, outputs: Any, seats: Any, players: Any) -> Any:
        return self._formulas.values_of(outputs, seats, players)

    def slopes(
        self, outputs: Any, masks: Any, present: Any, targets: Targets, weighting: Weighting
    ) -> tuple[Any, Losses]:
        return self._formulas.slopes(outputs, masks, present, targets, weighting, self.gradient_scale)

    def returns(self, experience: Any, final: Any, trace: float) -> Returns:
        return self._formulas.returns(experience, final, trace)

    def step_of_adam(self, *numbers: Any) -> None:
        self._step_of_adam(*numbers)

    def to_host(self, array: Any) -> Any:
        return array.get()


def arrays_of(device: str) -> CpuArrays:
    """The arrays of a device, `cpu` or `gpu`."""
    return GpuArrays() if device == "gpu" else CpuArrays()
