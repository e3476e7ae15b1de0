"""The gradients of the network, checked against differences of its losses."""

import numpy as np
import pytest

from hegemon.kernels.network import ACTIONS, Network
from hegemon.kernels.observation import FEATURES
from hegemon.learn.arrays import CpuArrays
from hegemon.learn.formulas import Targets, Weighting, log_odds_of, shares_of
from hegemon.learn.model import Model

ENTROPY, EVENNESS, CLIP = 0.05, 0.03, 0.2


def exact_model():
    """A small network in double precision, so that differences are exact enough."""
    model = Model(Network.random(2, (7, 6, 5)), CpuArrays())
    generator = np.random.default_rng(4)
    model.weights = [array.astype(np.float64) for array in model.weights]
    model.weights[-2] = generator.standard_normal(model.weights[-2].shape)
    model._rounded = model.weights
    return model


def batch(number=6):
    generator = np.random.default_rng(3)
    observations = generator.integers(0, 4, (number, FEATURES)).astype(np.uint8)
    masks = generator.random((number, ACTIONS)) < 0.2
    masks[:, 0] = True
    present = np.arange(4)[None, :] < np.array([2, 3, 4, 2, 3, 4])[:, None]
    shares = np.where(present, generator.random((number, 4)), 0)
    chosen = np.array([True, True, True, True, False, True])
    advantages = np.array([1.5, -0.5, 2.0, -1.0, 3.0, 0.7])
    actions = np.array([np.flatnonzero(mask)[-1] for mask in masks])
    return (
        observations,
        masks,
        present,
        actions,
        shares / shares.sum(axis=1, keepdims=True),
        chosen,
        advantages,
    )


def loss(model, observations, masks, present, targets):
    """What the gradients are those of, written as the definition says."""
    outputs = model.layers(observations)[-1].astype(np.float64)
    log_odds = log_odds_of(outputs, masks)
    ratio = np.exp(log_odds[np.arange(len(outputs)), targets.actions] - targets.log_odds)
    gain = np.minimum(ratio * targets.advantages, np.clip(ratio, 1 - CLIP, 1 + CLIP) * targets.advantages)
    odds = np.exp(log_odds)
    surprise = -(odds * np.where(masks, log_odds, 0)).sum(axis=1)
    shares = shares_of(outputs, present)
    value = -(targets.shares * np.log(np.where(present, shares, 1))).sum(axis=1)
    uneven = -np.where(masks, log_odds, 0).sum(axis=1) / masks.sum(axis=1)
    return float(((-gain - ENTROPY * surprise + EVENNESS * uneven) * targets.chosen + value).mean())


def test_gradients_are_the_slopes_of_the_loss(monkeypatch):
    model = exact_model()
    monkeypatch.setattr(model.arrays, "precision", np.float64, raising=False)
    model.xp = type("Exact", (), {"float32": np.float64, "__getattr__": lambda _, name: getattr(np, name)})()
    observations, masks, present, actions, shares, chosen, advantages = batch()
    before = log_odds_of(model.layers(observations)[-1], masks)[np.arange(6), actions]
    # Some decisions have moved far, up and down: those are cut off.
    drift = np.array([0.1, 0.5, -0.5, -0.1, 0.0, 0.6])
    targets = Targets(actions, before - drift, advantages, shares, chosen)
    found = {}
    monkeypatch.setattr(model, "_step", lambda gradients, rate, max_norm: found.update(gradients=gradients))
    model.learn(observations, masks, present, targets, Weighting(ENTROPY, EVENNESS, CLIP), rate=1.0)
    generator = np.random.default_rng(5)
    for place, array in enumerate(model.weights):
        for _ in range(8):
            index = tuple(generator.integers(0, size) for size in array.shape)
            kept = array[index]
            ends = []
            for change in (-1e-5, 1e-5):
                array[index] = kept + change
                ends.append(loss(model, observations, masks, present, targets))
            array[index] = kept
            slope = (ends[1] - ends[0]) / 2e-5
            assert found["gradients"][place][index] == pytest.approx(slope, abs=2e-6), (place, index)


def test_a_step_moves_the_odds_towards_what_paid():
    model = Model(Network.random(2, (16, 16, 16)), CpuArrays())
    observations, masks, present, actions, shares, chosen, _ = batch()
    rows = np.arange(6)
    before = log_odds_of(model.layers(observations)[-1], masks)[rows, actions]
    targets = Targets(actions, before, np.full(6, 1.0, np.float32), shares, chosen)
    for _ in range(5):
        losses = model.learn(observations, masks, present, targets, Weighting(0.0), rate=1e-3)
    after = log_odds_of(model.layers(observations)[-1], masks)[rows, actions]
    assert (after > before)[chosen].all()
    assert losses.value > 0
    assert losses.entropy > 0


def test_a_model_continues_from_its_state():
    observations, masks, present, actions, shares, chosen, advantages = batch()
    models = [Model(Network.random(seed, (8, 8, 8)), CpuArrays()) for seed in (1, 2)]
    targets = Targets(actions, np.zeros(6), advantages, shares, chosen)
    models[0].learn(observations, masks, present, targets, Weighting(0.01), rate=1e-3)
    models[1].load_state(models[0].state())
    for model in models:
        model.learn(observations, masks, present, targets, Weighting(0.01), rate=1e-3)
    for one, other in zip(*(model.network() for model in models), strict=True):
        assert (one == other).all()
