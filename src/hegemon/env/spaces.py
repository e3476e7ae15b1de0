"""Spaces, seeds and rendering of the environments."""

import operator
from typing import Any

import numpy as np
from gymnasium import spaces

from hegemon.kernels.batch import Batch
from hegemon.kernels.batch_games import Array
from hegemon.kernels.observation import FEATURES, MAX_FEATURE
from hegemon.notation.writing import write_view
from hegemon.rules.actions import CHOICES
from hegemon.rules.shuffle import MAX_SEED
from hegemon.rules.view import view

RENDER_MODES = ["human", "ansi"]

Observation = dict[str, Array]


def observation_space() -> spaces.Dict:
    return spaces.Dict(
        {
            "observation": spaces.Box(0, MAX_FEATURE, (FEATURES,), np.uint8),
            "action_mask": spaces.Box(0, 1, (len(CHOICES),), np.int8),
        }
    )


def action_space() -> spaces.Discrete:
    return spaces.Discrete(len(CHOICES))


def observations_of(batch: Batch) -> Observation:
    """The observations of the seats to move in all games, as new arrays."""
    return {"observation": batch.observations.copy(), "action_mask": batch.masks.view(np.int8).copy()}


def observation_of(batch: Batch) -> Observation:
    """The observation of the seat to move in the first game, as new arrays."""
    return {"observation": batch.observations[0].copy(), "action_mask": batch.masks[0].astype(np.int8)}


def seed_of(seed: Any, generator: np.random.Generator) -> int:
    """The given seed, of any integer type, or the next one of the generator."""
    return int(generator.integers(MAX_SEED)) if seed is None else operator.index(seed)


def check_render_mode(mode: str | None) -> None:
    if mode not in (None, *RENDER_MODES):
        raise ValueError(f"The table is rendered for a human or as ansi text, not as {mode!r}.")


def render_text(batch: Batch) -> str:
    """The view of the seat to move in the first game as a line, and its choices."""
    position = batch.position(0)
    choices = [choice for choice, legal in zip(CHOICES, batch.masks[0], strict=True) if legal]
    return f"{write_view(view(position, position.seat))}\n{' '.join(choices)}\n"
