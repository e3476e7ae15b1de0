"""The network during training: batched forward pass, backpropagation and Adam."""

import math
from typing import Any, Final

import numpy as np

from hegemon.kernels.network import OUTPUTS, Network
from hegemon.learn.ops import CpuOps
from hegemon.learn.ppo import LossCoefficients, Losses, Targets

# The decay rates of Adam's first and second moment.
_BETAS: Final = (0.9, 0.999)
# The names of the parameters and of Adam's moments in a checkpoint.
_VECTORS: Final = ("weights", "first_moment", "second_moment")


class Model:
    """A trainable network on one device."""

    def __init__(self, network: Network, ops: CpuOps) -> None:
        self.ops = ops
        self.xp = xp = ops.xp
        self._shapes = [array.shape for array in network]
        self._parameters = xp.asarray(np.concatenate([array.ravel() for array in network]), xp.float32)
        self.weights = self._unflatten(self._parameters)
        self._moments = [xp.zeros_like(self._parameters) for _ in range(2)]
        self._steps = 0
        self._cast_weights()

    def _unflatten(self, vector: Any) -> list[Any]:
        """Views of a parameter vector with the shapes of the network's arrays."""
        ends = np.cumsum([math.prod(shape) for shape in self._shapes])
        parts = self.xp.split(vector, ends[:-1].tolist())
        return [part.reshape(shape) for part, shape in zip(parts, self._shapes, strict=True)]

    def _cast_weights(self) -> None:
        """Copy the weights to the precision of the matrix products."""
        low_precision = self._unflatten(self._parameters.astype(self.ops.precision, copy=False))
        self._low_precision = self.ops.padded(low_precision)

    def to_network(self) -> Network:
        return Network(*(self.ops.to_host(array).copy() for array in self.weights))

    def forward(self, observations: Any, weights: list[Any] | None = None) -> list[Any]:
        """The activations of all layers, from the inputs to the outputs."""
        weights = weights or self._low_precision
        activations = [self.ops.inputs(observations)]
        for number in range(0, len(weights) - 2, 2):
            activations.append(self.ops.bias_relu(activations[-1] @ weights[number], weights[number + 1]))
        outputs = (activations[-1] @ weights[-2])[..., :OUTPUTS]
        activations.append(outputs.astype(self.xp.float32) + weights[-1])
        return activations

    def train_step(
        self, observations: Any, masks: Any, seat_masks: Any, targets: Targets, coefficients: LossCoefficients, *,
        learning_rate: float, max_grad_norm: float = 1.0,
    ) -> Losses:  # fmt: skip
        """One optimizer step on a minibatch."""
        activations = self.forward(observations)
        output_gradients, losses = self.ops.loss_gradients(
            activations[-1], masks, seat_masks, targets, coefficients
        )
        self._optimize(self._backward(activations, output_gradients), learning_rate, max_grad_norm)
        return losses

    def _backward(self, activations: list[Any], output_gradients: Any) -> list[Any]:
        """The mean gradients of all weights, from scaled gradients of the outputs."""
        xp, ops = self.xp, self.ops
        gradients: list[Any] = [None] * len(self.weights)
        layer_gradients = output_gradients
        for number in range(len(self.weights) - 2, -1, -2):
            layer_inputs = activations[number // 2]
            rows, columns = self._shapes[number]
            gradients[number] = (layer_inputs.T @ layer_gradients)[:rows, :columns].astype(xp.float32)
            gradients[number + 1] = ops.sum_rows(layer_gradients)[:columns]
            if number:
                layer_gradients = ops.backward_relu(
                    layer_gradients @ self._low_precision[number].T, layer_inputs
                )
        return [gradient / (len(output_gradients) * ops.gradient_scale) for gradient in gradients]

    def _optimize(self, gradients: list[Any], learning_rate: float, max_grad_norm: float) -> None:
        """Clip the norm of the gradient and take a step of Adam."""
        xp = self.xp
        self._steps += 1
        gradient = xp.concatenate([array.ravel() for array in gradients])
        gradient *= xp.minimum(1, max_grad_norm / (xp.sqrt(gradient @ gradient) + 1e-12))
        correction1, correction2 = (1 - beta**self._steps for beta in _BETAS)
        self.ops.adam_step(
            gradient, *_BETAS, learning_rate / correction1, correction2, self._parameters, *self._moments
        )
        self._cast_weights()

    def state_dict(self) -> dict[str, Any]:
        vectors = zip(_VECTORS, (self._parameters, *self._moments), strict=True)
        return {name: self.ops.to_host(vector) for name, vector in vectors} | {"steps": np.array(self._steps)}

    def load_state_dict(self, state: Any) -> None:
        self._parameters, *self._moments = (self.xp.asarray(state[name]) for name in _VECTORS)
        self.weights = self._unflatten(self._parameters)
        self._steps = int(state["steps"])
        self._cast_weights()
