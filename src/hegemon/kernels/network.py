"""The network of the learned bots: its inputs, its layers, and a compiled forward pass for one observation.

An input is either a scaled number of the observation or a flag that such a number reaches a threshold. Nearly all
inputs are zero, and so is about half of each hidden layer. The forward pass skips zeros and sums the other rows of the
weights in a fixed order, so that a position has the same value on every machine. It is limited by memory bandwidth, so
it reads the weights in half precision, in which they are saved.
"""

from importlib import import_module
from itertools import pairwise
from math import exp
from typing import Any, Final, NamedTuple

import numpy as np

from hegemon.kernels.compiler import kernel
from hegemon.kernels.observation import FEATURES, OBSERVATION, OBSERVATION_VERSION
from hegemon.rules.actions import CHOICES
from hegemon.rules.position import MAX_PLAYERS

Array = np.ndarray[Any, np.dtype[Any]]

NUM_ACTIONS: Final = len(CHOICES)

#: The outputs: a logit for each action, and one for each seat as the winner, clockwise from the viewer.
OUTPUTS: Final = NUM_ACTIONS + MAX_PLAYERS

#: The widths of the hidden layers.
WIDTHS: Final = (768, 512, 512)

# The divisors of the numbers of each piece; for pieces that are not listed, 1.
_SCALES: Final = {
    **dict.fromkeys(("hand", "areas", "embargoes", "kept", "center", "democracies", "left", "plays"), 4),
    **dict.fromkeys(("backs", "kept_backs", "hand_size", "floor", "discard_pile"), 8),
    **dict.fromkeys(("deck", "round"), 32),
    "known": 2,
}
# The thresholds for numbers whose exact value matters; for cards, they apply to the sum of all Ages.
_THRESHOLDS: Final = {
    "hand": range(1, 7),
    "areas": range(1, 9),
    "backs": range(1, 9),
    "kept": range(1, 4),
    "deck": (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 26, 30, 36, 42),
    "democracies": range(1, 4),
    "hand_size": range(2, 9),
    "left": range(1, 7),
    "floor": range(1, 6),
    "plays": range(1, 4),
    "quiet_rounds": range(1, 3),
    "round": (2, 3, 4, 6, 8, 11, 15),
    "known": (1, 2),
}
_CARDS: Final = ("hand", "areas", "backs", "kept", "deck", "known")


def _inputs() -> list[tuple[int, int, float]]:
    """The byte, the threshold and the scale of each input; the threshold is 0 for a scaled number."""
    inputs = []
    for piece in OBSERVATION:
        places = range(piece.offset, piece.offset + piece.length)
        scale = 1.0 / _SCALES.get(piece.name, 1)
        inputs += [(place, 0, scale) for place in places]
        totals = places[3::4] if piece.name in _CARDS else places
        inputs += [
            (place, threshold, 1.0) for place in totals for threshold in _THRESHOLDS.get(piece.name, ())
        ]
    return inputs


#: The byte of the observation that each input reads.
INPUT_BYTES: Final[Array] = np.array([byte for byte, _, _ in _inputs()], np.int64)
#: The threshold of each input; 0 for a scaled number.
INPUT_THRESHOLDS: Final[Array] = np.array([threshold for _, threshold, _ in _inputs()], np.uint8)
INPUT_SCALES: Final[Array] = np.array([scale for _, _, scale in _inputs()], np.float32)

INPUTS: Final = len(INPUT_BYTES)


class Network(NamedTuple):
    """The weights (inputs by outputs) and biases of each layer."""

    weights1: Array
    biases1: Array
    weights2: Array
    biases2: Array
    weights3: Array
    biases3: Array
    weights4: Array
    biases4: Array

    @classmethod
    def shapes(cls, widths: tuple[int, int, int] = WIDTHS) -> tuple[tuple[int, ...], ...]:
        sizes = (INPUTS, *widths, OUTPUTS)
        return tuple(shape for before, after in pairwise(sizes) for shape in ((before, after), (after,)))

    @classmethod
    def random(cls, seed: int, widths: tuple[int, int, int] = WIDTHS) -> "Network":
        """An untrained network (He initialization); its policy is almost uniform."""
        generator = np.random.default_rng(seed)
        arrays = [
            generator.standard_normal(shape, np.float32) * np.float32((2 / shape[0]) ** 0.5)
            if len(shape) == 2
            else np.zeros(shape, np.float32)
            for shape in cls.shapes(widths)
        ]
        arrays[-2] *= np.float32(0.01)
        return cls(*arrays)

    @property
    def widths(self) -> tuple[int, int, int]:
        return (len(self.biases1), len(self.biases2), len(self.biases3))


def to_half_precision(network: Network) -> Network:
    """Convert the weights to half precision, stored as 16-bit integers; the biases stay in single precision."""
    arrays = [array.astype(np.float16).view(np.uint16) if array.ndim == 2 else array for array in network]
    return Network(*arrays)


def inputs_of(observations: Array) -> Array:
    """The network inputs for rows of observations."""
    numbers = observations[..., INPUT_BYTES]
    reached = numbers >= INPUT_THRESHOLDS
    return np.where(INPUT_THRESHOLDS > 0, reached.astype(np.float32), numbers * INPUT_SCALES)


def outputs_of(network: Network, observations: Array) -> Array:
    """The network outputs for rows of observations, computed with NumPy, without compilation."""
    values: Array = inputs_of(observations)
    for weights, biases in (network[0:2], network[2:4], network[4:6]):
        values = np.maximum(_product(values, weights) + biases, 0)
    outputs: Array = _product(values, network.weights4) + network.biases4
    return outputs


def _product(values: Array, weights: Array) -> Array:
    """A matrix product; for a single row without BLAS, whose threads would take longer to start."""
    product: Array = np.einsum("i,ij->j", values, weights) if values.ndim == 1 else values @ weights
    return product


def softmax(logits: Array) -> Array:
    probabilities: Array = np.exp(logits - logits.max(axis=-1, keepdims=True))
    probabilities /= probabilities.sum(axis=-1, keepdims=True)
    return probabilities


class Activations(NamedTuple):
    """The buffers of one forward pass."""

    row: Array
    """The observation, written by the caller."""
    words: Array
    """A view of the same row as 32-bit words."""
    inputs: Array
    layer1: Array
    layer2: Array
    layer3: Array
    outputs: Array
    active: Array
    """The indices of the nonzero values of a layer."""

    @classmethod
    def of(cls, network: Network) -> "Activations":
        row = np.zeros(FEATURES, np.uint8)
        sizes = (INPUTS, *network.widths, OUTPUTS)
        layers = [np.zeros(size, np.float32) for size in sizes]
        return cls(row, row.view(np.uint32), *layers, np.zeros(max(sizes), np.int64))  # type: ignore[call-arg]  # five layers


@kernel
def write_inputs(row: Any, inputs: Any) -> None:
    for place in range(INPUTS):
        number = row[INPUT_BYTES[place]]
        threshold = INPUT_THRESHOLDS[place]
        if threshold == 0:
            inputs[place] = number * INPUT_SCALES[place]
        else:
            inputs[place] = 1.0 if number >= threshold else 0.0


def to_single(weight: Any) -> Any:
    """A weight in single precision, converted if it is stored in 16 bits."""
    return weight if isinstance(weight, np.float32) else weight.view(np.float16).astype(np.float32)


def register() -> None:
    """Let Numba convert weights with processor instructions instead of library calls."""
    from llvmlite import ir  # type: ignore[import-untyped]  # Numba has no types
    from numba.core import types

    extending: Any = import_module("numba.extending")

    @extending.intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
    def single_of_half(typing: Any, bits: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.fpext(builder.bitcast(arguments[0], ir.HalfType()), ir.FloatType())

        return types.float32(types.uint16), generate

    def identity(weight: Any) -> Any:
        return weight

    def of_bits(weight: Any) -> Any:
        return single_of_half(weight)

    @extending.overload(to_single)  # type: ignore[untyped-decorator]  # Numba has no types
    def compiled_to_single(weight: Any) -> Any:
        return of_bits if weight == types.uint16 else identity


def has_half_precision() -> bool:
    """Whether the processor has instructions to convert half precision."""
    import llvmlite.binding as llvm  # type: ignore[import-untyped]  # Numba has no types

    features = llvm.get_host_cpu_features()
    return any(features.get(name, False) for name in ("f16c", "fullfp16", "fp16", "neon"))


@kernel
def linear(before: Any, weights: Any, biases: Any, after: Any, active: Any) -> None:
    """A linear layer: the biases plus the weight rows of nonzero inputs, four rows at a time."""
    number = 0
    for place in range(len(before)):
        if before[place] > 0:
            active[number] = place
            number += 1
    for place in range(len(after)):
        after[place] = biases[place]
    fours = number - number % 4
    for first in range(0, fours, 4):
        one, two, three, four = active[first], active[first + 1], active[first + 2], active[first + 3]
        value1, value2, value3, value4 = before[one], before[two], before[three], before[four]
        row1, row2, row3, row4 = weights[one], weights[two], weights[three], weights[four]
        for place in range(len(after)):
            after[place] = (
                after[place]
                + value1 * to_single(row1[place])
                + value2 * to_single(row2[place])
                + value3 * to_single(row3[place])
                + value4 * to_single(row4[place])
            )
    for rest in range(fours, number):
        value = before[active[rest]]
        row = weights[active[rest]]
        for place in range(len(after)):
            after[place] += value * to_single(row[place])


@kernel
def relu(layer: Any) -> None:
    for place in range(len(layer)):
        layer[place] = max(layer[place], np.float32(0.0))


@kernel
def evaluate(network: Network, activations: Activations) -> None:
    """Compute the outputs for the observation in `activations`."""
    write_inputs(activations.row, activations.inputs)
    linear(activations.inputs, network.weights1, network.biases1, activations.layer1, activations.active)
    relu(activations.layer1)
    linear(activations.layer1, network.weights2, network.biases2, activations.layer2, activations.active)
    relu(activations.layer2)
    linear(activations.layer2, network.weights3, network.biases3, activations.layer3, activations.active)
    relu(activations.layer3)
    linear(activations.layer3, network.weights4, network.biases4, activations.outputs, activations.active)


@kernel
def to_probabilities(outputs: Any, begin: int, mask: int, number: int, temperature: float) -> None:
    """Replace `number` logits from `begin` on by probabilities; those whose bit is not set in `mask` become 0."""
    highest = -1e30
    for place in range(number):
        if mask >> place & 1:
            highest = max(highest, outputs[begin + place])
    total = 0.0
    for place in range(number):
        value = 0.0
        if mask >> place & 1:
            value = exp((outputs[begin + place] - highest) / temperature)
        outputs[begin + place] = value
        total += value
    for place in range(number):
        outputs[begin + place] /= total


#: The layout that weights were trained for; weights with another layout cannot be used.
LAYOUT: Final = f"observation {OBSERVATION_VERSION}, {INPUTS} inputs, {OUTPUTS} outputs"
