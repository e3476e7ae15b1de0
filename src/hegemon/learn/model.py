"""The network while it learns: evaluation in batches, the gradients written out, and the steps of Adam."""

import math
from typing import Any, Final

import numpy as np

from hegemon.kernels.network import OUTPUTS, Network
from hegemon.learn.arrays import CpuArrays
from hegemon.learn.formulas import Losses, Targets, Weighting

# How long Adam remembers gradients and their squares.
_DECAY: Final = (0.9, 0.999)
# The names in a checkpoint of the weights, and of the two things that Adam remembers of each.
_VECTORS: Final = ("weights", "mean_gradients", "mean_squares")


class Model:
    """The network on one device."""

    def __init__(self, network: Network, arrays: CpuArrays) -> None:
        self.arrays = arrays
        self.xp = xp = arrays.xp
        self._shapes = [array.shape for array in network]
        self._flat = xp.asarray(np.concatenate([array.ravel() for array in network]), xp.float32)
        self.weights = self._parts(self._flat)
        self._moments = [xp.zeros_like(self._flat) for _ in range(2)]
        self._steps = 0
        self._round()

    def _parts(self, flat: Any) -> list[Any]:
        """The arrays of the network that lie one after the other in a vector."""
        ends = np.cumsum([math.prod(shape) for shape in self._shapes])
        parts = self.xp.split(flat, ends[:-1].tolist())
        return [part.reshape(shape) for part, shape in zip(parts, self._shapes, strict=True)]

    def _round(self) -> None:
        """Round the weights to the precision in which they are multiplied."""
        rounded = self._parts(self._flat.astype(self.arrays.precision, copy=False))
        self._rounded = self.arrays.padded(rounded)

    def network(self) -> Network:
        return Network(*(self.arrays.to_host(array).copy() for array in self.weights))

    def layers(self, observations: Any, weights: list[Any] | None = None) -> list[Any]:
        """The inputs and the values of every layer, the outputs last."""
        weights = weights or self._rounded
        values = [self.arrays.inputs(observations)]
        for number in range(0, len(weights) - 2, 2):
            values.append(self.arrays.activate(values[-1] @ weights[number], weights[number + 1]))
        outputs = (values[-1] @ weights[-2])[..., :OUTPUTS]
        values.append(outputs.astype(self.xp.float32) + weights[-1])
        return values

    def learn(
        self, observations: Any, masks: Any, present: Any, targets: Targets, weighting: Weighting, *, rate: float,
        max_norm: float = 1.0,
    ) -> Losses:  # fmt: skip
        """One step of proximal policy optimization on a batch of decisions."""
        layers = self.layers(observations)
        by_outputs, losses = self.arrays.slopes(layers[-1], masks, present, targets, weighting)
        self._step(self._gradients(layers, by_outputs), rate, max_norm)
        return losses

    def _gradients(self, layers: list[Any], by_outputs: Any) -> list[Any]:
        """The mean gradients by all weights, from those by the outputs, which are scaled."""
        xp, arrays = self.xp, self.arrays
        gradients: list[Any] = [None] * len(self.weights)
        by_layer = by_outputs
        for number in range(len(self.weights) - 2, -1, -2):
            before = layers[number // 2]
            rows, columns = self._shapes[number]
            gradients[number] = (before.T @ by_layer)[:rows, :columns].astype(xp.float32)
            gradients[number + 1] = arrays.sum_rows(by_layer)[:columns]
            if number:
                by_layer = arrays.pass_back(by_layer @ self._rounded[number].T, before)
        return [gradient / (len(by_outputs) * arrays.gradient_scale) for gradient in gradients]

    def _step(self, gradients: list[Any], rate: float, max_norm: float) -> None:
        """A step of Adam, with gradients no longer than `max_norm`."""
        xp = self.xp
        self._steps += 1
        gradient = xp.concatenate([array.ravel() for array in gradients])
        gradient *= xp.minimum(1, max_norm / (xp.sqrt(gradient @ gradient) + 1e-12))
        first, second = (1 - part**self._steps for part in _DECAY)
        self.arrays.step_of_adam(gradient, *_DECAY, rate / first, second, self._flat, *self._moments)
        self._round()

    def state(self) -> dict[str, Any]:
        """Everything that the next step depends on."""
        vectors = zip(_VECTORS, (self._flat, *self._moments), strict=True)
        return {name: self.arrays.to_host(vector) for name, vector in vectors} | {
            "steps": np.array(self._steps)
        }

    def load_state(self, arrays: Any) -> None:
        self._flat, *self._moments = (self.xp.asarray(arrays[name]) for name in _VECTORS)
        self.weights = self._parts(self._flat)
        self._steps = int(arrays["steps"])
        self._round()
