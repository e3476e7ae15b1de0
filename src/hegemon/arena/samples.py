"""Many games at one kind of table, whoever played them: the material of a study."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

import numpy as np

from hegemon.arena.playing import GamePlayed, effect_of
from hegemon.kernels.random_play import Results, Series
from hegemon.kernels.sampling import Sample
from hegemon.notation.rulings import read_rulings
from hegemon.notation.setup import read_variant
from hegemon.rules.actions import ATTACK, CHOICES, COPY
from hegemon.rules.cards import Domain
from hegemon.rules.effects.board import Effect
from hegemon.rules.position import Ending
from hegemon.rules.rulings import PRESETS, SWITCHES

Array = np.ndarray[Any, np.dtype[Any]]

STANDARD: Final = "standard"


@dataclass(frozen=True)
class Kind:
    """A kind of table: everything that is settled before the shuffle."""

    players: int
    variant: str = "basic"
    teams: bool = False
    rulings: str = STANDARD

    @property
    def name(self) -> str:
        """What it is called in a table."""
        people = "teams" if self.teams else f"{self.players} players"
        return f"{people}, {self.variant.capitalize()}"

    def with_variant(self, variant: str) -> "Kind":
        """The same table with another deal."""
        return replace(self, variant=variant)

    def switched(self, switch: str) -> "Kind":
        """The same table with one switch of the rulings the other way."""
        sign = "!" if PRESETS[STANDARD] & SWITCHES[switch] else "+"
        return replace(self, rulings=f"{STANDARD}{sign}{switch}")

    def series(self, games: int, seed: int) -> Series:
        """So many games at such a table."""
        return Series(
            games,
            self.players,
            read_variant(self.variant),
            teams=self.teams,
            rulings=read_rulings(self.rulings),
            seed=seed,
        )


@cache
def marks() -> Array:
    """For every word the effects that it applies, one bit an effect; a copied one is an Inspiration too."""
    made = np.zeros(len(CHOICES), np.uint16)
    for word in range(len(CHOICES)):
        effect = effect_of(word)
        if effect is not None:
            made[word] |= 1 << effect
        if COPY <= word < ATTACK:
            made[word] |= 1 << Effect.INSPIRATION
    return made


@dataclass(frozen=True)
class Games:
    """Many games, as arrays with one entry a game."""

    kind: Kind
    by: str
    """Who played them, on every seat."""
    sample: Sample

    def __len__(self) -> int:
        return len(self.sample)

    @property
    def shares(self) -> Array:
        """What each seat got of the win of each game: all of it, nothing, or its side's part of a shared one."""
        seats = np.arange(self.kind.players, dtype=np.uint8)
        won = (self.sample.results.winners[:, None] >> seats & 1).astype(np.float64)
        together = won.sum(axis=1, keepdims=True) / (2 if self.kind.teams else 1)
        shares: Array = won / together
        return shares

    @property
    def rounds(self) -> Array:
        """How many rounds each game took."""
        return self.sample.results.rounds.astype(np.float64)

    @property
    def decisions(self) -> Array:
        """How many choices were made in each game."""
        return self.sample.results.decisions.astype(np.float64)

    def ended(self, ending: Ending) -> Array:
        """Whether each game ended in that way."""
        ended: Array = (self.sample.results.ending == ending).astype(np.float64)
        return ended

    def hegemonies(self, domain: Domain) -> int:
        """How many games were won by Hegemony in that Domain."""
        return int((self.sample.results.domain == domain).sum())

    def used(self, effect: Effect) -> Array:
        """Whether each seat of each game applied an effect at least once."""
        used: Array = (self.sample.marked[:, : self.kind.players] >> effect & 1).astype(bool)
        return used

    def times(self, effect: Effect) -> float:
        """How often an effect was applied, a game, by all seats together."""
        said = self.sample.said[(marks() >> effect & 1).astype(bool)].sum()
        return float(said / max(1, len(self)))


def played_games(kind: Kind, by: str, played: Sequence[GamePlayed]) -> Games:
    """The games of a tournament in that form, in the order of the deals."""
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
        for word, times in Counter(game.words.split()).items():
            sample.said[CHOICES.index(word)] += times
    return Games(kind, by, sample)
