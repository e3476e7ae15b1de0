"""The same bot with PyTorch: the network is a module with the weights that `train.py` writes."""

from pathlib import Path

import numpy as np
import torch
from numpy_bot import WEIGHTS, inputs

from hegemon import CHOICES, Memory, View, observation


class TorchBot:
    """A `Player` that makes the legal choice with the highest logit."""

    def __init__(self, seed: int = 0, weights: Path = WEIGHTS) -> None:
        with np.load(weights) as file:
            weights1, biases1, weights2, biases2 = (torch.from_numpy(file[name]) for name in file.files)
        first, second = torch.nn.Linear(*weights1.shape), torch.nn.Linear(*weights2.shape)
        first.load_state_dict({"weight": weights1.T, "bias": biases1})
        second.load_state_dict({"weight": weights2.T, "bias": biases2})
        self.network = torch.nn.Sequential(first, torch.nn.ReLU(), second)

    @torch.no_grad()
    def choose(self, view: View, memory: Memory, choices: tuple[str, ...]) -> str:
        row = torch.from_numpy(inputs(observation(view, memory, to_move=True)))
        logits = self.network(row)
        return max(choices, key=lambda choice: float(logits[CHOICES.index(choice)]))
