"""Random play on a GPU, where there is one; where there is none, the sharing out, by a stand-in for CUDA."""

import sys
import types

import numpy as np
import pytest

from hegemon.kernels import Series, gpu, play_compiled, play_interpreted
from hegemon.kernels.gpu import can_use_cuda, play_on_cuda
from hegemon.rules.position import Position


class Table(list):
    """One thread's own record: assigning to it copies the position, as in an array of records."""

    def __setitem__(self, place, empty):
        super().__setitem__(place, empty.copy())


class OnDevice(np.ndarray):
    """An array that stands for one in the memory of a GPU."""

    def copy_to_host(self, place):
        place[:] = self


class Cuda(types.SimpleNamespace):
    """Stands for `numba.cuda`: runs one thread after the other, interpreted."""

    def __init__(self):
        super().__init__(thread=0, launches=[])
        self.local = types.SimpleNamespace(array=lambda length, record: Table([Position()] * length))

    def is_available(self):
        return True

    def grid(self, dimensions):
        return self.thread

    def to_device(self, array):
        return gpu_tables

    def device_array(self, shape, dtype):
        return np.zeros(shape, dtype).view(OnDevice)

    def jit(self, max_registers):
        return lambda function: Launcher(self, function, max_registers)


class Launcher:
    """Stands for a kernel: `kernel[blocks, threads](...)` runs every thread of every block."""

    def __init__(self, cuda, function, registers):
        self.cuda, self.function, self.registers = cuda, function, registers

    def __getitem__(self, shape):
        blocks, threads = shape
        self.cuda.launches.append((blocks, threads, self.registers))

        def launch(*arguments):
            for self.cuda.thread in range(blocks * threads):
                self.function(*arguments)

        return launch


gpu_tables = []


@pytest.fixture
def stand_in(monkeypatch):
    cuda = Cuda()
    monkeypatch.setattr(gpu, "_cuda", lambda: cuda)
    gpu._kernel.cache_clear()
    yield cuda
    gpu._kernel.cache_clear()


def test_every_game_is_played_once_however_it_is_shared_out(stand_in):
    series = Series(11, players=3, seed=4, first=9)
    gpu_tables[:] = [series.empty_position()]
    whole = play_interpreted(series)
    for threads, portion in ((4, 100), (32, 100), (2, 5), (3, 11)):
        assert play_on_cuda(series, threads, portion) == whole
    assert stand_in.launches[:2] == [(3, 4, None), (1, 32, None)]
    assert stand_in.launches[2:5] == [(3, 2, None), (3, 2, None), (1, 2, None)]


def test_the_number_of_registers_reaches_the_compiler(stand_in):
    gpu_tables[:] = [Series(1).empty_position()]
    play_on_cuda(Series(1), registers=40)
    assert stand_in.launches == [(1, 128, 40)]


def test_without_a_gpu_the_way_out_is_named(monkeypatch):
    monkeypatch.setattr(gpu, "can_use_cuda", lambda: False)
    with pytest.raises(RuntimeError, match="play_on_cores"):
        play_on_cuda(Series(1))


def test_a_broken_driver_is_no_gpu(monkeypatch):
    def broken():
        raise ImportError("no driver")

    monkeypatch.setattr(gpu, "_cuda", broken)
    assert not can_use_cuda()


def test_the_name_that_numpy_dropped_is_given_back(monkeypatch):
    monkeypatch.delattr(np, "row_stack", raising=False)
    monkeypatch.setitem(sys.modules, "numba", types.SimpleNamespace(cuda="the door"))
    gpu._cuda.cache_clear()
    try:
        assert gpu._cuda() == "the door"
        assert np.row_stack is np.vstack
    finally:
        gpu._cuda.cache_clear()


@pytest.mark.skipif(not can_use_cuda(), reason="there is no GPU here")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_gpu_plays_the_same_games(players):
    for variant in (0, 1):
        series = Series(2_000, players=players, variant=variant, seed=2**50)
        assert play_on_cuda(series) == play_compiled(series)
