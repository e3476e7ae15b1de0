"""Minibatches of a rollout."""

import numpy as np
import pytest

from hegemon.kernels.gpu_batch import Setup
from hegemon.kernels.network import NUM_ACTIONS
from hegemon.kernels.observation import FEATURES
from hegemon.learn.minibatches import Minibatches
from hegemon.learn.ops import CpuOps
from hegemon.learn.ppo import AdvantageEstimates
from hegemon.learn.rollout import Rollout, RolloutSeating

STEPS, GAMES = 3, 16


def minibatches():
    seating = RolloutSeating.of(GAMES, (Setup(3),), 2, np)
    rollout = Rollout.empty(STEPS, GAMES, FEATURES, NUM_ACTIONS, np)
    rollout.observations[..., 0] = 1
    rollout.is_decision[:2] = True
    rollout.seats[:] = 1
    value_targets = np.zeros((STEPS, GAMES, 4), np.float32)
    value_targets[...] = 0.2, 0.5, 0.3, 0
    initial_targets = np.zeros((GAMES, 4, 4), np.float32)
    initial_targets[:, :3] = 0.6, 0.3, 0.1, 0
    estimates = AdvantageEstimates(np.ones((STEPS, GAMES), np.float32), value_targets, initial_targets)
    initial_observations = np.zeros((GAMES, 4, FEATURES), np.uint8)
    initial_observations[:, :, 0] = np.arange(4) + 10
    return Minibatches(rollout, estimates, initial_observations, seating, CpuOps()), seating


def test_every_decision_and_every_initial_observation_is_in_one_minibatch():
    batches, seating = minibatches()
    rows = [(row[0][:, 0], row[3]) for row in batches.shuffled(20)]
    is_decision = np.concatenate([targets.is_decision for _, targets in rows])
    numbers = np.concatenate([first for first, _ in rows])
    assert len(rows) > 1
    assert is_decision.sum() == 2 * GAMES
    assert (~is_decision).sum() == seating.learner_seats[:, :3].sum()
    assert (numbers[is_decision] == 1).all()
    assert set(numbers[~is_decision]) == {10, 11, 12}


def test_value_targets_are_in_viewer_order():
    batches, _ = minibatches()
    for observations, _, seat_masks, targets in batches.shuffled(20):
        assert seat_masks.tolist() == [[True, True, True, False]] * len(seat_masks)
        for row, win_shares, is_decision in zip(
            observations[:, 0], targets.win_shares, targets.is_decision, strict=True
        ):
            if is_decision:
                assert win_shares == pytest.approx([0.5, 0.3, 0.2, 0])
            else:
                seen = [0.6, 0.3, 0.1]
                viewer = row - 10
                assert win_shares == pytest.approx([*seen[viewer:], *seen[:viewer], 0])
