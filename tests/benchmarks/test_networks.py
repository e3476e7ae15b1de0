"""The benchmark of networks plays whole games, and credits the first policy with its own wins."""

import runpy
from pathlib import Path

import numpy as np
import pytest

from hegemon import Batch

BENCHMARK = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "networks.py"))
match, heuristic = BENCHMARK["match"], BENCHMARK["heuristic"]


def first_legal(batch, games):
    return batch.masks[games].argmax(axis=1)


@pytest.mark.parametrize(("players", "teams"), [(2, False), (3, False), (4, True)])
def test_the_better_policy_wins_in_every_seat(players, teams):
    shares = match(heuristic, first_legal, Batch(12, players, teams=teams, seed=1), teams=teams)
    assert shares.mean() > 0.8
    others = match(first_legal, heuristic, Batch(12, players, teams=teams, seed=1), teams=teams)
    assert others.mean() < 0.2


def test_equal_policies_share_the_wins():
    shares = match(heuristic, heuristic, Batch(60, 3, seed=1))
    assert 0 <= shares.min() <= shares.max() <= 1
    assert shares.mean() == pytest.approx(1 / 3, abs=0.2)


def test_a_network_is_read_with_its_temperature():
    policy = BENCHMARK["read_policy"]("shipped@1", 0)
    batch = Batch(64, 2, seed=1)
    games = np.arange(0, 64, 2)
    actions = policy(batch, games)
    assert batch.masks[games, actions].all()
    assert BENCHMARK["read_policy"]("heuristic", 0) is heuristic
