"""Thousands of games side by side, for search and learning: action masks, observations, rewards."""

import operator
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from itertools import pairwise
from typing import Any, Final

import numpy as np

from hegemon.kernels.batch_games import Array, CompiledGames, InterpretedGames
from hegemon.kernels.batch_loops import (
    choose_actions,
    draw_actions,
    first_illegal,
    observe_all_seats,
    observe_game,
    step_between_turns,
    step_if_legal,
    write_states,
)
from hegemon.kernels.compiler import can_compile
from hegemon.kernels.imagination import Unseen
from hegemon.kernels.knowledge import knowledge_at_root
from hegemon.kernels.observation import FEATURES, OBSERVATION
from hegemon.kernels.opponents import ASKED, LEAVE, Opponent, Seating
from hegemon.kernels.state import STATE_FEATURES
from hegemon.notation.choices import choices_in
from hegemon.notation.rulings import read_rulings
from hegemon.notation.setup import check_players, check_seed, read_variant
from hegemon.rules.actions import CHOICES
from hegemon.rules.engine import legal
from hegemon.rules.position import Position
from hegemon.rules.shuffle import stream

_ACTIONS: Final = len(CHOICES)
_BYTE: Final = 8
_BYTES: Final = _ACTIONS // _BYTE

# What a batch computes from the rest of itself.
_BOUND: Final = ("_pool", "_loop", "_tables", "_arrays", "_between")


class Batch:
    """Games side by side. Every step takes one action for each of them, from the seat to move there.

    Game `i` is dealt by the seed and the number `i`, so a batch can be played again to the card. A game that ends is
    followed in its place by the one whose number is higher by the number of games, unless `auto_restart` is off: then
    it stays as it ended, and actions in it are ignored.

    Every step overwrites the same arrays: copy what is needed later.
    """

    masks: Array
    """The legal actions of the seat to move: bool, games by actions; none where the game is over."""
    seats: Array
    """The seat to move in each game, from 0."""
    observations: Array
    """What the seat to move sees: bytes, games by features, as `hegemon.kernels.OBSERVATION` lists them."""
    rewards: Array
    """What the last step brought each seat: float32, games by seats. When a game ends, every seat that lost pays 1 and
    those that won share it evenly; otherwise 0."""
    dones: Array
    """Which games ended with the last step; with `auto_restart` off, which are over."""
    returns: Array
    """What the last game that ended in each place brought each seat: float32, games by seats; 0 before the first."""
    own_seats: Array
    """With opponents, the seat in each game that they are counted from; it is never theirs."""

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
        opponents: Opponent | Sequence[Opponent] = None,
        own_seats: Sequence[int] | Array | None = None,
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
        self.opponents = opponents
        if opponents is None and own_seats is not None:
            raise ValueError("Own seats need opponents at the others: give opponents, too.")
        self._own_seats = own_seats
        self._seating = None if opponents is None else Seating(games, players, opponents, own_seats)
        self.own_seats = np.zeros(games, np.int64) if self._seating is None else self._seating.own_seats
        self._variant = read_variant(variant)
        self._table = Position(players=players, teams=int(teams), rulings=read_rulings(rulings))
        self._state: Any = (CompiledGames if can_compile() else InterpretedGames)(self._table, games)
        self.masks = np.zeros((games, _ACTIONS), np.bool_)
        self.seats = np.zeros(games, np.uint8)
        self.observations = np.zeros((games, FEATURES), np.uint8)
        self.rewards = np.zeros((games, players), np.float32)
        self.dones = np.zeros(games, np.bool_)
        self.returns = np.zeros((games, players), np.float32)
        self._bind()
        self.reset(seed)

    def reset(self, seed: int | None = None) -> None:
        """Deal all games again, from game 0 of the series; without a seed, of the same series as before."""
        if seed is not None:
            seed = operator.index(seed)
            check_seed(seed)
            self.seed = seed
        # A series begins as it goes on: in every place the game before is over, and the next one is dealt.
        self._state.numbers[:] = range(-self.games, 0)
        self._state.finish()
        self._step(self._state.actions(np.full(self.games, -1)), restart=True)
        self.dones[:] = False
        self.returns[:] = 0

    def step(self, actions: Any) -> None:
        """Apply one action in every game; if one of them is not legal, none is applied."""
        given = self._whole_numbers(actions, self.games)
        actions = self._state.actions(given)
        if self._seating is None and self._pool is None:
            # One call into compiled code checks and steps.
            illegal = self._run(actions, self.auto_restart, True)
            if illegal >= 0:
                raise ValueError(self._why_not(illegal, int(given[illegal])))
        else:
            self._expect_legal(actions, given)
            self._step(actions, self.auto_restart)
        if not self.auto_restart:
            self.returns += self.rewards  # 0 in games that were over before
        elif self.dones.any():
            np.copyto(self.returns, self.rewards, where=self.dones[:, None])

    def _bind(self) -> None:
        """Collect the arguments that are the same at every step."""
        state, seating = self._state, self._seating
        self._pool = ThreadPoolExecutor(self.cores) if self.cores > 1 else None
        self._loop = state.loop(step_if_legal if seating is None else step_between_turns)
        self._tables = (state.tables, state.empty, self._variant)
        self._arrays = (
            *(state.numbers, state.states, state.known, state.sets, self.masks.view(np.uint64), self.seats),
            *(self.observations, self.observations.view(np.uint32), self.rewards, self.dones),
        )
        self._between: tuple[Any, ...] = ()
        if seating is not None:
            self._between = (seating.codes, np.zeros_like(self.rewards), np.zeros_like(self.dones))

    def _step(self, actions: Any, restart: bool) -> None:
        if self._seating is None:
            self._run(actions, restart, False)
            return
        self._run(copy(actions), restart, *self._between, True)
        while (codes := self._waiting(self._seating)).any():
            self._run(self._answers(self._seating, codes), restart, *self._between, False)

    def _run(self, actions: Any, restart: bool, *rest: Any) -> Any:
        arguments = (*self._tables, self.seed, *self._arrays, actions, restart, *rest)
        if self._pool is None:
            return self._loop(0, self.games, *arguments)
        self._loop(0, 0, *arguments)  # compile before the cores part
        ends = [self.games * part // self.cores for part in range(self.cores + 1)]
        for part in [self._pool.submit(self._loop, begin, end, *arguments) for begin, end in pairwise(ends)]:
            part.result()
        return -1

    def _waiting(self, seating: Seating) -> Array:
        """The number of the function whose choice each game waits for, from 1; 0 if it waits for none."""
        codes = seating.codes[np.arange(self.games), self.seats] - ASKED + 1
        return np.where(self.masks.any(axis=1), np.maximum(codes, 0), 0)

    def _answers(self, seating: Seating, codes: Array) -> Any:
        """What the functions choose in the games that wait for them."""
        actions = np.full(self.games, LEAVE)
        for number, function in enumerate(seating.functions, 1):
            games = np.flatnonzero(codes == number)
            if len(games):
                actions[games] = self._whole_numbers(
                    function(self.observations[games], self.masks[games]), len(games)
                )
        waiting = np.where(codes > 0, actions, np.argmax(self.masks, axis=1))
        self._expect_legal(self._state.actions(waiting), waiting)
        return self._state.actions(actions)

    def _whole_numbers(self, actions: Any, games: int) -> Array:
        given = np.asarray(actions)
        if given.shape != (games,):
            raise ValueError(
                f"A step takes one action for each of the {games} games, an array of the shape "
                f"({games},), not {given.shape}."
            )
        if given.dtype.kind not in "iu":
            raise TypeError(f"Actions are whole numbers, not {given.dtype}.")
        return given

    def _expect_legal(self, actions: Any, given: Array) -> None:
        game = self._state.loop(first_illegal)(actions, self._state.sets)
        if game >= 0:
            raise ValueError(self._why_not(game, int(given[game])))

    def _why_not(self, game: int, action: int) -> str:
        named = f"Action {action} in game {game}"
        if not 0 <= action < _ACTIONS:
            return f"{named} does not exist: actions are numbered from 0 to {_ACTIONS - 1}."
        position = self.position(game)
        may = " ".join(f"{choice} ({CHOICES.index(choice)})" for choice in choices_in(legal(position)))
        return f"{named}, {CHOICES[action]}, is not legal there: seat {position.seat + 1} may choose {may}."

    def random_actions(self) -> Array:
        """A legal action for every game, drawn evenly by the generator of the series; 0 where the game is over.

        A batch that is stepped with nothing else plays the games of `hegemon.kernels.play_series`.
        """
        actions = np.zeros(self.games, np.int64)
        self._state.loop(draw_actions)(actions, self._state.sets, self._state.states)
        return actions

    def heuristic_actions(self, games: Any = None) -> Array:
        """A legal action for every game, by the policy that searches play games out with; 0 where the game is over.

        With the numbers of some games, those alone have an action, and the others 0.
        """
        actions = np.zeros(self.games, np.int64)
        state = self._state
        chosen = np.arange(self.games) if games is None else np.asarray(games, np.int64)
        state.loop(choose_actions)(chosen, actions, state.tables, state.sets, state.states)
        return actions

    def observe_seats(self, out: Array | None = None) -> Array:
        """What every seat sees, as a new array or in a given one: games by seats by features."""
        rows = np.zeros((self.games, self.players, FEATURES), np.uint8) if out is None else out
        self._state.loop(observe_all_seats)(self._state.tables, self._state.known, rows, rows.view(np.uint32))
        return rows

    def states(self) -> Array:
        """Full-state rows, as a new array: the observations of the seats to move, and then all hidden cards.

        `hegemon.kernels.STATE` lists their pieces.
        """
        rows = np.zeros((self.games, STATE_FEATURES), np.uint8)
        rows[:, :FEATURES] = self.observations
        self._state.loop(write_states)(self._state.tables, rows, rows.view(np.uint32))
        return rows

    def load(self, positions: Sequence[Position]) -> None:
        """Continue every game from a position, for example an imagined one; its seats remember nothing.

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
        self._state.load(positions)
        self._step(self._state.actions(np.full(self.games, -1)), restart=False)

    def imagine(self, certain: Position, unseen: Unseen, viewer: int) -> None:
        """Deal what is unseen into every game, from a position that holds what is certain for the viewer.

        The viewer goes on with its memory; the other seats remember nothing.
        """
        self._state.known[:] = knowledge_at_root(certain, unseen, viewer) * self.games
        self._state.deal(certain, unseen, stream(self.seed, 0))
        self._step(self._state.actions(np.full(self.games, -1)), restart=False)

    def copy(self) -> "Batch":
        other = copy(self)
        other._state = self._state.copy()
        for name in ("masks", "seats", "observations", "rewards", "dones", "returns"):
            setattr(other, name, getattr(self, name).copy())
        other._bind()
        return other

    def write_to(self, **arrays: Array) -> None:
        """Use the given arrays, by name, instead of those of the batch, for example parts of larger ones."""
        for name, array in arrays.items():
            array[...] = getattr(self, name)
            setattr(self, name, array)
        self._bind()

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what is bound to this object: compiled code, threads and views of its arrays."""
        return {name: value for name, value in vars(self).items() if name not in _BOUND}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._bind()

    @property
    def numbers(self) -> Array:
        """The number that the game in each place has in the series."""
        return np.array(self._state.numbers, np.int64)

    def position(self, game: int) -> Position:
        """A copy of the whole position of a game, hidden cards included."""
        return self._state.position(self._place(game))  # type: ignore[no-any-return]  # what is compiled has no type

    def observation(self, game: int, seat: int) -> Array:
        if not 0 <= seat < self.players:
            raise IndexError(f"Seats are numbered from 0 to {self.players - 1}, not {seat}.")
        row = np.zeros(FEATURES, np.uint8)
        loop = self._state.loop(observe_game)
        loop(self._state.tables, self._state.known, self._place(game), seat, row, row.view(np.uint32))
        return row

    def _place(self, game: int) -> int:
        if not 0 <= game < self.games:
            raise IndexError(f"Games are numbered from 0 to {self.games - 1}, not {game}.")
        return game

    def piece(self, name: str) -> Array:
        """One piece of the observations by its name and in its shape; a view of the array, not a copy."""
        for piece in OBSERVATION:
            if piece.name == name:
                numbers = self.observations[:, piece.offset : piece.offset + piece.length]
                return numbers.reshape(self.games, *piece.shape)
        raise KeyError(
            f"an observation has no piece {name!r}, but {', '.join(piece.name for piece in OBSERVATION)}"
        )

    def __len__(self) -> int:
        return self.games

    def __repr__(self) -> str:
        return (
            f"Batch({self.games}, {self.players}, {self.variant!r}, teams={self.teams}, rulings={self.rulings!r}, "
            f"seed={self.seed}, auto_restart={self.auto_restart}, cores={self.cores}"
            + ("" if self.opponents is None else f", opponents={self.opponents!r}")
            + ("" if self._own_seats is None else f", own_seats={self.own_seats.tolist()}")
            + ")"
        )
