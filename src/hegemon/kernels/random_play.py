"""Random play: games in which every choice is uniformly random among the legal ones.

A game depends only on the seed of its series and its number. So a series gives the same games, bit for bit,
interpreted, compiled, on any number of cores and on a GPU.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np

from hegemon.kernels.bits import random_action
from hegemon.kernels.compiler import can_compile, compiled, kernel
from hegemon.kernels.dtype import to_records
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import HEGEMONY, MAX_PLAYERS, OVER, Position
from hegemon.rules.rulings import STANDARD, SWITCHES
from hegemon.rules.setup import BASIC, Variant, deal
from hegemon.rules.shuffle import MAX_SEED, next_state, shuffle, stream
from hegemon.rules.victory import hegemony, winners

_ALL_SWITCHES: Final = sum(SWITCHES.values())

# Games are distributed in chunks: many per core, so that all cores finish at about the same time.
_CHUNKS_PER_CORE: Final = 16
_MIN_CHUNK: Final = 64
_MAX_CHUNK: Final = 4096

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Series:
    """A series of games, which have the numbers from `first` on."""

    games: int
    players: int = 2
    variant: int = BASIC
    teams: bool = False
    rulings: int = STANDARD
    seed: int = 0
    first: int = 0

    def __post_init__(self) -> None:
        for wrong, message in (
            (self.games < 0, f"a series has 0 games or more, not {self.games}"),
            (not 2 <= self.players <= MAX_PLAYERS, f"2, 3 or 4 players can play, not {self.players}"),
            (
                self.variant not in tuple(Variant),
                f"the variant is 0 (Basic) or 1 (Draft), not {self.variant}",
            ),
            (self.teams and self.players != 4, f"teams are for 4 players, not {self.players}"),
            (
                not 0 <= self.rulings <= _ALL_SWITCHES,
                f"rulings are from 0 to {_ALL_SWITCHES}, not {self.rulings}",
            ),
            (not 0 <= self.seed <= MAX_SEED, f"a seed is a number from 0 to {MAX_SEED}, not {self.seed}"),
            (
                not 0 <= self.first <= MAX_SEED - self.games,
                f"games are numbered from 0, not from {self.first}",
            ),
        ):
            if wrong:
                raise ValueError(message)

    def empty_position(self) -> Position:
        """The position before the shuffle."""
        return Position(players=self.players, teams=int(self.teams), rulings=self.rulings)


@dataclass(frozen=True, slots=True)
class SeriesResults:
    """The results of a series: arrays with one entry per game."""

    winners: Array
    """The seats that won, one bit per seat."""
    ending: Array
    """An `Ending`."""
    domain: Array
    """The Domain of the Hegemony, or -1."""
    rounds: Array
    turns: Array
    decisions: Array

    @classmethod
    def of(cls, games: int) -> "SeriesResults":
        return cls(
            winners=np.zeros(games, np.uint8),
            ending=np.zeros(games, np.uint8),
            domain=np.zeros(games, np.int8),
            rounds=np.zeros(games, np.uint16),
            turns=np.zeros(games, np.uint16),
            decisions=np.zeros(games, np.uint32),
        )

    def arrays(self) -> tuple[Array, ...]:
        return tuple(getattr(self, field.name) for field in fields(self))

    def __len__(self) -> int:
        return len(self.winners)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SeriesResults):
            return NotImplemented
        return all(map(np.array_equal, self.arrays(), other.arrays()))

    __hash__ = None  # type: ignore[assignment]  # arrays cannot be keys


@kernel
def set_up(position: Position, variant: int, seed: int, number: int) -> int:
    """Shuffle and deal one game of a series; return the random state."""
    state = shuffle(position, stream(seed, number))
    deal(position, variant)
    return state


@kernel
def play_out(position: Position, state: int) -> int:
    """Play randomly to the end of the game; return the number of decisions."""
    decisions = 0
    while position.question != OVER:
        state = next_state(state)
        apply(position, random_action(legal(position), state))
        decisions += 1
    return decisions


@kernel
def write_result(
    position: Position, game: int, winning: Array, ending: Array, domain: Array, rounds: Array, turns: Array
) -> None:
    winning[game] = winners(position)
    ending[game] = position.ending
    domain[game] = hegemony(position, position.seat) if position.ending == HEGEMONY else -1
    rounds[game] = position.round
    # The game ended with the turn of `seat`: the last of a round, except after a Hegemony.
    turns[game] = (position.round - 1) * position.players + position.seat + 1


def play_records(
    empty: Array, table: Array, variant: int, seed: int, first: int, winning: Array, ending: Array,
    domain: Array, rounds: Array, turns: Array, decisions: Array,
) -> None:  # fmt: skip
    """Play games in one record; each starts as a copy of the empty position."""
    position = table[0]
    for game in range(len(winning)):
        table[0] = empty[0]
        state = set_up(position, variant, seed, first + game)
        decisions[game] = play_out(position, state)
        write_result(position, game, winning, ending, domain, rounds, turns)


def _play_chunk(series: Series, results: SeriesResults, begin: int, end: int) -> None:
    """Play the games from `begin` up to `end` of a series in compiled code, and write their results."""
    empty = to_records([series.empty_position()])
    places = (array[begin:end] for array in results.arrays())
    compiled(play_records)(empty, empty.copy(), series.variant, series.seed, series.first + begin, *places)


def play_interpreted(series: Series) -> SeriesResults:
    results = SeriesResults.of(series.games)
    *arrays, decisions = results.arrays()
    for game in range(series.games):
        position = series.empty_position()
        state = set_up(position, series.variant, series.seed, series.first + game)
        decisions[game] = play_out(position, state)
        write_result(position, game, *arrays)
    return results


def play_compiled(series: Series) -> SeriesResults:
    """Play a series in compiled code on one core."""
    results = SeriesResults.of(series.games)
    _play_chunk(series, results, 0, series.games)
    return results


def play_on_cores(series: Series, cores: int | None = None) -> SeriesResults:
    """Play a series in compiled code on several cores; by default, on all available ones."""
    if cores is None:
        cores = available_cores()
    if cores < 1:
        raise ValueError(f"games are played on 1 core or more, not {cores}")
    results = SeriesResults.of(series.games)
    _play_chunk(series, results, 0, 0)  # compile before starting threads
    chunk = min(max(series.games // (cores * _CHUNKS_PER_CORE), _MIN_CHUNK), _MAX_CHUNK)
    with ThreadPoolExecutor(cores) as pool:
        for done in [
            pool.submit(_play_chunk, series, results, begin, min(begin + chunk, series.games))
            for begin in range(0, series.games, chunk)
        ]:
            done.result()
    return results


def available_cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def play_series(series: Series) -> SeriesResults:
    """Play a series as fast as this machine can without a GPU."""
    return play_on_cores(series) if can_compile() else play_interpreted(series)
