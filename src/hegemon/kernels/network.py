"""The network of the learned player: what it reads, its layers, and one evaluation of it, compiled.

An input is a number of an observation, scaled, or says whether such a number reaches a threshold: nearly all of them
are zero, and so is half of every layer. An evaluation adds up the rows of the weights that belong to the others, always
in the same order, so that a position has the same value on every machine. Most of its time goes into reading weights,
so it reads them in half precision, in which they are saved.
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

ACTIONS: Final = len(CHOICES)

#: The outputs: a logit for every action, and one for every seat that could win, counted from the viewer.
OUTPUTS: Final = ACTIONS + MAX_PLAYERS

#: The widths of the hidden layers.
WIDTHS: Final = (768, 512, 512)

# What the numbers of a piece are divided by; those that are missing are flags, or small.
_SCALES: Final = {
    **dict.fromkeys(("hand", "areas", "embargoes", "kept", "center", "democracies", "left", "plays"), 4),
    **dict.fromkeys(("backs", "kept_backs", "hand_size", "floor", "discard_pile"), 8),
    **dict.fromkeys(("deck", "round"), 32),
    "known": 2,
}
# Thresholds of the numbers that matter by their exact value; of cards, of all Ages together.
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
    """The byte, the threshold and the scale of every input; the threshold is 0 where the number itself is read."""
    found = []
    for piece in OBSERVATION:
        places = range(piece.offset, piece.offset + piece.length)
        scale = 1.0 / _SCALES.get(piece.name, 1)
        found += [(place, 0, scale) for place in places]
        totals = places[3::4] if piece.name in _CARDS else places
        found += [
            (place, threshold, 1.0) for place in totals for threshold in _THRESHOLDS.get(piece.name, ())
        ]
    return found


#: The byte of the observation that each input reads.
INPUT_BYTES: Final[Array] = np.array([byte for byte, _, _ in _inputs()], np.int64)
#: The number that it has to reach; 0 where the input is the number itself, scaled.
INPUT_THRESHOLDS: Final[Array] = np.array([threshold for _, threshold, _ in _inputs()], np.uint8)
INPUT_SCALES: Final[Array] = np.array([scale for _, _, scale in _inputs()], np.float32)

INPUTS: Final = len(INPUT_BYTES)


class Network(NamedTuple):
    """The weights of every layer, inputs by outputs, and its biases."""

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
        """A network that knows nothing: it takes every action alike."""
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


def halved(network: Network) -> Network:
    """The same network with its weights in half precision, as 16 bits each; the biases stay as they are."""
    arrays = [array.astype(np.float16).view(np.uint16) if array.ndim == 2 else array for array in network]
    return Network(*arrays)


def inputs_of(observations: Array) -> Array:
    """The inputs of the network for rows of observations."""
    numbers = observations[..., INPUT_BYTES]
    reached = numbers >= INPUT_THRESHOLDS
    return np.where(INPUT_THRESHOLDS > 0, reached.astype(np.float32), numbers * INPUT_SCALES)


def outputs_of(network: Network, observations: Array) -> Array:
    """The outputs of the network for rows of observations, by NumPy: nothing has to be compiled for it."""
    values: Array = inputs_of(observations)
    for weights, biases in (network[0:2], network[2:4], network[4:6]):
        values = np.maximum(_product(values, weights) + biases, 0)
    outputs: Array = _product(values, network.weights4) + network.biases4
    return outputs


def _product(values: Array, weights: Array) -> Array:
    """A product of matrices; one row is multiplied without BLAS, whose threads take far longer to start."""
    product: Array = np.einsum("i,ij->j", values, weights) if values.ndim == 1 else values @ weights
    return product


def softmax(logits: Array) -> Array:
    odds: Array = np.exp(logits - logits.max(axis=-1, keepdims=True))
    odds /= odds.sum(axis=-1, keepdims=True)
    return odds


class Activations(NamedTuple):
    """Working memory for one evaluation, and its results."""

    row: Array
    """The observation, to be written before."""
    words: Array
    """The same row, four bytes a word."""
    inputs: Array
    layer1: Array
    layer2: Array
    layer3: Array
    outputs: Array
    active: Array
    """The places of the values of a layer that are not zero."""

    @classmethod
    def of(cls, network: Network) -> "Activations":
        row = np.zeros(FEATURES, np.uint8)
        sizes = (INPUTS, *network.widths, OUTPUTS)
        layers = [np.zeros(size, np.float32) for size in sizes]
        return cls(row, row.view(np.uint32), *layers, np.zeros(max(sizes), np.int64))  # type: ignore[call-arg]  # the layers are five


@kernel
def add_inputs(row: Any, inputs: Any) -> None:
    for place in range(INPUTS):
        number = row[INPUT_BYTES[place]]
        threshold = INPUT_THRESHOLDS[place]
        if threshold == 0:
            inputs[place] = number * INPUT_SCALES[place]
        else:
            inputs[place] = 1.0 if number >= threshold else 0.0


def widened(weight: Any) -> Any:
    """A weight in single precision: of 16 bits, or as it is."""
    return weight if isinstance(weight, np.float32) else weight.view(np.float16).astype(np.float32)


def register() -> None:
    """Give Numba the instructions that widen a weight; processors without them would call a library for each."""
    from llvmlite import ir  # type: ignore[import-untyped]  # Numba has no types
    from numba.core import types

    extending: Any = import_module("numba.extending")

    @extending.intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
    def single_of_half(typing: Any, bits: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.fpext(builder.bitcast(arguments[0], ir.HalfType()), ir.FloatType())

        return types.float32(types.uint16), generate

    def as_it_is(weight: Any) -> Any:
        return weight

    def of_bits(weight: Any) -> Any:
        return single_of_half(weight)

    @extending.overload(widened)  # type: ignore[untyped-decorator]  # Numba has no types
    def compiled_widened(weight: Any) -> Any:
        return of_bits if weight == types.uint16 else as_it_is


def can_widen() -> bool:
    """Whether the processor has instructions for numbers of half precision."""
    import llvmlite.binding as llvm  # type: ignore[import-untyped]  # Numba has no types

    features = llvm.get_host_cpu_features()
    return any(features.get(name, False) for name in ("f16c", "fullfp16", "fp16", "neon"))


@kernel
def add_layer(before: Any, weights: Any, biases: Any, after: Any, active: Any) -> None:
    """One layer: the biases, and the rows of the weights whose input is not zero, four at a time."""
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
                + value1 * widened(row1[place])
                + value2 * widened(row2[place])
                + value3 * widened(row3[place])
                + value4 * widened(row4[place])
            )
    for rest in range(fours, number):
        value = before[active[rest]]
        row = weights[active[rest]]
        for place in range(len(after)):
            after[place] += value * widened(row[place])


@kernel
def cut_off(layer: Any) -> None:
    """The activation: what is below zero becomes zero."""
    for place in range(len(layer)):
        layer[place] = max(layer[place], np.float32(0.0))


@kernel
def evaluate(network: Network, memory: Activations) -> None:
    """Compute the outputs for the observation that is in the memory."""
    add_inputs(memory.row, memory.inputs)
    add_layer(memory.inputs, network.weights1, network.biases1, memory.layer1, memory.active)
    cut_off(memory.layer1)
    add_layer(memory.layer1, network.weights2, network.biases2, memory.layer2, memory.active)
    cut_off(memory.layer2)
    add_layer(memory.layer2, network.weights3, network.biases3, memory.layer3, memory.active)
    cut_off(memory.layer3)
    add_layer(memory.layer3, network.weights4, network.biases4, memory.outputs, memory.active)


@kernel
def to_probabilities(outputs: Any, begin: int, wanted: int, number: int, temperature: float) -> None:
    """Turn the logits from `begin` on into probabilities in place: 0 for those whose bit is not in `wanted`."""
    highest = -1e30
    for place in range(number):
        if wanted >> place & 1:
            highest = max(highest, outputs[begin + place])
    total = 0.0
    for place in range(number):
        value = 0.0
        if wanted >> place & 1:
            value = exp((outputs[begin + place] - highest) / temperature)
        outputs[begin + place] = value
        total += value
    for place in range(number):
        outputs[begin + place] /= total


#: What weights depend on: another layout of the observation or other inputs need other weights.
LAYOUT: Final = f"observation {OBSERVATION_VERSION}, {INPUTS} inputs, {OUTPUTS} outputs"
