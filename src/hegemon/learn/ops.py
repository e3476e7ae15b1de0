"""Array operations of training on one device: NumPy on a CPU, CuPy and CUDA kernels on a GPU.

A GPU multiplies matrices in half precision on its tensor cores. Elementwise operations on large arrays are fused into
one kernel each, because they are limited by memory bandwidth.
"""

import importlib
from typing import Any, Final

import numpy as np

from hegemon.kernels.network import INPUT_BYTES, INPUT_SCALES, INPUT_THRESHOLDS, inputs_of
from hegemon.learn import ppo
from hegemon.learn.cuda import TrainingKernels, aligned
from hegemon.learn.ppo import AdvantageEstimates, LossCoefficients, Losses, Targets

# Added to the denominator of Adam's update.
_EPSILON: Final = 1e-5


class CpuOps:
    """NumPy in single precision."""

    xp: Any = np
    precision: Any = np.float32
    #: The factor of all gradients during backpropagation, which keeps them in the range of half precision.
    gradient_scale = 1.0

    def inputs(self, observations: Any) -> Any:
        """The network inputs for rows of observations."""
        return inputs_of(observations)

    def bias_relu(self, layer: Any, biases: Any) -> Any:
        """Add the biases and apply ReLU in place."""
        layer += biases
        return np.maximum(layer, 0, out=layer)

    def backward_relu(self, gradients: Any, layer: Any) -> Any:
        """Zero the gradients where the output of the ReLU is zero, in place."""
        gradients *= layer > 0
        return gradients

    def sum_rows(self, array: Any) -> Any:
        return array.sum(axis=0)

    def take_rows(self, array: Any, indices: Any) -> Any:
        return array[indices]

    def padded(self, weights: list[Any]) -> list[Any]:
        """Weights of a network, or a stack of several, padded for fast matrix products."""
        return weights

    def sample_actions(
        self, outputs: Any, masks: Any, noise: Any, temperature: float = 1.0
    ) -> tuple[Any, Any]:
        return ppo.sample_actions(outputs, masks, noise, temperature)

    def values_of(self, outputs: Any, viewers: Any, players: Any) -> Any:
        return ppo.values_of(outputs, viewers, players)

    def loss_gradients(
        self, outputs: Any, masks: Any, seat_masks: Any, targets: Targets, coefficients: LossCoefficients
    ) -> tuple[Any, Losses]:
        """The gradients with respect to the outputs, times `gradient_scale`, and the mean losses."""
        gradients, losses = ppo.loss_gradients(outputs, masks, seat_masks, targets, coefficients)
        return (gradients * self.gradient_scale).astype(self.precision), losses

    def estimate_advantages(self, rollout: Any, final_values: Any, gae_lambda: float) -> AdvantageEstimates:
        return ppo.estimate_advantages(rollout, final_values, gae_lambda)

    def adam_step(
        self, gradient: Any, beta1: float, beta2: float, step_size: float, correction2: float, weights: Any,
        mean: Any, square: Any,
    ) -> None:  # fmt: skip
        """Update the weights and both moments in place.

        `step_size` is the learning rate with the bias correction of the first moment; `correction2` is that of the
        second moment.
        """
        mean += (1 - beta1) * (gradient - mean)
        square += (1 - beta2) * (gradient**2 - square)
        weights -= step_size * mean / (np.sqrt(square / correction2) + _EPSILON)

    def to_host(self, array: Any) -> Any:
        return array


class GpuOps(CpuOps):
    """CuPy, with matrix products in half precision."""

    gradient_scale = 1 / 64

    def __init__(self) -> None:
        cp = importlib.import_module("cupy")
        self.xp = cp
        self.precision = cp.float16
        self._kernels = TrainingKernels(cp)
        self._width = aligned(len(INPUT_BYTES))
        padding = self._width - len(INPUT_BYTES)  # these inputs are always 0
        self._input_tables = [
            cp.asarray(np.pad(array, (0, padding)), dtype)
            for array, dtype in (
                (INPUT_BYTES, cp.int32), (INPUT_THRESHOLDS, cp.int32), (INPUT_SCALES, cp.float32)
            )
        ]  # fmt: skip
        self._adam_step = cp.ElementwiseKernel(
            "float32 gradient, float32 beta1, float32 beta2, float32 step_size, float32 correction2",
            "float32 weight, float32 mean, float32 square",
            f"""
            mean += (1 - beta1) * (gradient - mean);
            square += (1 - beta2) * (gradient * gradient - square);
            weight -= step_size * mean / (sqrt(square / correction2) + {_EPSILON}f);
            """,
            "hegemon_adam",
        )

    def inputs(self, observations: Any) -> Any:
        rows = self.xp.ascontiguousarray(observations)
        inputs = self.xp.empty((*rows.shape[:-1], self._width), self.xp.float16)
        self._kernels.inputs(rows, self._input_tables, inputs)
        return inputs

    def bias_relu(self, layer: Any, biases: Any) -> Any:
        self._kernels.bias_relu(layer, biases)
        return layer

    def backward_relu(self, gradients: Any, layer: Any) -> Any:
        self._kernels.backward_relu(gradients, layer)
        return gradients

    def sum_rows(self, array: Any) -> Any:
        # A matrix product is many times faster than CuPy's sum over the rows.
        return (self.xp.ones(len(array), self.precision) @ array).astype(self.xp.float32)

    def take_rows(self, array: Any, indices: Any) -> Any:
        # CuPy computes an index for each element, so rows of bytes are copied as rows of words.
        word = next(
            word for word in (self.xp.uint64, self.xp.uint32) if array.shape[-1] % word().itemsize == 0
        )
        return array.view(word)[indices].view(array.dtype)

    def padded(self, weights: list[Any]) -> list[Any]:
        xp = self.xp
        first, last = weights[0], weights[-2]
        stack_axes = [(0, 0)] * (first.ndim - 2)
        return [
            xp.pad(first, [*stack_axes, (0, self._width - first.shape[-2]), (0, 0)]),
            *weights[1:-2],
            xp.pad(last, [*stack_axes, (0, 0), (0, aligned(last.shape[-1]) - last.shape[-1])]),
            weights[-1],
        ]

    def sample_actions(
        self, outputs: Any, masks: Any, noise: Any, temperature: float = 1.0
    ) -> tuple[Any, Any]:
        return self._kernels.sample_actions(outputs, masks, noise, temperature)

    def values_of(self, outputs: Any, viewers: Any, players: Any) -> Any:
        return self._kernels.values_of(outputs, viewers, players)

    def loss_gradients(
        self, outputs: Any, masks: Any, seat_masks: Any, targets: Targets, coefficients: LossCoefficients
    ) -> tuple[Any, Losses]:
        return self._kernels.loss_gradients(
            outputs, masks, seat_masks, targets, coefficients, self.gradient_scale
        )

    def estimate_advantages(self, rollout: Any, final_values: Any, gae_lambda: float) -> AdvantageEstimates:
        return self._kernels.estimate_advantages(rollout, final_values, gae_lambda)

    def adam_step(self, *arguments: Any) -> None:
        self._adam_step(*arguments)

    def to_host(self, array: Any) -> Any:
        return array.get()


def ops_for(device: str) -> CpuOps:
    """The operations of a device, `cpu` or `gpu`."""
    return GpuOps() if device == "gpu" else CpuOps()
