"""What is computed row by row while the network plays and learns, with NumPy; `hegemon.learn.cuda` does the same."""

from typing import Any, Final, NamedTuple

import numpy as np

from hegemon.kernels.network import ACTIONS
from hegemon.rules.position import MAX_PLAYERS

# The logit of what is impossible.
_NEVER: Final = -1e9
# A random number below 1 times a sum of odds must stay below that sum, also when it is rounded.
BELOW_ONE: Final = 1 - 1e-6


class Targets(NamedTuple):
    """What a batch of decisions is to learn."""

    actions: Any
    log_odds: Any
    """The logarithm of the probability of each action when it was chosen."""
    advantages: Any
    shares: Any
    """What every seat got out of the game, as far as it is known, counted from the viewer."""
    chosen: Any
    """Whether the row is a decision; the others teach what to expect, and nothing else."""


class Weighting(NamedTuple):
    """What the parts of the loss weigh."""

    entropy: float
    evenness: float = 0.0
    """The weight of the divergence of the odds from an even choice."""
    clip: float = 0.2
    """How far the odds of an action may move before it is left alone."""
    value: float = 1.0


class Losses(NamedTuple):
    """Means over a batch; on a GPU they are still there, so that nothing waits for it."""

    value: Any
    entropy: Any
    clipped: Any
    """The part of the decisions that have moved as far as they may."""


class Returns(NamedTuple):
    """What decisions led to."""

    advantages: Any
    """What the decision gained its seat, beyond what that had expected: steps by games."""
    expected: Any
    """What every seat should have been expected to get, from the First Player: steps by games by seats."""
    first_expected: Any
    """The same for every viewer before the first step: games by viewers by seats."""


def log_softmax(logits: Any) -> Any:
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def log_odds_of(outputs: Any, masks: Any) -> Any:
    """The logarithm of the probability of every action."""
    return log_softmax(np.where(masks, outputs[..., :ACTIONS], _NEVER))


def shares_of(outputs: Any, present: Any) -> Any:
    """What every seat may expect of the game, counted from the viewer; `present` are the seats of the table."""
    return np.exp(log_softmax(np.where(present, outputs[..., ACTIONS:], _NEVER)))


def choose(outputs: Any, masks: Any, noise: Any, temperature: float) -> tuple[Any, Any]:
    """An action a row, and the logarithm of its probability; `noise` is a random number below 1 for each row.

    At temperature 0 it is the likeliest action, at 1 it is drawn by the odds.
    """
    if temperature == 0:
        actions = np.where(masks, outputs[..., :ACTIONS], _NEVER).argmax(axis=-1)
        return actions, np.zeros(actions.shape, outputs.dtype)
    log_odds = log_odds_of(outputs / outputs.dtype.type(temperature), masks)
    sums = np.exp(log_odds).cumsum(axis=-1)
    actions = (sums <= (noise * BELOW_ONE * sums[..., -1])[..., None]).sum(axis=-1)
    return actions, np.take_along_axis(log_odds, actions[..., None], axis=-1)[..., 0]


def turned(vectors: Any, seats: Any, players: Any, xp: Any, *, back: bool) -> Any:
    """Numbers of every seat, counted from the viewer instead of from the First Player, or `back`."""
    place = xp.arange(MAX_PLAYERS)[None, :]
    of = (place - seats[:, None] if back else place + seats[:, None]) % players[:, None]
    return xp.where(place < players[:, None], xp.take_along_axis(vectors, of, axis=1), 0)


def values_of(outputs: Any, seats: Any, players: Any) -> Any:
    """What every seat may expect, as the seats see it, counted from the First Player."""
    present = np.arange(MAX_PLAYERS)[None, :] < players[:, None]
    return turned(shares_of(outputs, present), seats, players, np, back=True)


def slopes(
    outputs: Any, masks: Any, present: Any, targets: Targets, weighting: Weighting
) -> tuple[Any, Losses]:
    """The gradients of the loss by the outputs, row by row, and the means of its parts.

    The entropy hardly resists where an action is already unlikely. The evenness does, so that no action is given up
    before it was understood.
    """
    log_odds = log_odds_of(outputs, masks)
    odds = np.exp(log_odds)
    rows = np.arange(len(odds))
    ratio = np.exp(log_odds[rows, targets.actions] - targets.log_odds)
    advantages = targets.advantages
    outside = np.where(advantages > 0, ratio > 1 + weighting.clip, ratio < 1 - weighting.clip)
    legal_log_odds = np.where(masks, log_odds, 0)
    surprise = -(odds * legal_log_odds).sum(axis=1)
    pull = np.where(outside, 0, advantages * ratio)
    by_logits = odds * (pull[:, None] + weighting.entropy * (legal_log_odds + surprise[:, None]))
    by_logits[rows, targets.actions] -= pull
    by_logits += weighting.evenness * (odds - masks / masks.sum(axis=1, keepdims=True))
    by_logits *= targets.chosen[:, None]
    wrong = shares_of(outputs, present) - targets.shares
    number = targets.chosen.sum()
    losses = Losses(
        (wrong**2).sum(axis=1).mean(),
        (surprise * targets.chosen).sum() / number,
        (outside * targets.chosen).sum() / number,
    )
    return np.concatenate([by_logits, weighting.value * wrong], axis=1), losses


def returns(experience: Any, final: Any, trace: float) -> Returns:
    """The returns of all decisions; `final` is what every viewer expects after the last step.

    A seat learns from its own decisions only: what it expected at one is compared with what it expects at its next,
    or with the end of the game (generalized advantage estimation, without discount).
    """
    later, traces = final.copy(), np.zeros_like(final)
    advantages = np.zeros_like(experience.log_odds)
    expected = np.zeros_like(experience.values)
    rows = np.arange(final.shape[0])
    for step in range(len(experience.seats) - 1, -1, -1):
        done = experience.dones[step][:, None, None]
        later = np.where(done, experience.outcomes[step][:, None, :], later)
        traces = np.where(done, 0, traces)
        seats, values = experience.seats[step], experience.values[step]
        gains = later[rows, seats] - values + trace * traces[rows, seats]
        advantages[step] = gains[rows, seats]
        expected[step] = values + gains
        decided = experience.decided[step][:, None]
        later[rows, seats] = np.where(decided, values, later[rows, seats])
        traces[rows, seats] = np.where(decided, gains, traces[rows, seats])
    return Returns(advantages, expected, later + trace * traces)
