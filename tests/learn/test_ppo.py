"""The CUDA kernels agree with NumPy: on a GPU, or compiled as plain C++ and run thread by thread."""

import ctypes
import shutil
import subprocess
from types import SimpleNamespace

import numpy as np
import pytest

from hegemon.kernels.gpu import can_use_cuda
from hegemon.kernels.network import (
    INPUT_BYTES,
    INPUT_SCALES,
    INPUT_THRESHOLDS,
    NUM_ACTIONS,
    OUTPUTS,
    inputs_of,
)
from hegemon.kernels.observation import FEATURES
from hegemon.learn import ppo
from hegemon.learn.cuda import GRADIENT_WIDTH, SOURCE, TrainingKernels, aligned
from hegemon.learn.ppo import LossCoefficients, Targets
from hegemon.learn.rollout import Rollout

COMPILER = shutil.which("g++")
# Definitions of what plain C++ lacks.
CPP = """
#include <cmath>
#define __global__
#define __device__ static
typedef float half;
struct int2 { int x, y; };
struct float2 { float x, y; };
typedef float2 half2;
static inline float __float2half(float number) { return number; }
static inline half2 __floats2half2_rn(float one, float two) { return {one, two}; }
static inline float2 __half22float2(half2 pair) { return pair; }
struct Place { long long x; };
static Place blockIdx, blockDim, threadIdx;
extern "C" void go_to(long long block, long long size, long long thread) {
    blockIdx.x = block, blockDim.x = size, threadIdx.x = thread;
}
"""


class Cpp:
    """A stand-in for CuPy: the kernels as functions of C++, called for one thread at a time."""

    float16 = np.float32  # C++ has no type of half the precision

    def __init__(self, folder):
        self._folder = folder

    def __getattr__(self, name):
        return getattr(np, name)

    def RawModule(self, code):  # noqa: N802  # CuPy's name
        source, library = self._folder / "kernels.cpp", self._folder / "kernels.so"
        source.write_text(CPP + code.replace("#include <cuda_fp16.h>\n", ""))
        subprocess.run([COMPILER, "-O1", "-shared", "-fPIC", "-o", library, source], check=True, timeout=600)
        self._library = ctypes.CDLL(str(library))
        return SimpleNamespace(get_function=self._function)

    def _function(self, name):
        function = getattr(self._library, name)
        types = {np.float32: ctypes.c_float, np.int32: ctypes.c_int, np.int64: ctypes.c_longlong}

        def launch(blocks, threads, arguments):
            given = [
                ctypes.c_void_p(one.ctypes.data) if isinstance(one, np.ndarray) else types[type(one)](one)
                for one in arguments
            ]
            assert all(one.flags.c_contiguous for one in arguments if isinstance(one, np.ndarray))
            for block in range(*blocks):
                for thread in range(*threads):
                    self._library.go_to(*map(ctypes.c_longlong, (block, *threads, thread)))
                    function(*given)

        return launch


@pytest.fixture(
    params=[
        pytest.param("cpp", marks=pytest.mark.skipif(COMPILER is None, reason="there is no g++ here")),
        pytest.param("cuda", marks=pytest.mark.skipif(not can_use_cuda(), reason="there is no GPU here")),
    ],
    scope="module",
)
def device(request, tmp_path_factory):
    """The kernels, and functions that copy an array to the device and back."""
    if request.param == "cpp":
        return TrainingKernels(Cpp(tmp_path_factory.mktemp("cpp"))), np.asarray, np.asarray
    cupy = pytest.importorskip("cupy")
    return TrainingKernels(cupy), cupy.asarray, cupy.asnumpy


def test_inputs_are_equal(device):
    cuda, there, back = device
    width = aligned(len(INPUT_BYTES))
    given = [
        there(np.pad(array, (0, width - len(array))).astype(dtype))
        for array, dtype in (
            (INPUT_BYTES, np.int32), (INPUT_THRESHOLDS, np.int32), (INPUT_SCALES, np.float32)
        )
    ]  # fmt: skip
    rows = np.random.default_rng(6).integers(0, 9, (5, FEATURES)).astype(np.uint8)
    found = there(np.ones((5, width), cuda._cp.float16))
    cuda.inputs(there(rows), given, found)
    assert back(found)[:, : len(INPUT_BYTES)] == pytest.approx(inputs_of(rows), abs=1e-3)
    assert not back(found)[:, len(INPUT_BYTES) :].any()


def test_bias_relu_and_its_gradient_are_equal(device):
    cuda, there, back = device
    generator = np.random.default_rng(7)
    sums, biases = generator.standard_normal((11, 24)), generator.standard_normal(24)
    values = there(sums.astype(cuda._cp.float16))
    cuda.bias_relu(values, there(biases.astype(cuda._cp.float16)))
    assert back(values) == pytest.approx(np.maximum(sums + biases, 0), abs=5e-3)
    gradients = there(np.ones((11, 24), cuda._cp.float16))
    cuda.backward_relu(gradients, values)
    assert np.array_equal(back(gradients), back(values) > 0)


def table(rows, seed):
    """Outputs of a network, legal actions, and numbers of players."""
    generator = np.random.default_rng(seed)
    outputs = (3 * generator.standard_normal((rows, OUTPUTS))).astype(np.float32)
    masks = generator.random((rows, NUM_ACTIONS)) < 0.15
    masks[np.arange(rows), generator.integers(0, NUM_ACTIONS, rows)] = True
    players = generator.integers(2, 5, rows)
    return generator, outputs, masks, players


@pytest.mark.parametrize("temperature", [0.0, 0.5, 1.0])
def test_sampled_actions_are_equal(device, temperature):
    cuda, there, back = device
    generator, outputs, masks, _ = table(300, 1)
    noise = generator.random(300, np.float32)
    noise[:2] = 0, np.float32(1) - np.finfo(np.float32).epsneg
    expected = ppo.sample_actions(outputs, masks, noise, temperature)
    found = [back(array) for array in cuda.sample_actions(*map(there, (outputs, masks, noise)), temperature)]
    assert masks[np.arange(300), found[0]].all()
    assert (found[0] == expected[0]).mean() > 0.99  # a sum may be rounded to the other side of the noise
    alike = found[0] == expected[0]
    assert found[1][alike] == pytest.approx(expected[1][alike], abs=1e-4)


def test_actions_are_sampled_by_their_probabilities():
    outputs = np.zeros((20_000, OUTPUTS), np.float32)
    outputs[:, 3] = np.log(3)
    masks = np.zeros((20_000, NUM_ACTIONS), bool)
    masks[:, [3, 9]] = True
    noise = (np.arange(20_000) + 0.5) / 20_000
    actions, log_probs = ppo.sample_actions(outputs, masks, noise, 1.0)
    assert (actions == 3).mean() == pytest.approx(0.75, abs=1e-3)
    assert np.exp(log_probs[actions == 9]) == pytest.approx(0.25)
    sharper, _ = ppo.sample_actions(outputs, masks, noise, 0.5)
    assert (sharper == 3).mean() == pytest.approx(0.9, abs=1e-3)
    assert (ppo.sample_actions(outputs, masks, noise, 0.0)[0] == 3).all()


def test_groups_of_rows_are_sampled_as_rows(device):
    cuda, there, back = device
    generator, outputs, masks, _ = table(12, 2)
    noise = generator.random(12, np.float32)
    rows = back(cuda.sample_actions(*map(there, (outputs, masks, noise)), 1.0)[0])
    shape = (3, 4)
    stacked = outputs.reshape(*shape, -1), masks.reshape(*shape, -1), noise.reshape(shape)
    assert back(cuda.sample_actions(*map(there, stacked), 1.0)[0]).tolist() == rows.reshape(shape).tolist()


def test_values_are_equal(device):
    cuda, there, back = device
    generator, outputs, _, players = table(200, 3)
    seats = generator.integers(0, players)
    found = back(cuda.values_of(*map(there, (outputs, seats, players))))
    assert found == pytest.approx(ppo.values_of(outputs, seats, players), abs=1e-5)
    assert found.sum(axis=1) == pytest.approx(1, abs=1e-5)


def test_loss_gradients_are_equal(device):
    cuda, there, back = device
    generator, outputs, masks, players = table(300, 4)
    seat_masks = np.arange(4)[None, :] < players[:, None]
    win_shares = np.where(seat_masks, generator.random((300, 4)), 0).astype(np.float32)
    actions = np.array([generator.choice(np.flatnonzero(mask)) for mask in masks])
    log_probs = ppo.log_probs_of(outputs, masks)[np.arange(300), actions]
    targets = Targets(
        actions,
        (log_probs + 0.3 * generator.standard_normal(300)).astype(np.float32),
        generator.standard_normal(300).astype(np.float32),
        win_shares,
        generator.random(300) < 0.8,
    )
    coefficients = LossCoefficients(0.05, 0.03, 0.2, 0.7)
    expected, losses = ppo.loss_gradients(outputs, masks, seat_masks, targets, coefficients)
    on_device = Targets(*map(there, targets))
    found, theirs = cuda.loss_gradients(
        *map(there, (outputs, masks, seat_masks)), on_device, coefficients, 0.25
    )
    found = back(found).astype(np.float32)
    assert found.shape == (300, GRADIENT_WIDTH)
    assert found[:, :OUTPUTS] == pytest.approx(0.25 * expected, abs=2e-3)
    assert not found[:, OUTPUTS:].any()
    assert [float(loss) for loss in theirs] == pytest.approx([float(loss) for loss in losses], abs=1e-4)


def test_advantages_are_equal(device):
    cuda, there, back = device
    steps, games = 7, 50
    generator, _, _, players = table(games, 5)
    rollout = Rollout.empty(steps, games, 1, 1, np)
    rollout.seats[:] = generator.integers(0, players, (steps, games))
    rollout.values[:] = generator.random(rollout.values.shape)
    rollout.is_decision[:] = generator.random((steps, games)) < 0.6
    rollout.dones[:] = generator.random((steps, games)) < 0.2
    rollout.outcomes[:] = generator.random(rollout.outcomes.shape) < 0.4
    final_values = generator.random((games, 4, 4)).astype(np.float32)
    expected = ppo.estimate_advantages(rollout, final_values, 0.9)
    on_device = Rollout(**{name: there(array) for name, array in vars(rollout).items()})
    for one, other in zip(
        cuda.estimate_advantages(on_device, there(final_values), 0.9), expected, strict=True
    ):
        assert back(one) == pytest.approx(other, abs=1e-5)


def test_rows_are_aligned_to_sixteen_bytes():
    assert [aligned(width) for width in (1, 8, 68, 932)] == [8, 8, 72, 936]
    assert SOURCE.count("__global__") == 7
