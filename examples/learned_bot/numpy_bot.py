"""A trained network as a bot, with NumPy alone. `python train.py` trains it and writes the weights."""

from pathlib import Path
from typing import Any

import numpy as np

from hegemon import CHOICES, Memory, View, observation

WEIGHTS = Path(__file__).with_name("weights.npz")


def inputs(rows: Any) -> Any:
    """The input of the network: observations, clipped and scaled."""
    return np.minimum(rows, 16).astype(np.float32) / 4


class NumpyBot:
    """A `Player` that makes the legal choice with the highest logit."""

    def __init__(self, seed: int = 0, weights: Path = WEIGHTS) -> None:
        with np.load(weights) as file:
            self.weights1, self.biases1, self.weights2, self.biases2 = (file[name] for name in file.files)

    def choose(self, view: View, memory: Memory, choices: tuple[str, ...]) -> str:
        row = inputs(observation(view, memory, to_move=True))
        hidden = np.maximum(row @ self.weights1 + self.biases1, 0)
        logits = hidden @ self.weights2 + self.biases2
        return max(choices, key=lambda choice: float(logits[CHOICES.index(choice)]))
