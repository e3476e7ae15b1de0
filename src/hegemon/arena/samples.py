"""Samples: many games of one setup, as arrays."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

import numpy as np

from hegemon.arena.games import GameResult
from hegemon.kernels.random_play import Results, Series
from hegemon.kernels.sampling import Sample
from hegemon.notation.rulings import read_rulings
from hegemon.notation.setup import read_variant
from hegemon.rules.actions import ACTIONS, CHOICES, Effect
from hegemon.rules.cards import Domain
from hegemon.rules.position import Ending
from hegemon.rules.rulings import PRESETS, SWITCHES

Array = np.ndarray[Any, np.dtype[Any]]

STANDARD: Final = "standard"


@dataclass(frozen=True)
class Setup:
    """The parameters of a game other than the shuffle."""

    players: int
    variant: str = "basic"
    teams: bool = False
    rulings: str = STANDARD

    @property
    def name(self) -> str:
        people = "teams" if self.teams else f"{self.players} players"
        return f"{people}, {self.variant.capitalize()}"

    def switched(self, switch: str) -> "Setup":
        """This setup with one switch of the rulings inverted."""
        sign = "!" if PRESETS[STANDARD] & SWITCHES[switch] else "+"
        return replace(self, rulings=f"{STANDARD}{sign}{switch}")

    def series(self, games: int, seed: int) -> Series:
        variant, rulings = read_variant(self.variant), read_rulings(self.rulings)
        return Series(games, self.players, variant, teams=self.teams, rulings=rulings, seed=seed)


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
    """Many games as arrays with one row per game."""

    setup: Setup
    by: str
    """The player of all seats."""
    sample: Sample

    def __len__(self) -> int:
        return len(self.sample)

    @property
    def shares(self) -> Array:
        """Each seat's share of the win of each game; the sides of a shared win have equal shares."""
        seats = np.arange(self.setup.players, dtype=np.uint8)
        winners = (self.sample.results.winners[:, None] >> seats & 1).astype(np.float64)
        winning_sides = winners.sum(axis=1, keepdims=True) / (2 if self.setup.teams else 1)
        shares: Array = winners / winning_sides
        return shares

    @property
    def rounds(self) -> Array:
        return self.sample.results.rounds.astype(np.float64)

    @property
    def decisions(self) -> Array:
        return self.sample.results.decisions.astype(np.float64)

    def ended(self, ending: Ending) -> Array:
        ended: Array = (self.sample.results.ending == ending).astype(np.float64)
        return ended

    def hegemonies(self, domain: Domain) -> int:
        """The number of games won by Hegemony in a Domain."""
        return int((self.sample.results.domain == domain).sum())

    def used(self, effect: Effect) -> Array:
        """Whether each seat of each game applied an effect at least once."""
        used: Array = (self.sample.marked[:, : self.setup.players] >> effect & 1).astype(bool)
        return used

    def times(self, effect: Effect) -> float:
        """Mean uses of an effect in a game, by all seats together."""
        uses = self.sample.counts[(effect_masks() >> effect & 1).astype(bool)].sum()
        return float(uses / max(1, len(self)))


def sample_of_results(setup: Setup, by: str, played: Sequence[GameResult]) -> GameSample:
    """A sample of the games of a tournament, in the order of the deals, without those lost by forfeit."""
    played = [game for game in played if game.forfeit is None]
    results = Results.of(len(played))
    sample = Sample(results, Sample.of(len(played)).marked, np.zeros(len(CHOICES), np.int64))
    for number, game in enumerate(played):
        results.winners[number] = sum(1 << seat for seat, share in enumerate(game.shares) if share)
        results.ending[number] = Ending[game.ending.upper()]
        results.domain[number] = Domain[game.domain.upper()] if game.domain else -1
        results.rounds[number] = game.rounds
        results.decisions[number] = sum(game.decisions)
        for seat, effects in enumerate(game.effects):
            sample.marked[number, seat] = sum(1 << Effect[name.upper()] for name in effects)
        for choice, times in Counter(game.moves.split()).items():
            sample.counts[CHOICES.index(choice)] += times
    return GameSample(setup, by, sample)
