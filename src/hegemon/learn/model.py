"""The network while it learns: evaluation in batches, the gradients written out, and the steps of Adam."""

import math
from typing import Any, Final, NamedTuple

import numpy as np

from hegemon.kernels.network import ACTIONS, Network
from hegemon.learn.arrays import CpuArrays

# The logit of what is impossible.
_NEVER: Final = -1e9
# How long Adam remembers gradients and their squares.
_DECAY: Final = (0.9, 0.999)
# The names in a checkpoint of the weights, and of the two things that Adam remembers of each.
_VECTORS: Final = ("weights", "mean_gradients", "mean_squares")


class Targets(NamedTuple):
    """What a batch of decisions is to learn."""

    actions: Any
    log_odds: Any
    """The logarithm of the probability of each action when it was chosen."""
    advantages: Any
    shares: Any
    """What every seat got out of the game, as far as it is known, counted from the viewer."""
    chosen: Any
    """Whether the row is a decision; the others teach what to expect, and nothing else."""


class Losses(NamedTuple):
    """Means over a batch; on a GPU they are still there, so that nothing waits for it."""

    value: Any
    entropy: Any
    clipped: Any
    """The part of the decisions that have moved as far as they may."""


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
        self._rounded = self._parts(self._flat.astype(self.arrays.precision, copy=False))

    def network(self) -> Network:
        return Network(*(self.arrays.to_host(array).copy() for array in self.weights))

    def layers(self, observations: Any, weights: list[Any] | None = None) -> list[Any]:
        """The inputs and the values of every layer, the outputs last."""
        weights = weights or self._rounded
        values = [self.arrays.inputs(observations)]
        for number in range(0, len(weights) - 2, 2):
            values.append(self.arrays.activate(values[-1] @ weights[number], weights[number + 1]))
        values.append((values[-1] @ weights[-2]).astype(self.xp.float32) + weights[-1])
        return values

    def log_odds(self, outputs: Any, masks: Any) -> Any:
        """The logarithm of the probability of every action."""
        logits = self.xp.where(masks, outputs[..., :ACTIONS], _NEVER)
        return log_softmax(logits)

    def shares(self, outputs: Any, present: Any) -> Any:
        """What every seat may expect of the game, counted from the viewer; `present` are the seats of the table."""
        return self.xp.exp(log_softmax(self.xp.where(present, outputs[..., ACTIONS:], _NEVER)))

    def learn(
        self, observations: Any, masks: Any, present: Any, targets: Targets, *, rate: float, entropy: float,
        evenness: float = 0.0, clip: float = 0.2, value_weight: float = 1.0, max_norm: float = 1.0,
    ) -> Losses:  # fmt: skip
        """One step of proximal policy optimization on a batch of decisions.

        The entropy hardly resists where an action is already unlikely. `evenness` does: it is the weight of the
        divergence of the odds from an even choice, so that no action is given up before it was understood.
        """
        xp = self.xp
        layers = self.layers(observations)
        log_odds = self.log_odds(layers[-1], masks)
        odds = xp.exp(log_odds)
        rows = xp.arange(len(odds))
        ratio = xp.exp(log_odds[rows, targets.actions] - targets.log_odds)
        advantages = targets.advantages
        outside = xp.where(advantages > 0, ratio > 1 + clip, ratio < 1 - clip)
        surprise = -(odds * xp.where(masks, log_odds, 0)).sum(axis=1)
        # The gradients by the outputs; the mean over the batch comes last.
        pull = xp.where(outside, 0, advantages * ratio)
        by_logits = odds * (pull[:, None] + entropy * (xp.where(masks, log_odds, 0) + surprise[:, None]))
        by_logits[rows, targets.actions] -= pull
        by_logits += evenness * (odds - masks / masks.sum(axis=1, keepdims=True))
        by_logits *= targets.chosen[:, None]
        shares = self.shares(layers[-1], present)
        by_shares = value_weight * (shares - targets.shares)
        self._step(self._gradients(layers, xp.concatenate([by_logits, by_shares], axis=1)), rate, max_norm)
        error = ((shares - targets.shares) ** 2).sum(axis=1)
        number = targets.chosen.sum()
        return Losses(
            error.mean(),
            (surprise * targets.chosen).sum() / number,
            (outside * targets.chosen).sum() / number,
        )

    def _gradients(self, layers: list[Any], by_outputs: Any) -> list[Any]:
        """The mean gradients by all weights, from those by the outputs."""
        xp, arrays = self.xp, self.arrays
        gradients: list[Any] = [None] * len(self.weights)
        by_layer = (by_outputs * arrays.gradient_scale).astype(arrays.precision)
        for number in range(len(self.weights) - 2, -1, -2):
            before = layers[number // 2]
            gradients[number] = (before.T @ by_layer).astype(xp.float32)
            gradients[number + 1] = arrays.sum_rows(by_layer)
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


def log_softmax(logits: Any) -> Any:
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
