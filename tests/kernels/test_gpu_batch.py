"""Batches on the GPU: the games of `hegemon.Batch`, on a GPU or, without one, by the same loops interpreted."""

import numpy as np
import pytest
from interpreted_cuda import InterpretedCuda

from hegemon import Batch
from hegemon.kernels import gpu, gpu_batch
from hegemon.kernels.gpu import can_use_cuda
from hegemon.kernels.gpu_batch import ALL_SETUPS, GpuBatch, Setup

ARRAYS = ("masks", "seats", "observations", "dones")

has_gpu = pytest.mark.skipif(not can_use_cuda(), reason="there is no GPU here")


@pytest.fixture(params=["interpreted", pytest.param("cuda", marks=has_gpu)])
def device(request, monkeypatch):
    if request.param == "interpreted":
        cuda = InterpretedCuda()
        for module in (gpu, gpu_batch):
            monkeypatch.setattr(module, "get_cuda", lambda: cuda)
        gpu_batch._cuda_kernels.cache_clear()
        yield
        gpu_batch._cuda_kernels.cache_clear()
    else:
        yield


def on_host(array):
    return np.asarray(array.copy_to_host())


def to_device(actions):
    return gpu_batch.get_cuda().to_device(actions)


def test_every_kind_of_table_in_one_batch_plays_the_games_of_the_cpu(device, untraced):
    games, seed = len(ALL_SETUPS), 2**40 + 7
    batch = GpuBatch(games, seed=seed)
    on_cpu = [
        Batch(games, setup.players, setup.variant, teams=setup.teams, seed=seed) for setup in ALL_SETUPS
    ]
    kinds = np.arange(games) * len(ALL_SETUPS) // games
    ended = 0
    for _ in range(240):
        for kind, cpu in enumerate(on_cpu):
            rows = kinds == kind
            for name in ARRAYS:
                assert np.array_equal(on_host(getattr(batch, name))[rows], getattr(cpu, name)[rows])
            assert np.array_equal(on_host(batch.rewards)[rows, : cpu.players], cpu.rewards[rows])
            assert not on_host(batch.rewards)[rows, cpu.players :].any()
        ended += on_host(batch.dones).sum()
        batch.step(batch.random_actions())
        for cpu in on_cpu:
            cpu.step(cpu.random_actions())
    assert ended > 0
    batch.check()
    for game in range(games):
        assert batch.position(game) == on_cpu[kinds[game]].position(game)


def test_every_seat_is_observed(device):
    batch = GpuBatch(4, [Setup(2), Setup(4, "draft")], seed=3)
    two, four = Batch(4, 2, seed=3), Batch(4, 4, "draft", seed=3)
    rows = on_host(batch.observe_seats())
    for game in range(4):
        cpu = (two, four)[game // 2]
        for seat in range(4):
            expected = cpu.observation(game, seat) if seat < cpu.players else 0
            assert np.array_equal(rows[game, seat], np.broadcast_to(expected, rows[game, seat].shape))
    assert batch.observe_seats() is batch.observe_seats()


def test_the_heuristic_policy_plays_the_games_of_the_cpu(device, untraced):
    batch, cpu = GpuBatch(4, [Setup(3)], seed=3), Batch(4, 3, seed=3)
    for _ in range(40):
        actions = cpu.heuristic_actions()
        assert np.array_equal(on_host(batch.heuristic_actions()), actions)
        batch.step(to_device(actions))
        cpu.step(actions)


def test_heuristic_actions_of_some_games_do_not_affect_the_others(device):
    batch, cpu = GpuBatch(4, [Setup(3)], seed=3), Batch(4, 3, seed=3)
    batch.heuristic_actions(to_device(np.array([], np.int64)))
    some = on_host(batch.heuristic_actions(to_device(np.array([1, 3]))))
    assert some[[1, 3]].tolist() == cpu.heuristic_actions()[[1, 3]].tolist()
    everywhere = GpuBatch(4, [Setup(3)], seed=3)
    assert some[[1, 3]].tolist() == on_host(everywhere.heuristic_actions())[[1, 3]].tolist()
    assert on_host(batch._states)[[0, 2]].tolist() != on_host(everywhere._states)[[0, 2]].tolist()


def test_a_reset_deals_the_same_games_again(device):
    batch = GpuBatch(8, seed=5)
    before = on_host(batch.observations).copy()
    for _ in range(5):
        batch.step(batch.random_actions())
    assert not np.array_equal(on_host(batch.observations), before)
    batch.reset()
    assert np.array_equal(on_host(batch.observations), before)
    assert not on_host(batch.dones).any()
    batch.reset(6)
    assert repr(batch).endswith("seed=6)")
    assert not np.array_equal(on_host(batch.observations), before)


@pytest.mark.parametrize("action", [64, 1000])
def test_an_illegal_action_is_reported_and_not_applied(device, action):
    batch = GpuBatch(4, [Setup()])
    before = batch.position(2)
    actions = on_host(batch.random_actions()).copy()
    actions[2] = action
    batch.step(to_device(actions))
    with pytest.raises(ValueError, match="game 2 was illegal"):
        batch.check()
    batch.check()
    assert batch.position(2) == before
    assert len(batch) == 4


def test_wrong_arguments_are_explained(device):
    for arguments, match in (
        ((0,), "one game or more"),
        ((4, []), "one setup"),
        ((4, [Setup(5)]), "not 5"),
        ((4, [Setup(2, "chess")]), "chess"),
    ):
        with pytest.raises(ValueError, match=match):
            GpuBatch(*arguments)
    with pytest.raises(ValueError, match="seed"):
        GpuBatch(4, seed=-1)
    batch = GpuBatch(4, [Setup()])
    with pytest.raises(ValueError, match="shape"):
        batch.step(to_device(np.zeros(3, np.int64)))
    with pytest.raises(IndexError, match="0 to 3"):
        batch.position(4)


@pytest.mark.skipif(can_use_cuda(), reason="there is a GPU here")
def test_without_a_gpu_the_batch_of_the_cpu_is_named():
    with pytest.raises(RuntimeError, match=r"hegemon\.Batch"):
        GpuBatch(4)
