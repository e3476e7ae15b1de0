"""Random play on a GPU, where there is one; otherwise the distribution of games, with a stand-in for CUDA."""

import sys
import types

import numpy as np
import pytest
from interpreted_cuda import InterpretedCuda

from hegemon.kernels import Series, gpu, play_compiled, play_interpreted
from hegemon.kernels.gpu import can_use_cuda, play_on_cuda


@pytest.fixture
def stand_in(monkeypatch):
    cuda = InterpretedCuda()
    monkeypatch.setattr(gpu, "get_cuda", lambda: cuda)
    gpu._kernel.cache_clear()
    yield cuda
    gpu._kernel.cache_clear()


def test_every_game_is_played_once_however_the_games_are_distributed(stand_in):
    series = Series(11, players=3, seed=4, first=9)
    whole = play_interpreted(series)
    for threads, portion in ((4, 100), (32, 100), (2, 5), (3, 11)):
        assert play_on_cuda(series, threads, portion) == whole
    assert stand_in.launches[:2] == [(3, 4, None), (1, 32, None)]
    assert stand_in.launches[2:5] == [(3, 2, None), (3, 2, None), (1, 2, None)]


def test_the_number_of_registers_reaches_the_compiler(stand_in):
    play_on_cuda(Series(1), registers=40)
    assert stand_in.launches == [(1, 128, 40)]


def test_without_a_gpu_the_error_names_an_alternative(monkeypatch):
    monkeypatch.setattr(gpu, "can_use_cuda", lambda: False)
    with pytest.raises(RuntimeError, match="play_on_cores"):
        play_on_cuda(Series(1))


def test_a_broken_driver_counts_as_no_gpu(monkeypatch):
    def broken():
        raise ImportError("no driver")

    monkeypatch.setattr(gpu, "get_cuda", broken)
    assert not can_use_cuda()


def test_the_name_that_numpy_removed_is_restored(monkeypatch):
    monkeypatch.delattr(np, "row_stack", raising=False)
    monkeypatch.setitem(sys.modules, "numba", types.SimpleNamespace(cuda="the door"))
    gpu.get_cuda.cache_clear()
    try:
        assert gpu.get_cuda() == "the door"
        assert np.row_stack is np.vstack
    finally:
        gpu.get_cuda.cache_clear()


@pytest.mark.skipif(not can_use_cuda(), reason="there is no GPU here")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_gpu_plays_the_same_games(players):
    for variant in (0, 1):
        series = Series(2_000, players=players, variant=variant, seed=2**50)
        assert play_on_cuda(series) == play_compiled(series)
