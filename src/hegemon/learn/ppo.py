"""Proximal policy optimization in NumPy: action sampling, loss gradients and advantage estimation.

`hegemon.learn.cuda` implements the same functions as CUDA kernels.
"""

from typing import Any, Final, NamedTuple

import numpy as np

from hegemon.kernels.network import NUM_ACTIONS
from hegemon.rules.position import MAX_PLAYERS

# The logit of an illegal action or an absent seat.
_MASKED: Final = -1e9
# A uniform sample below 1, times this factor and a sum of probabilities, stays below that sum despite rounding.
BELOW_ONE: Final = 1 - 1e-6


class Targets(NamedTuple):
    """Training targets, one row per sample."""

    actions: Any
    log_probs: Any
    """The log-probability of each action under the policy that chose it."""
    advantages: Any
    win_shares: Any
    """The value target: the share of the win of each seat, in viewer order."""
    is_decision: Any
    """Whether the row trains the policy; the other rows train only the value head."""


class LossCoefficients(NamedTuple):
    entropy: float
    uniform_kl: float = 0.0
    """The weight of KL(uniform ‖ policy)."""
    clip: float = 0.2
    """The clip range of the probability ratio."""
    value: float = 1.0


class Losses(NamedTuple):
    """Means over a minibatch; arrays on the device, so that reading them is the only synchronization."""

    value_error: Any
    """The squared error of the win shares, summed over the seats."""
    entropy: Any
    clip_fraction: Any
    """The fraction of decisions whose probability ratio is clipped."""


class AdvantageEstimates(NamedTuple):
    advantages: Any
    """The advantage of each action for its seat: steps by games."""
    value_targets: Any
    """The value targets, in seat order: steps by games by seats."""
    initial_value_targets: Any
    """The value targets of each viewer before the first step: games by viewers by seats."""


def log_softmax(logits: Any) -> Any:
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def log_probs_of(outputs: Any, masks: Any) -> Any:
    """The log-probability of every action."""
    return log_softmax(np.where(masks, outputs[..., :NUM_ACTIONS], _MASKED))


def win_shares_of(outputs: Any, seat_masks: Any) -> Any:
    """The expected share of the win of each seat, in viewer order; `seat_masks` marks the seats of the table."""
    return np.exp(log_softmax(np.where(seat_masks, outputs[..., NUM_ACTIONS:], _MASKED)))


def sample_actions(outputs: Any, masks: Any, noise: Any, temperature: float) -> tuple[Any, Any]:
    """Sample one action per row; return the actions and their log-probabilities.

    `noise` holds a uniform sample from [0, 1) for each row. Temperature 0 selects the most probable action.
    """
    if temperature == 0:
        actions = np.where(masks, outputs[..., :NUM_ACTIONS], _MASKED).argmax(axis=-1)
        return actions, np.zeros(actions.shape, outputs.dtype)
    log_probs = log_probs_of(outputs / outputs.dtype.type(temperature), masks)
    sums = np.exp(log_probs).cumsum(axis=-1)
    actions = (sums <= (noise * BELOW_ONE * sums[..., -1])[..., None]).sum(axis=-1)
    return actions, np.take_along_axis(log_probs, actions[..., None], axis=-1)[..., 0]


def to_viewer_order(vectors: Any, viewers: Any, players: Any, xp: Any) -> Any:
    """Rotate one number per seat, from seat order (First Player first) to viewer order (viewer first)."""
    return _rotate(vectors, viewers, players, xp)


def to_seat_order(vectors: Any, viewers: Any, players: Any, xp: Any) -> Any:
    """The inverse of `to_viewer_order`."""
    return _rotate(vectors, -viewers, players, xp)


def _rotate(vectors: Any, offsets: Any, players: Any, xp: Any) -> Any:
    index = xp.arange(MAX_PLAYERS)[None, :]
    source = (index + offsets[:, None]) % players[:, None]
    return xp.where(index < players[:, None], xp.take_along_axis(vectors, source, axis=1), 0)


def values_of(outputs: Any, viewers: Any, players: Any) -> Any:
    """The expected share of the win of each seat, in seat order."""
    seat_masks = np.arange(MAX_PLAYERS)[None, :] < players[:, None]
    return to_seat_order(win_shares_of(outputs, seat_masks), viewers, players, np)


def loss_gradients(
    outputs: Any, masks: Any, seat_masks: Any, targets: Targets, coefficients: LossCoefficients
) -> tuple[Any, Losses]:
    """The gradients of the loss with respect to the outputs, row by row, and the mean losses.

    The entropy bonus has almost no gradient where an action is already improbable. KL(uniform ‖ policy) does have one,
    and keeps the policy from dropping an action too early.
    """
    log_probs = log_probs_of(outputs, masks)
    probs = np.exp(log_probs)
    rows = np.arange(len(probs))
    ratio = np.exp(log_probs[rows, targets.actions] - targets.log_probs)
    advantages = targets.advantages
    clipped = np.where(advantages > 0, ratio > 1 + coefficients.clip, ratio < 1 - coefficients.clip)
    legal_log_probs = np.where(masks, log_probs, 0)
    entropy = -(probs * legal_log_probs).sum(axis=1)
    surrogate = np.where(clipped, 0, advantages * ratio)
    logit_gradients = probs * (
        surrogate[:, None] + coefficients.entropy * (legal_log_probs + entropy[:, None])
    )
    logit_gradients[rows, targets.actions] -= surrogate
    logit_gradients += coefficients.uniform_kl * (probs - masks / masks.sum(axis=1, keepdims=True))
    logit_gradients *= targets.is_decision[:, None]
    # The value loss is the cross-entropy; this is its gradient with respect to the logits.
    differences = win_shares_of(outputs, seat_masks) - targets.win_shares
    decisions = targets.is_decision.sum()
    losses = Losses(
        (differences**2).sum(axis=1).mean(),
        (entropy * targets.is_decision).sum() / decisions,
        (clipped * targets.is_decision).sum() / decisions,
    )
    return np.concatenate([logit_gradients, coefficients.value * differences], axis=1), losses


def estimate_advantages(rollout: Any, final_values: Any, gae_lambda: float) -> AdvantageEstimates:
    """Generalized advantage estimation (GAE) without discount, separately for each seat.

    The successor of a decision is the same seat's next decision, or the end of the game. `final_values` are the values
    that each viewer predicts after the last step.
    """
    next_values, next_gae = final_values.copy(), np.zeros_like(final_values)
    advantages = np.zeros_like(rollout.log_probs)
    value_targets = np.zeros_like(rollout.values)
    games = np.arange(final_values.shape[0])
    for step in range(len(rollout.seats) - 1, -1, -1):
        done = rollout.dones[step][:, None, None]
        next_values = np.where(done, rollout.outcomes[step][:, None, :], next_values)
        next_gae = np.where(done, 0, next_gae)
        seats, values = rollout.seats[step], rollout.values[step]
        gae = next_values[games, seats] - values + gae_lambda * next_gae[games, seats]
        advantages[step] = gae[games, seats]
        value_targets[step] = values + gae
        is_decision = rollout.is_decision[step][:, None]
        next_values[games, seats] = np.where(is_decision, values, next_values[games, seats])
        next_gae[games, seats] = np.where(is_decision, gae, next_gae[games, seats])
    return AdvantageEstimates(advantages, value_targets, next_values + gae_lambda * next_gae)
