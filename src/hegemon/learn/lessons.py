"""Experience in batches, as the network learns from it."""

from collections.abc import Iterator
from typing import Any

from hegemon.kernels.network import ACTIONS
from hegemon.kernels.observation import FEATURES
from hegemon.learn.arrays import CpuArrays
from hegemon.learn.formulas import Returns, Targets, turned
from hegemon.learn.rollout import Experience, Seating, leveled
from hegemon.rules.position import MAX_PLAYERS

Lesson = tuple[Any, Any, Any, Targets]


class Lessons:
    """The decisions of the learner, and what each of its seats saw before the first step.

    The decisions teach what to choose and what to expect. The others teach what to expect while another seat is to
    move: the next steps are judged by that, so it must be as right as the rest.
    """

    def __init__(
        self, experience: Experience, found: Returns, before: Any, seating: Seating, arrays: CpuArrays
    ) -> None:
        self._arrays = arrays
        self._xp = xp = arrays.xp
        self._experience = experience
        self._expected = found.expected
        self._advantages = leveled(found.advantages, experience.decided, seating.kinds, xp)
        self._players = seating.players
        self._decisions = xp.flatnonzero(experience.decided.reshape(-1))
        present = xp.arange(MAX_PLAYERS)[None, :] < seating.players[:, None]
        self._viewers = xp.flatnonzero((seating.learner & present).reshape(-1))
        self._before = before.reshape(-1, FEATURES)
        self._first_expected = found.first_expected.reshape(-1, MAX_PLAYERS)

    def batches(self, size: int) -> Iterator[Lesson]:
        """Everything once, in random order, in batches of about that size."""
        xp = self._xp
        number = max(1, round((len(self._decisions) + len(self._viewers)) / size))
        decisions = xp.array_split(xp.random.permutation(self._decisions), number)
        viewers = xp.array_split(xp.random.permutation(self._viewers), number)
        for some, others in zip(decisions, viewers, strict=True):
            yield self._joined(self._of_decisions(some), self._of_viewers(others))

    def _of_decisions(self, places: Any) -> Lesson:
        flat = self._experience
        players = self._players[places % len(self._players)]
        targets = Targets(
            flat.actions.reshape(-1)[places],
            flat.log_odds.reshape(-1)[places],
            self._advantages.reshape(-1)[places],
            self._seen(
                self._expected.reshape(-1, MAX_PLAYERS)[places], flat.seats.reshape(-1)[places], players
            ),
            self._xp.ones(len(places), bool),
        )
        return (
            self._arrays.rows(flat.observations.reshape(-1, FEATURES), places),
            self._arrays.rows(flat.masks.reshape(-1, ACTIONS), places),
            self._present(players),
            targets,
        )

    def _of_viewers(self, places: Any) -> Lesson:
        xp = self._xp
        players, seats = self._players[places // MAX_PLAYERS], places % MAX_PLAYERS
        nothing = xp.zeros(len(places), xp.float32)
        targets = Targets(
            xp.zeros(len(places), xp.int64),
            nothing,
            nothing,
            self._seen(self._first_expected[places], seats, players),
            xp.zeros(len(places), bool),
        )
        masks = xp.ones((len(places), ACTIONS), bool)
        return self._arrays.rows(self._before, places), masks, self._present(players), targets

    def _seen(self, shares: Any, seats: Any, players: Any) -> Any:
        return turned(shares, seats, players, self._xp, back=False)

    def _present(self, players: Any) -> Any:
        return self._xp.arange(MAX_PLAYERS)[None, :] < players[:, None]

    def _joined(self, one: Lesson, other: Lesson) -> Lesson:
        join = self._xp.concatenate
        targets = Targets(*(join(pair) for pair in zip(one[3], other[3], strict=True)))
        return join([one[0], other[0]]), join([one[1], other[1]]), join([one[2], other[2]]), targets
