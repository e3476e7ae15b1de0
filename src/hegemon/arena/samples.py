"""Samples: many games of one setup as arrays, played by the learned network in batches."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, Final

import numpy as np

from hegemon.bots.learned import shipped_network
from hegemon.kernels.batch import Batch
from hegemon.kernels.network import outputs_of
from hegemon.kernels.observation import OBSERVATION
from hegemon.notation.record import result_of
from hegemon.rules.actions import ACTIONS, FIRST_DRAFT, Effect
from hegemon.rules.cards import KINDS, Domain
from hegemon.rules.position import DRAFT_PICK, PLAY, Ending
from hegemon.rules.rulings import PRESETS, SWITCHES

Array = np.ndarray[Any, np.dtype[Any]]

STANDARD: Final = "standard"

#: The rivals of the study's policy: the heuristic policy, and the network at temperature 0.
HEURISTIC: Final = "heuristic"
ARGMAX: Final = "argmax"

_RULINGS: Final = next(
    slice(piece.offset, piece.offset + piece.length) for piece in OBSERVATION if piece.name == "rulings"
)
_STANDARD_SWITCHES: Final = [PRESETS[STANDARD] & bit > 0 for bit in SWITCHES.values()]


@dataclass(frozen=True)
class SampleSetup:
    """The parameters of a game other than the shuffle."""

    players: int
    variant: str = "basic"
    teams: bool = False
    rulings: str = STANDARD
    rival: str | None = None
    """The policy of all sides but one; by default the same as that of the first."""

    @property
    def players_label(self) -> str:
        return "teams" if self.teams else f"{self.players} players"

    @property
    def name(self) -> str:
        return f"{self.players_label}, {self.variant.capitalize()}"

    @property
    def sides(self) -> int:
        return 2 if self.teams else self.players

    def switched(self, switch: str) -> "SampleSetup":
        """This setup with one switch of the rulings inverted."""
        sign = "!" if PRESETS[STANDARD] & SWITCHES[switch] else "+"
        return replace(self, rulings=f"{STANDARD}{sign}{switch}")


@cache
def effect_masks() -> Array:
    """For every action the effects it applies, one bit per effect; a copied effect is also an Inspiration."""
    masks = np.zeros(len(ACTIONS), np.uint16)
    for action in ACTIONS:
        if action.effect is not None:
            masks[action.code] |= 1 << action.effect
        if action.copied:
            masks[action.code] |= 1 << Effect.INSPIRATION
    return masks


@dataclass(frozen=True)
class GameSample:
    """Many games as arrays with one row per game, and one column per seat where seats differ."""

    setup: SampleSetup
    won: Array
    own: Array
    """The seats of the study's policy: all of them unless the setup has a rival."""
    ending: Array
    domain: Array
    """The Domain of the Hegemony, or -1."""
    rounds: Array
    decisions: Array
    effects: Array
    """The effects that each seat applied, one bit each."""
    opening: Array
    """The Domain of the first card that each seat played."""
    packet: Array
    """The first packet of each seat, one bit for each of `KINDS`; 0 without a draft."""
    pick: Array
    """The first pick of each seat, as an index in `KINDS`; -1 without a draft."""
    counts: Array
    """The number of times each action was chosen, over all games and seats."""

    @classmethod
    def of(cls, setup: SampleSetup, games: int) -> "GameSample":
        """An empty sample."""
        seats = (games, setup.players)
        own_side = np.arange(setup.players) % setup.sides == np.arange(games)[:, None] % setup.sides
        return cls(
            setup,
            won=np.zeros(seats, np.bool_),
            own=own_side if setup.rival else np.ones(seats, np.bool_),
            ending=np.zeros(games, np.uint8),
            domain=np.full(games, -1),
            rounds=np.zeros(games),
            decisions=np.zeros(games),
            effects=np.zeros(seats, np.uint16),
            opening=np.full(seats, -1),
            packet=np.zeros(seats, np.uint16),
            pick=np.full(seats, -1),
            counts=np.zeros(len(ACTIONS), np.int64),
        )

    @classmethod
    def concatenate(cls, samples: Sequence["GameSample"]) -> "GameSample":
        """Concatenate samples of a setup."""
        arrays = {
            field.name: np.concatenate([getattr(sample, field.name) for sample in samples])
            for field in fields(cls)[1:-1]
        }
        return cls(samples[0].setup, **arrays, counts=np.sum([sample.counts for sample in samples], axis=0))

    def __len__(self) -> int:
        return len(self.rounds)

    @property
    def shares(self) -> Array:
        """Each seat's share of the win of each game; the sides of a shared win have equal shares."""
        winning_sides = self.won.sum(axis=1, keepdims=True) / (self.setup.players / self.setup.sides)
        shares: Array = self.won / winning_sides
        return shares

    def ended(self, ending: Ending) -> Array:
        ended: Array = (self.ending == ending).astype(np.float64)
        return ended

    def hegemonies(self, domain: Domain) -> int:
        """The number of games won by Hegemony in a Domain."""
        return int((self.domain == domain).sum())

    def used(self, effect: Effect) -> Array:
        """Whether each seat of each game applied an effect at least once."""
        used: Array = (self.effects >> effect & 1).astype(bool)
        return used

    def times(self, effect: Effect) -> float:
        """Mean uses of an effect in a game, by all seats together."""
        uses = self.counts[(effect_masks() >> effect & 1).astype(bool)].sum()
        return float(uses / max(1, len(self)))

    def offered(self, card: int) -> Array:
        """Whether a kind of card was in the first packet of each seat."""
        offered: Array = (self.packet >> card & 1).astype(bool)
        return offered


def play_games(setup: SampleSetup, games: int, seed: int) -> GameSample:
    """Play games in a batch; the result depends only on the arguments."""
    batch = Batch(
        games, setup.players, setup.variant, teams=setup.teams, rulings=setup.rulings, seed=seed,
        auto_restart=False,
    )  # fmt: skip
    sample = GameSample.of(setup, games)
    generator = np.random.default_rng(seed)
    while (unfinished := np.flatnonzero(~batch.dones)).size:
        # Sampled for all games, so that the noise in one does not depend on the length of the others.
        noise: Array = generator.gumbel(size=batch.masks.shape)  # type: ignore[assignment]  # an array if a size is given
        actions = choose(batch, setup, sample.own[np.arange(games), batch.seats], noise)
        record_actions(sample, batch, unfinished, actions)
        batch.step(actions)
    record_results(sample, batch)
    return sample


def choose(batch: Batch, setup: SampleSetup, own: Array, noise: Array) -> Array:
    """An action for every game: sampled from the network's policy, or the rival's where the seat is not `own`."""
    actions: Array = batch.masks.argmax(axis=1)
    undecided = batch.masks.sum(axis=1) > 1  # games with more than one legal action
    if setup.rival == HEURISTIC:
        others = np.flatnonzero(undecided & ~own)
        actions[others] = batch.heuristic_actions(others)[others]
        undecided &= own
    if undecided.any():
        rows = batch.observations[undecided]
        # The network was trained with the standard rulings only.
        rows[:, _RULINGS] = _STANDARD_SWITCHES
        logits = outputs_of(shipped_network(), rows)[:, : len(ACTIONS)]
        # The Gumbel-max trick: the argmax of logits plus Gumbel noise is a sample from the policy.
        sums = logits + noise[undecided] * own[undecided, None]
        actions[undecided] = np.where(batch.masks[undecided], sums, -np.inf).argmax(axis=1)
    return actions


def record_actions(sample: GameSample, batch: Batch, unfinished: Array, actions: Array) -> None:
    """Record the actions that are about to be applied in unfinished games."""
    seats, chosen = batch.seats[unfinished], actions[unfinished]
    sample.decisions[unfinished] += 1
    sample.effects[unfinished, seats] |= effect_masks()[chosen]
    np.add.at(sample.counts, chosen, 1)
    questions = batch.piece("question")[unfinished].astype(bool)
    opens = questions[:, PLAY] & (sample.opening[unfinished, seats] < 0)
    domains = np.array([-1 if action.domain is None else action.domain for action in ACTIONS])
    sample.opening[unfinished[opens], seats[opens]] = domains[chosen[opens]]
    picks = questions[:, DRAFT_PICK] & (sample.pick[unfinished, seats] < 0)
    sample.pick[unfinished[picks], seats[picks]] = chosen[picks] - FIRST_DRAFT
    kinds = batch.masks[unfinished[picks], FIRST_DRAFT : FIRST_DRAFT + len(KINDS)]
    sample.packet[unfinished[picks], seats[picks]] = kinds @ (1 << np.arange(len(KINDS)))


def record_results(sample: GameSample, batch: Batch) -> None:
    for game in range(len(sample)):
        end = batch.position(game)
        result = result_of(end)
        assert result is not None  # all games are over
        sample.won[game, list(result.winners)] = True
        sample.ending[game] = result.ending
        sample.domain[game] = -1 if result.domain is None else result.domain
        sample.rounds[game] = end.round
