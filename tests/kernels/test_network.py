"""The network of the learned player: compiled, interpreted, and as plain matrices."""

import numpy as np
import pytest

from hegemon.kernels.batch import Batch
from hegemon.kernels.compiler import compiled
from hegemon.kernels.network import (
    INPUT_BYTES,
    INPUT_SCALES,
    INPUT_THRESHOLDS,
    INPUTS,
    OUTPUTS,
    Activations,
    Network,
    evaluate,
    to_half_precision,
    to_probabilities,
)
from hegemon.kernels.observation import OBSERVATION

NETWORK = Network.random(3, (40, 24, 16))


def rows(number):
    batch = Batch(number, 3, seed=1)
    for _ in range(40):
        batch.step(batch.random_actions())
    return batch.observations


def by_matrices(network, row):
    numbers = row[INPUT_BYTES]
    reached = (numbers >= INPUT_THRESHOLDS).astype(np.float32)
    values = np.where(INPUT_THRESHOLDS > 0, reached, numbers * INPUT_SCALES)
    for place in range(0, len(network), 2):
        values = values @ network[place] + network[place + 1]
        if place < len(network) - 2:
            values = np.maximum(values, 0)
    return values


@pytest.mark.parametrize("speed", ["interpreted", "compiled"])
def test_an_evaluation_is_the_product_of_the_layers(speed):
    def run(network, memory):
        evaluate(network, memory)

    run = compiled(run) if speed == "compiled" else run
    memory = Activations.of(NETWORK)
    for row in rows(4):
        memory.row[:] = row
        run(NETWORK, memory)
        assert memory.outputs == pytest.approx(by_matrices(NETWORK, row), abs=1e-4)


@pytest.mark.parametrize("speed", ["interpreted", "compiled"])
def test_half_precision_weights_are_read_as_they_were_saved(speed):
    def run(network, memory):
        evaluate(network, memory)

    run = compiled(run) if speed == "compiled" else run
    half = to_half_precision(NETWORK)
    rounded = Network(
        *(array.astype(np.float16).astype(np.float32) if array.ndim == 2 else array for array in NETWORK)
    )
    memory, exact = Activations.of(half), Activations.of(rounded)
    for row in rows(3):
        memory.row[:] = exact.row[:] = row
        run(half, memory)
        run(rounded, exact)
        assert memory.outputs.tolist() == exact.outputs.tolist()


def test_every_number_of_an_observation_is_an_input():
    assert set(INPUT_BYTES) == set(range(sum(piece.length for piece in OBSERVATION)))
    assert len(INPUT_BYTES) == len(INPUT_THRESHOLDS) == len(INPUT_SCALES) == INPUTS


def test_a_new_network_takes_all_actions_nearly_alike():
    memory = Activations.of(NETWORK)
    memory.row[:] = rows(1)[0]
    evaluate(NETWORK, memory)
    assert len(memory.outputs) == OUTPUTS
    assert np.abs(memory.outputs).max() < 0.1


def test_probabilities_are_those_of_the_wanted_and_sum_to_one():
    outputs = np.array([5.0, 1.0, 2.0, 1.0, 0.0], np.float32)
    to_probabilities(outputs, 1, 0b101, 3, 1.0)
    assert outputs == pytest.approx([5, 0.5, 0, 0.5, 0])


def test_a_high_temperature_evens_probabilities_out():
    outputs = np.array([0.0, 1.0], np.float32)
    to_probabilities(outputs, 0, 0b11, 2, 1.0)
    cold = outputs[1]
    outputs[:] = [0, 1]
    to_probabilities(outputs, 0, 0b11, 2, 10.0)
    assert 0.5 < outputs[1] < cold
