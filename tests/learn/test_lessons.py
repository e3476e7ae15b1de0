"""Experience in batches."""

import numpy as np
import pytest

from hegemon.kernels.gpu_batch import Setup
from hegemon.kernels.network import ACTIONS
from hegemon.kernels.observation import FEATURES
from hegemon.learn.arrays import CpuArrays
from hegemon.learn.formulas import Returns
from hegemon.learn.lessons import Lessons
from hegemon.learn.rollout import Experience, Seating

STEPS, GAMES = 3, 16


def lessons():
    seating = Seating.of(GAMES, (Setup(3),), 2, np)
    made = Experience.empty(STEPS, GAMES, FEATURES, ACTIONS, np)
    made.observations[..., 0] = 1
    made.decided[:2] = True
    made.seats[:] = 1
    expected = np.zeros((STEPS, GAMES, 4), np.float32)
    expected[...] = 0.2, 0.5, 0.3, 0
    first = np.zeros((GAMES, 4, 4), np.float32)
    first[:, :3] = 0.6, 0.3, 0.1, 0
    found = Returns(np.ones((STEPS, GAMES), np.float32), expected, first)
    before = np.zeros((GAMES, 4, FEATURES), np.uint8)
    before[:, :, 0] = np.arange(4) + 10
    return Lessons(made, found, before, seating, CpuArrays()), seating


def test_every_decision_and_every_view_before_them_is_learned_once():
    all_lessons, seating = lessons()
    rows = [(row[0][:, 0], row[3]) for row in all_lessons.batches(20)]
    chosen = np.concatenate([targets.chosen for _, targets in rows])
    numbers = np.concatenate([first for first, _ in rows])
    assert len(rows) > 1
    assert chosen.sum() == 2 * GAMES
    assert (~chosen).sum() == seating.learner[:, :3].sum()
    assert (numbers[chosen] == 1).all()
    assert set(numbers[~chosen]) == {10, 11, 12}


def test_what_to_expect_is_counted_from_the_viewer():
    all_lessons, _ = lessons()
    for observations, _, present, targets in all_lessons.batches(20):
        assert present.tolist() == [[True, True, True, False]] * len(present)
        for row, shares, chosen in zip(observations[:, 0], targets.shares, targets.chosen, strict=True):
            if chosen:
                assert shares == pytest.approx([0.5, 0.3, 0.2, 0])
            else:
                seen = [0.6, 0.3, 0.1]
                viewer = row - 10
                assert shares == pytest.approx([*seen[viewer:], *seen[:viewer], 0])
