"""Thousands of games in parallel, for search and learning: action masks, observations, rewards."""

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
from hegemon.kernels.determinization import Unseen
from hegemon.kernels.knowledge import knowledge_at_root
from hegemon.kernels.observation import FEATURES, OBSERVATION
from hegemon.kernels.opponents import FUNCTION, SKIP, Opponent, Seating
from hegemon.kernels.state import STATE_FEATURES
from hegemon.notation.choices import choices_in
from hegemon.notation.rulings import read_rulings
from hegemon.notation.setup import check_players, check_seed, read_variant
from hegemon.rules.actions import CHOICES
from hegemon.rules.engine import legal
from hegemon.rules.position import Position
from hegemon.rules.shuffle import stream

_ACTIONS: Final = len(CHOICES)

# Attributes that are computed from the others.
_BOUND: Final = ("_pool", "_loop", "_tables", "_arrays", "_between")


class Batch:
    """Parallel games. A step applies one action in each of them, for the seat to move there.

    The deal of a game depends only on the seed and its number in the series, so a batch can be reproduced exactly. When
    game `i` ends, game `i + games` takes its place, unless `auto_restart` is off: then it stays in its final position,
    and actions in it are ignored.

    Every step overwrites the same arrays: copy what is needed later.
    """

    masks: Array
    """The legal actions of the seat to move: bool, games by actions; all False where the game is over."""
    seats: Array
    """The seat to move in each game, from 0."""
    observations: Array
    """The observation of the seat to move: uint8, games by features, in the layout of `hegemon.kernels.OBSERVATION`."""
    rewards: Array
    """The rewards of the last step: float32, games by seats. When a game ends, each loser gets -1, and the winners
    share what the losers pay equally; otherwise 0."""
    dones: Array
    """The games that ended with the last step; with `auto_restart` off, those that are over."""
    returns: Array
    """The returns of the last finished game in each place: float32, games by seats; 0 before the first."""
    own_seats: Array
    """With opponents, the caller's seat in each game; the opponents are listed clockwise from it."""

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
        """Restart from game 0 of the series; without a seed, of the same series as before."""
        if seed is not None:
            seed = operator.index(seed)
            check_seed(seed)
            self.seed = seed
        # Start as if the previous game were over in every place, so that the next one is dealt.
        self._state.numbers[:] = range(-self.games, 0)
        self._state.finish()
        self._step(self._state.actions(np.full(self.games, -1)), restart=True)
        self.dones[:] = False
        self.returns[:] = 0

    def step(self, actions: Any) -> None:
        """Apply one action in every game; if one of them is illegal, none is applied."""
        given = self._checked_integers(actions, self.games)
        actions = self._state.actions(given)
        if self._seating is None and self._pool is None:
            # A single call into compiled code checks the actions and steps.
            illegal = self._run(actions, self.auto_restart, True)
            if illegal >= 0:
                raise ValueError(self._illegal_message(illegal, int(given[illegal])))
        else:
            self._check_legal(actions, given)
            self._step(actions, self.auto_restart)
        if not self.auto_restart:
            self.returns += self.rewards  # 0 in games that were already over
        elif self.dones.any():
            np.copyto(self.returns, self.rewards, where=self.dones[:, None])

    def _bind(self) -> None:
        """Collect the arguments that are the same in every step."""
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
        self._loop(0, 0, *arguments)  # compile before starting threads
        ends = [self.games * part // self.cores for part in range(self.cores + 1)]
        for part in [self._pool.submit(self._loop, begin, end, *arguments) for begin, end in pairwise(ends)]:
            part.result()
        return -1

    def _waiting(self, seating: Seating) -> Array:
        """The number of the function that is to move in each game, from 1; 0 if none is."""
        codes = seating.codes[np.arange(self.games), self.seats] - FUNCTION + 1
        return np.where(self.masks.any(axis=1), np.maximum(codes, 0), 0)

    def _answers(self, seating: Seating, codes: Array) -> Any:
        """The actions of the functions in the games in which they are to move."""
        actions = np.full(self.games, SKIP)
        for number, function in enumerate(seating.functions, 1):
            games = np.flatnonzero(codes == number)
            if len(games):
                actions[games] = self._checked_integers(
                    function(self.observations[games], self.masks[games]), len(games)
                )
        waiting = np.where(codes > 0, actions, np.argmax(self.masks, axis=1))
        self._check_legal(self._state.actions(waiting), waiting)
        return self._state.actions(actions)

    def _checked_integers(self, actions: Any, games: int) -> Array:
        given = np.asarray(actions)
        if given.shape != (games,):
            raise ValueError(
                f"A step takes one action for each of the {games} games, an array of the shape "
                f"({games},), not {given.shape}."
            )
        if given.dtype.kind not in "iu":
            raise TypeError(f"Actions are whole numbers, not {given.dtype}.")
        return given

    def _check_legal(self, actions: Any, given: Array) -> None:
        game = self._state.loop(first_illegal)(actions, self._state.sets)
        if game >= 0:
            raise ValueError(self._illegal_message(game, int(given[game])))

    def _illegal_message(self, game: int, action: int) -> str:
        named = f"Action {action} in game {game}"
        if not 0 <= action < _ACTIONS:
            return f"{named} does not exist: actions are numbered from 0 to {_ACTIONS - 1}."
        position = self.position(game)
        may = " ".join(f"{choice} ({CHOICES.index(choice)})" for choice in choices_in(legal(position)))
        return f"{named}, {CHOICES[action]}, is not legal there: seat {position.seat + 1} may choose {may}."

    def random_actions(self) -> Array:
        """Uniformly random legal actions from the generators of the series; 0 where the game is over.

        A batch that plays only these plays the games of `hegemon.kernels.play_series`.
        """
        actions = np.zeros(self.games, np.int64)
        self._state.loop(draw_actions)(actions, self._state.sets, self._state.states)
        return actions

    def heuristic_actions(self, games: Any = None) -> Array:
        """The actions of the heuristic policy, which the search uses for playouts; 0 where the game is over.

        With the indices of some games, only for these, and 0 for the others.
        """
        actions = np.zeros(self.games, np.int64)
        state = self._state
        chosen = np.arange(self.games) if games is None else np.asarray(games, np.int64)
        state.loop(choose_actions)(chosen, actions, state.tables, state.sets, state.states)
        return actions

    def observe_seats(self, out: Array | None = None) -> Array:
        """The observations of all seats, as a new array or in `out`: games by seats by features."""
        rows = np.zeros((self.games, self.players, FEATURES), np.uint8) if out is None else out
        self._state.loop(observe_all_seats)(self._state.tables, self._state.known, rows, rows.view(np.uint32))
        return rows

    def states(self) -> Array:
        """Full-state rows as a new array: the observations of the seats to move, followed by all hidden cards.

        `hegemon.kernels.STATE` lists their pieces.
        """
        rows = np.zeros((self.games, STATE_FEATURES), np.uint8)
        rows[:, :FEATURES] = self.observations
        self._state.loop(write_states)(self._state.tables, rows, rows.view(np.uint32))
        return rows

    def load(self, positions: Sequence[Position]) -> None:
        """Continue every game from a position, for example a determinization; its seats start without memory.

        The positions must be from real games with the players, teams and rulings of this batch.
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

    def determinize(self, certain: Position, unseen: Unseen, viewer: int) -> None:
        """Load determinizations of a position that holds the cards that are certain for the viewer.

        The viewer keeps its memory; the other seats start without any.
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
        """Use the given arrays, by name, instead of those of the batch, for example slices of larger ones."""
        for name, array in arrays.items():
            array[...] = getattr(self, name)
            setattr(self, name, array)
        self._bind()

    def __getstate__(self) -> dict[str, Any]:
        """All attributes except compiled code, threads and views of the arrays."""
        return {name: value for name, value in vars(self).items() if name not in _BOUND}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._bind()

    @property
    def numbers(self) -> Array:
        """The number in the series of the game in each place."""
        return np.array(self._state.numbers, np.int64)

    def position(self, game: int) -> Position:
        """A copy of the whole position of a game, hidden cards included."""
        return self._state.position(self._checked_index(game))  # type: ignore[no-any-return]  # compiled code is untyped

    def observation(self, game: int, seat: int) -> Array:
        if not 0 <= seat < self.players:
            raise IndexError(f"Seats are numbered from 0 to {self.players - 1}, not {seat}.")
        row = np.zeros(FEATURES, np.uint8)
        loop = self._state.loop(observe_game)
        loop(self._state.tables, self._state.known, self._checked_index(game), seat, row, row.view(np.uint32))
        return row

    def _checked_index(self, game: int) -> int:
        if not 0 <= game < self.games:
            raise IndexError(f"Games are numbered from 0 to {self.games - 1}, not {game}.")
        return game

    def piece(self, name: str) -> Array:
        """A view of one piece of the observations, by name and in its shape."""
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
