"""Thousands of games side by side, for search and learning: legal masks, choices, observations, rewards.

The loops in this file hold no rule. They are compiled where Numba is here and run as they stand where it is not:
then positions and whole numbers are kept in lists, where otherwise they are kept in arrays.
"""

import operator
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from functools import cache
from itertools import pairwise
from typing import Any, Final

import numpy as np

from hegemon.kernels.bits import count_bits, random_action
from hegemon.kernels.compiler import can_compile, compiled, kernel
from hegemon.kernels.dtype import to_position, to_records
from hegemon.kernels.observation import FEATURES, OBSERVATION, observe
from hegemon.kernels.random_play import set_up
from hegemon.notation.choices import choices_in
from hegemon.notation.rulings import read_rulings
from hegemon.notation.setup import check_players, read_variant
from hegemon.rules.actions import CHOICES
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import OVER, Position
from hegemon.rules.shuffle import MAX_SEED, next_state
from hegemon.rules.victory import winners

Array = np.ndarray[Any, np.dtype[Any]]
Loop = Callable[..., Any]

_CHOICES: Final = len(CHOICES)
_BYTE: Final = 8
_BYTES: Final = _CHOICES // _BYTE

# The eight numbers, 0 or 1, that the bits of a byte stand for: a mask is written in eight steps, not in sixty-four.
_MASKS: Final = np.unpackbits(np.arange(1 << _BYTE, dtype=np.uint8)[:, None], axis=1, bitorder="little").view(
    np.uint64
)[:, 0]


@kernel
def pay(rewards: Any, game: int, position: Position) -> None:
    """Every seat that lost pays 1, and those that won share it evenly."""
    won = winners(position)
    share = position.players / count_bits(won) - 1
    for seat in range(position.players):
        rewards[game, seat] = share if won >> seat & 1 else -1


@kernel
def show(
    position: Position, game: int, sets: Any, masks: Any, seats: Any, observations: Any, words: Any
) -> None:
    """Write down what the asked seat may choose, and what it sees."""
    choices = legal(position)
    sets[game] = choices
    for byte in range(_BYTES):
        masks[game, byte] = _MASKS[choices >> _BYTE * byte & 255]
    seats[game] = position.seat
    observe(observations[game], words[game], position, position.seat)


def step_games(
    begin: int, end: int, tables: Any, empty: Any, variant: int, seed: int, numbers: Any, states: Any,
    sets: Any, masks: Any, seats: Any, observations: Any, words: Any, rewards: Any, dones: Any,
    choices: Any, restart: bool,
) -> None:  # fmt: skip
    """Carry out one choice in each of the games from `begin` up to `end`; a finished one is followed by the next.

    A choice below zero is none: that game is only looked at.
    """
    for game in range(begin, end):
        position = tables[game]
        for seat in range(position.players):
            rewards[game, seat] = 0
        if position.question != OVER and choices[game] >= 0:
            apply(position, choices[game])
            if position.question == OVER:
                pay(rewards, game, position)
        dones[game] = position.question == OVER
        if restart and position.question == OVER:
            tables[game] = empty[0]
            position = tables[game]
            numbers[game] += len(numbers)
            states[game] = set_up(position, variant, seed, numbers[game])
        show(position, game, sets, masks, seats, observations, words)


def first_illegal(choices: Any, sets: Any) -> int:
    """The first game whose choice is not legal there; -1 if all are. In a finished game any choice will do."""
    for game in range(len(sets)):
        word = choices[game]
        if sets[game] != 0 and not (0 <= word < _CHOICES and sets[game] >> word & 1):
            return game
    return -1


def draw_choices(choices: Any, sets: Any, states: Any) -> None:
    """Draw a choice for every game, evenly from the legal ones; 0 where the game is over."""
    for game in range(len(sets)):
        choices[game] = 0
        if sets[game] != 0:
            states[game] = next_state(states[game])
            choices[game] = random_action(sets[game], states[game])


def observe_game(tables: Any, game: int, viewer: int, row: Any, words: Any) -> None:
    """Write down what one seat of one game sees."""
    observe(row, words, tables[game], viewer)


@cache
def _compiled(loop: Loop) -> Loop:
    return compiled(loop)


class Records:
    """The games of a batch as compiled loops keep them: positions in an array of records, numbers in arrays."""

    def __init__(self, empty: Position, games: int) -> None:
        self.empty = to_records([empty])
        self.tables = np.repeat(self.empty, games)
        self.numbers, self.states, self.sets = (np.zeros(games, np.int64) for _ in range(3))

    def loop(self, loop: Loop) -> Loop:
        """The loop as it is to be called."""
        return _compiled(loop)

    def choices(self, given: Array) -> Any:
        """Choices as a loop takes them."""
        return np.ascontiguousarray(given, np.int64)

    def finish(self) -> None:
        """Let every game be over."""
        self.tables["question"] = OVER

    def position(self, game: int) -> Position:
        """The position of a game, for reading."""
        return to_position(self.tables[game])

    def lay(self, positions: Sequence[Position]) -> None:
        """Put a position on every table."""
        self.tables[:] = to_records(positions)

    def copy(self) -> "Records":
        """The same once more."""
        other = copy(self)
        other.tables, other.numbers = self.tables.copy(), self.numbers.copy()
        other.states, other.sets = self.states.copy(), self.sets.copy()
        return other


class Positions:
    """The games of a batch as the interpreter keeps them: positions and numbers in lists."""

    def __init__(self, empty: Position, games: int) -> None:
        self.empty = [empty]
        self.tables = Tables(empty.copy() for _ in range(games))
        self.numbers, self.states, self.sets = ([0] * games for _ in range(3))

    def loop(self, loop: Loop) -> Loop:
        """The loop as it is to be called."""
        return loop

    def choices(self, given: Array) -> Any:
        """Choices as a loop takes them."""
        return given.tolist()

    def finish(self) -> None:
        """Let every game be over."""
        for position in self.tables:
            position.question = OVER

    def position(self, game: int) -> Position:
        """The position of a game, for reading."""
        return self.tables[game].copy()

    def lay(self, positions: Sequence[Position]) -> None:
        """Put a position on every table."""
        for game, position in enumerate(positions):
            self.tables[game] = position

    def copy(self) -> "Positions":
        """The same once more."""
        other = copy(self)
        other.tables = Tables(position.copy() for position in self.tables)
        other.numbers, other.states, other.sets = self.numbers[:], self.states[:], self.sets[:]
        return other


class Tables(list[Position]):
    """A list in which a position that is put in a place is copied, as it is in an array of records."""

    def __setitem__(self, place: Any, position: Any) -> None:
        super().__setitem__(place, position.copy())


class Batch:
    """Games side by side. Every step takes one choice for each of them, from the seat that is asked there.

    Game `i` is dealt by the seed and the number `i`, so a batch can be played again to the card. A game that ends is
    followed in its place by the one whose number is higher by the number of games, unless `auto_restart` is off: then
    it stays as it ended, and what is chosen in it is ignored.

    The arrays are the same ones from step to step, and every step writes them anew: copy what is to be kept.
    """

    masks: Array
    """Which of the sixty-four words the asked seat may choose: bool, games by words; none where the game is over."""
    seats: Array
    """The seat that is asked in each game, from 0."""
    observations: Array
    """What the asked seat sees: bytes, games by features, as `hegemon.kernels.OBSERVATION` lists them."""
    rewards: Array
    """What the last step brought each seat: float32, games by seats. When a game ends, every seat that lost pays 1 and
    those that won share it evenly; otherwise 0."""
    dones: Array
    """Which games ended with the last step; with `auto_restart` off, which are over."""

    def __init__(
        self,
        games: int,
        players: int = 2,
        variant: str = "basic",
        *,
        teams: bool = False,
        rulings: str = "standard",
        seed: int = 0,
        auto_restart: bool = True,
        cores: int = 1,
    ) -> None:
        games, cores = operator.index(games), operator.index(cores)
        if games < 1:
            raise ValueError(f"A batch has one game or more, not {games}.")
        if cores < 1:
            raise ValueError(f"A batch is stepped on one core or more, not {cores}.")
        check_players(players, teams)
        self.games = games
        self.players = players
        self.variant = variant
        self.teams = teams
        self.rulings = rulings
        self.auto_restart = auto_restart
        self.cores = cores
        self._variant = read_variant(variant)
        self._table = Position(players=players, teams=int(teams), rulings=read_rulings(rulings))
        self._kept: Any = (Records if can_compile() else Positions)(self._table, games)
        self.masks = np.zeros((games, _CHOICES), np.bool_)
        self.seats = np.zeros(games, np.uint8)
        self.observations = np.zeros((games, FEATURES), np.uint8)
        self.rewards = np.zeros((games, players), np.float32)
        self.dones = np.zeros(games, np.bool_)
        self._pool = ThreadPoolExecutor(cores) if cores > 1 else None
        self._bind()
        self.reset(seed)

    def reset(self, seed: int | None = None) -> None:
        """Deal all games anew, from game 0 of the series; without a seed, of the same series as before."""
        if seed is not None:
            seed = operator.index(seed)
            if not 0 <= seed <= MAX_SEED:
                raise ValueError(f"A seed is a whole number from 0 to {MAX_SEED}, not {seed}.")
            self.seed = seed
        # A series begins as it goes on: in every place the game before is over, and the next one is dealt.
        self._kept.numbers[:] = range(-self.games, 0)
        self._kept.finish()
        self._step(self._kept.numbers, restart=True)
        self.dones[:] = False

    def step(self, choices: Any) -> None:
        """Carry out one choice in every game, by the numbers of the words.

        All choices are looked at before the first is carried out: if one is not legal, nothing has changed.
        """
        self._step(self._checked(choices), self.auto_restart)

    def _bind(self) -> None:
        """Note what the loop works on: it is the same at every step."""
        kept = self._kept
        self._loop = kept.loop(step_games)
        self._tables = (kept.tables, kept.empty, self._variant)
        self._arrays = (
            *(kept.numbers, kept.states, kept.sets, self.masks.view(np.uint64), self.seats),
            *(self.observations, self.observations.view(np.uint32), self.rewards, self.dones),
        )

    def _step(self, choices: Any, restart: bool) -> None:
        arguments = (*self._tables, self.seed, *self._arrays, choices, restart)
        if self._pool is None:
            self._loop(0, self.games, *arguments)
            return
        self._loop(0, 0, *arguments)  # compile before the cores part
        ends = [self.games * part // self.cores for part in range(self.cores + 1)]
        for part in [self._pool.submit(self._loop, begin, end, *arguments) for begin, end in pairwise(ends)]:
            part.result()

    def _checked(self, choices: Any) -> Any:
        """The choices as the loops take them; or a sentence that says which is wrong, and what would be right."""
        given = np.asarray(choices)
        if given.shape != (self.games,):
            raise ValueError(
                f"A step takes one choice for each of the {self.games} games, an array of the shape "
                f"({self.games},), not {given.shape}."
            )
        if given.dtype.kind not in "iu":
            raise TypeError(f"Choices are whole numbers, the numbers of words, not {given.dtype}.")
        choices = self._kept.choices(given)
        game = self._kept.loop(first_illegal)(choices, self._kept.sets)
        if game >= 0:
            raise ValueError(self._why_not(game, int(given[game])))
        return choices

    def _why_not(self, game: int, word: int) -> str:
        named = f"Choice {word} in game {game}"
        if not 0 <= word < _CHOICES:
            return f"{named} is no word: words are numbered from 0 to {_CHOICES - 1}."
        position = self.position(game)
        may = " ".join(
            f"{open_word} ({CHOICES.index(open_word)})" for open_word in choices_in(legal(position))
        )
        return f"{named}, {CHOICES[word]}, is not legal there: seat {position.seat + 1} may choose {may}."

    def random_choices(self) -> Array:
        """A legal choice for every game, evenly drawn by the luck of the series; 0 where the game is over.

        A batch that is stepped with nothing else plays the games of `hegemon.kernels.play_series`.
        """
        choices = np.zeros(self.games, np.int64)
        self._kept.loop(draw_choices)(choices, self._kept.sets, self._kept.states)
        return choices

    def lay(self, positions: Sequence[Position]) -> None:
        """Lay a position on the table of every game, for search from some moment of a game: imagined ones, say.

        They must be positions of real games, with the players, teams and rulings of this batch.
        """
        if len(positions) != self.games:
            raise ValueError(
                f"A batch of {self.games} games takes {self.games} positions, not {len(positions)}."
            )
        for game, position in enumerate(positions):
            for name in ("players", "teams", "rulings"):
                given, own = getattr(position, name), getattr(self._table, name)
                if given != own:
                    raise ValueError(
                        f"The position for game {game} has {name} {given}, and this batch {own}."
                    )
        self._kept.lay(positions)
        self._step(self._kept.choices(np.full(self.games, -1)), restart=False)

    def copy(self) -> "Batch":
        """Another batch with the same games at the same moment."""
        other = copy(self)
        other._kept = self._kept.copy()
        for name in ("masks", "seats", "observations", "rewards", "dones"):
            setattr(other, name, getattr(self, name).copy())
        other._bind()
        return other

    # ---------------------------------------------------------------- a closer look

    @property
    def numbers(self) -> Array:
        """The number that the game in each place has in the series."""
        return np.array(self._kept.numbers, np.int64)

    def position(self, game: int) -> Position:
        """The whole position of a game, hidden cards included; a copy."""
        return self._kept.position(self._place(game))  # type: ignore[no-any-return]  # what is compiled has no type

    def observation(self, game: int, seat: int) -> Array:
        """What any seat of a game sees, whoever is asked."""
        if not 0 <= seat < self.players:
            raise IndexError(f"Seats are numbered from 0 to {self.players - 1}, not {seat}.")
        row = np.zeros(FEATURES, np.uint8)
        loop = self._kept.loop(observe_game)
        loop(self._kept.tables, self._place(game), seat, row, row.view(np.uint32))
        return row

    def _place(self, game: int) -> int:
        if not 0 <= game < self.games:
            raise IndexError(f"Games are numbered from 0 to {self.games - 1}, not {game}.")
        return game

    def piece(self, name: str) -> Array:
        """One piece of the observations by its name and in its shape: a look into the array, not a copy."""
        for piece in OBSERVATION:
            if piece.name == name:
                numbers = self.observations[:, piece.offset : piece.offset + piece.length]
                return numbers.reshape(self.games, *piece.shape)
        raise KeyError(
            f"{name!r} is no piece of an observation; those are {', '.join(piece.name for piece in OBSERVATION)}"
        )

    def __len__(self) -> int:
        return self.games

    def __repr__(self) -> str:
        return (
            f"Batch({self.games}, {self.players}, {self.variant!r}, teams={self.teams}, rulings={self.rulings!r}, "
            f"seed={self.seed}, auto_restart={self.auto_restart}, cores={self.cores})"
        )
