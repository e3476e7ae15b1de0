"""Shuffled minibatches of a rollout."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from hegemon.kernels.network import NUM_ACTIONS
from hegemon.kernels.observation import FEATURES
from hegemon.learn.ops import CpuOps
from hegemon.learn.ppo import AdvantageEstimates, Targets, to_viewer_order
from hegemon.learn.rollout import Rollout, RolloutSeating, normalize_advantages
from hegemon.rules.position import MAX_PLAYERS


class Minibatch(NamedTuple):
    observations: Any
    masks: Any
    seat_masks: Any
    targets: Targets


class Minibatches:
    """The learner's decisions, and the observations of all its seats before the first step.

    Decisions train the policy and the value head. The initial observations train the value head on seats that are not
    to move, because their values are the bootstrap values of the next rollout.
    """

    def __init__(
        self, rollout: Rollout, estimates: AdvantageEstimates, initial_observations: Any, seating: RolloutSeating,
        ops: CpuOps,
    ) -> None:  # fmt: skip
        self._ops = ops
        self._xp = xp = ops.xp
        self._rollout = rollout
        self._value_targets = estimates.value_targets
        self._advantages = normalize_advantages(estimates.advantages, rollout.is_decision, seating.setups, xp)
        self._players = seating.players
        self._decisions = xp.flatnonzero(rollout.is_decision.reshape(-1))
        seat_masks = xp.arange(MAX_PLAYERS)[None, :] < seating.players[:, None]
        self._viewers = xp.flatnonzero((seating.learner_seats & seat_masks).reshape(-1))
        self._initial_observations = initial_observations.reshape(-1, FEATURES)
        self._initial_value_targets = estimates.initial_value_targets.reshape(-1, MAX_PLAYERS)

    def shuffled(self, size: int) -> Iterator[Minibatch]:
        """All samples once, in random order, in minibatches of about that size."""
        xp = self._xp
        number = max(1, round((len(self._decisions) + len(self._viewers)) / size))
        decisions = xp.array_split(xp.random.permutation(self._decisions), number)
        viewers = xp.array_split(xp.random.permutation(self._viewers), number)
        for some_decisions, some_viewers in zip(decisions, viewers, strict=True):
            yield self._concatenate(self._of_decisions(some_decisions), self._of_viewers(some_viewers))

    def _of_decisions(self, indices: Any) -> Minibatch:
        rollout = self._rollout
        players = self._players[indices % len(self._players)]
        targets = Targets(
            rollout.actions.reshape(-1)[indices],
            rollout.log_probs.reshape(-1)[indices],
            self._advantages.reshape(-1)[indices],
            to_viewer_order(
                self._value_targets.reshape(-1, MAX_PLAYERS)[indices],
                rollout.seats.reshape(-1)[indices],
                players,
                self._xp,
            ),
            self._xp.ones(len(indices), bool),
        )
        return Minibatch(
            self._ops.take_rows(rollout.observations.reshape(-1, FEATURES), indices),
            self._ops.take_rows(rollout.masks.reshape(-1, NUM_ACTIONS), indices),
            self._seat_masks(players),
            targets,
        )

    def _of_viewers(self, indices: Any) -> Minibatch:
        xp = self._xp
        players, viewers = self._players[indices // MAX_PLAYERS], indices % MAX_PLAYERS
        unused = xp.zeros(len(indices), xp.float32)
        targets = Targets(
            xp.zeros(len(indices), xp.int64),
            unused,
            unused,
            to_viewer_order(self._initial_value_targets[indices], viewers, players, xp),
            xp.zeros(len(indices), bool),
        )
        return Minibatch(
            self._ops.take_rows(self._initial_observations, indices),
            xp.ones((len(indices), NUM_ACTIONS), bool),
            self._seat_masks(players),
            targets,
        )

    def _seat_masks(self, players: Any) -> Any:
        return self._xp.arange(MAX_PLAYERS)[None, :] < players[:, None]

    def _concatenate(self, first: Minibatch, second: Minibatch) -> Minibatch:
        join = self._xp.concatenate
        return Minibatch(
            join([first.observations, second.observations]),
            join([first.masks, second.masks]),
            join([first.seat_masks, second.seat_masks]),
            Targets(*(join(pair) for pair in zip(first.targets, second.targets, strict=True))),
        )
