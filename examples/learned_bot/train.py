"""Train the network of the example to imitate the heuristic policy, in half a minute on one core.

python train.py                      # writes weights.npz beside the bots
hegemon arena --seats numpy_bot:NumpyBot,chance
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy_bot import WEIGHTS, inputs

from hegemon import CHOICES, Batch

HIDDEN = 64
RATE = 2e-3


class Learner:
    """Two layers with an Adam optimizer."""

    def __init__(self, features: int, seed: int) -> None:
        random = np.random.default_rng(seed)
        self.weights: list[Any] = [
            random.normal(0, features**-0.5, (features, HIDDEN)).astype(np.float32),
            np.zeros(HIDDEN, np.float32),
            random.normal(0, HIDDEN**-0.5, (HIDDEN, len(CHOICES))).astype(np.float32),
            np.zeros(len(CHOICES), np.float32),
        ]
        self.means: list[Any] = [np.zeros_like(array) for array in self.weights]
        self.squares: list[Any] = [np.zeros_like(array) for array in self.weights]

    def learn(self, rows: Any, masks: Any, actions: Any, step: int) -> float:
        """Make one step of gradient descent toward the actions; return their mean probability before it."""
        weights1, biases1, weights2, biases2 = self.weights
        features = inputs(rows)
        hidden = np.maximum(features @ weights1 + biases1, 0)
        logits = np.where(masks, hidden @ weights2 + biases2, -1e9)
        probabilities = np.exp(logits - logits.max(axis=1, keepdims=True))
        probabilities /= probabilities.sum(axis=1, keepdims=True)
        chosen = np.arange(len(rows)), actions
        mean_probability = float(probabilities[chosen].mean())
        probabilities[chosen] -= 1
        logit_gradients = probabilities / len(rows)
        hidden_gradients = (logit_gradients @ weights2.T) * (hidden > 0)
        gradients = (
            features.T @ hidden_gradients,
            hidden_gradients.sum(0),
            hidden.T @ logit_gradients,
            logit_gradients.sum(0),
        )
        for array, mean, square, gradient in zip(
            self.weights, self.means, self.squares, gradients, strict=True
        ):
            mean += 0.1 * (gradient - mean)
            square += 0.01 * (gradient**2 - square)
            array -= RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-6)
        return mean_probability


def train(steps: int = 2000, games: int = 64, seed: int = 1, weights: Path = WEIGHTS) -> float:
    """Learn from games of every kind, played by the heuristic policy; return the mean probability of its choices."""
    batches = [
        Batch(games, players, variant, seed=seed) for players in (2, 3, 4) for variant in ("basic", "draft")
    ]
    learner = Learner(batches[0].observations.shape[1], seed)
    mean_probability = 0.0
    for step in range(1, steps + 1):
        batch = batches[step % len(batches)]
        actions = batch.heuristic_actions()
        mean_probability += 0.02 * (
            learner.learn(batch.observations, batch.masks, actions, step) - mean_probability
        )
        batch.step(actions)
    np.savez(weights, *learner.weights)
    return mean_probability


if __name__ == "__main__":
    mean_probability = train(int(sys.argv[1])) if len(sys.argv) > 1 else train()
    print(f"The network chooses as the heuristic policy does with a probability of {mean_probability:.0%}.")
