"""The gradients of the network, checked by finite differences of the loss."""

import numpy as np
import pytest

from hegemon.kernels.network import NUM_ACTIONS, Network
from hegemon.kernels.observation import FEATURES
from hegemon.learn.model import Model
from hegemon.learn.ops import CpuOps
from hegemon.learn.ppo import LossCoefficients, Targets, log_probs_of, win_shares_of

ENTROPY, UNIFORM_KL, CLIP = 0.05, 0.03, 0.2


def exact_model():
    """A small network in double precision, so that differences are exact enough."""
    model = Model(Network.random(2, (7, 6, 5)), CpuOps())
    generator = np.random.default_rng(4)
    model.weights = [array.astype(np.float64) for array in model.weights]
    model.weights[-2] = generator.standard_normal(model.weights[-2].shape)
    model._low_precision = model.weights
    return model


def batch(number=6):
    generator = np.random.default_rng(3)
    observations = generator.integers(0, 4, (number, FEATURES)).astype(np.uint8)
    masks = generator.random((number, NUM_ACTIONS)) < 0.2
    masks[:, 0] = True
    seat_masks = np.arange(4)[None, :] < np.array([2, 3, 4, 2, 3, 4])[:, None]
    shares = np.where(seat_masks, generator.random((number, 4)), 0)
    is_decision = np.array([True, True, True, True, False, True])
    advantages = np.array([1.5, -0.5, 2.0, -1.0, 3.0, 0.7])
    actions = np.array([np.flatnonzero(mask)[-1] for mask in masks])
    return (
        observations,
        masks,
        seat_masks,
        actions,
        shares / shares.sum(axis=1, keepdims=True),
        is_decision,
        advantages,
    )


def loss(model, observations, masks, seat_masks, targets):
    """The loss by its definition."""
    outputs = model.forward(observations)[-1].astype(np.float64)
    log_probs = log_probs_of(outputs, masks)
    ratio = np.exp(log_probs[np.arange(len(outputs)), targets.actions] - targets.log_probs)
    surrogate = np.minimum(
        ratio * targets.advantages, np.clip(ratio, 1 - CLIP, 1 + CLIP) * targets.advantages
    )
    probs = np.exp(log_probs)
    entropy = -(probs * np.where(masks, log_probs, 0)).sum(axis=1)
    shares = win_shares_of(outputs, seat_masks)
    value = -(targets.win_shares * np.log(np.where(seat_masks, shares, 1))).sum(axis=1)
    uniform_kl = -np.where(masks, log_probs, 0).sum(axis=1) / masks.sum(axis=1)
    return float(
        ((-surrogate - ENTROPY * entropy + UNIFORM_KL * uniform_kl) * targets.is_decision + value).mean()
    )


def test_gradients_agree_with_finite_differences(monkeypatch):
    model = exact_model()
    monkeypatch.setattr(model.ops, "precision", np.float64, raising=False)
    model.xp = type("Exact", (), {"float32": np.float64, "__getattr__": lambda _, name: getattr(np, name)})()
    observations, masks, seat_masks, actions, shares, is_decision, advantages = batch()
    before = log_probs_of(model.forward(observations)[-1], masks)[np.arange(6), actions]
    # The ratios of some decisions are outside the clip range, on either side.
    drift = np.array([0.1, 0.5, -0.5, -0.1, 0.0, 0.6])
    targets = Targets(actions, before - drift, advantages, shares, is_decision)
    found = {}
    monkeypatch.setattr(model, "_optimize", lambda gradients, *_: found.update(gradients=gradients))
    model.train_step(
        observations,
        masks,
        seat_masks,
        targets,
        LossCoefficients(ENTROPY, UNIFORM_KL, CLIP),
        learning_rate=1.0,
    )
    generator = np.random.default_rng(5)
    for place, array in enumerate(model.weights):
        for _ in range(8):
            index = tuple(generator.integers(0, size) for size in array.shape)
            kept = array[index]
            ends = []
            for change in (-1e-5, 1e-5):
                array[index] = kept + change
                ends.append(loss(model, observations, masks, seat_masks, targets))
            array[index] = kept
            slope = (ends[1] - ends[0]) / 2e-5
            assert found["gradients"][place][index] == pytest.approx(slope, abs=2e-6), (place, index)


def test_a_step_makes_actions_with_an_advantage_more_probable():
    model = Model(Network.random(2, (16, 16, 16)), CpuOps())
    observations, masks, seat_masks, actions, shares, is_decision, _ = batch()
    rows = np.arange(6)
    before = log_probs_of(model.forward(observations)[-1], masks)[rows, actions]
    targets = Targets(actions, before, np.full(6, 1.0, np.float32), shares, is_decision)
    for _ in range(5):
        losses = model.train_step(
            observations, masks, seat_masks, targets, LossCoefficients(0.0), learning_rate=1e-3
        )
    after = log_probs_of(model.forward(observations)[-1], masks)[rows, actions]
    assert (after > before)[is_decision].all()
    assert losses.value_error > 0
    assert losses.entropy > 0


def test_a_model_continues_from_its_state_dict():
    observations, masks, seat_masks, actions, shares, is_decision, advantages = batch()
    models = [Model(Network.random(seed, (8, 8, 8)), CpuOps()) for seed in (1, 2)]
    targets = Targets(actions, np.zeros(6), advantages, shares, is_decision)
    models[0].train_step(observations, masks, seat_masks, targets, LossCoefficients(0.01), learning_rate=1e-3)
    models[1].load_state_dict(models[0].state_dict())
    for model in models:
        model.train_step(observations, masks, seat_masks, targets, LossCoefficients(0.01), learning_rate=1e-3)
    for one, other in zip(*(model.to_network() for model in models), strict=True):
        assert (one == other).all()
