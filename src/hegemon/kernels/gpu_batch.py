"""Games side by side in the memory of an NVIDIA GPU, for learners: nothing is copied to the host and back.

One thread steps one game, by the loops of `hegemon.Batch`, and the games are the same, bit for bit.
"""

import operator
from collections.abc import Sequence
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from hegemon.kernels.batch_loops import choose_action, draw_action, observe_seat, step_games
from hegemon.kernels.compiler import announce, register_kernels
from hegemon.kernels.dtype import to_position, to_records
from hegemon.kernels.gpu import THREADS_PER_BLOCK, can_use_cuda, get_cuda
from hegemon.kernels.knowledge import KNOWLEDGE
from hegemon.kernels.observation import FEATURES
from hegemon.notation.rulings import read_rulings
from hegemon.notation.setup import check_players, check_seed, read_variant
from hegemon.rules.actions import CHOICES
from hegemon.rules.position import MAX_PLAYERS, OVER, Position
from hegemon.rules.victory import side_of

_ACTIONS: Final = len(CHOICES)


class Setup(NamedTuple):
    """A kind of table: what `hegemon.Batch` takes."""

    players: int = 2
    variant: str = "basic"
    teams: bool = False
    rulings: str = "standard"

    @property
    def sides(self) -> tuple[int, ...]:
        """The side of every seat: teammates have the same."""
        position = self.empty_position()
        return tuple(side_of(position, seat) for seat in range(self.players))

    def empty_position(self) -> Position:
        check_players(self.players, self.teams)
        return Position(players=self.players, teams=int(self.teams), rulings=read_rulings(self.rulings))


#: Every kind of table, under the standard rulings.
ALL_SETUPS: Final = tuple(
    Setup(players, variant, teams)
    for variant in ("basic", "draft")
    for players, teams in ((2, False), (3, False), (4, False), (4, True))
)


class Threads(NamedTuple):
    """The work of one thread, compiled for CUDA."""

    step: Any
    draw: Any
    choose: Any
    observe: Any


@cache
def _threads() -> Threads:
    cuda = get_cuda()
    register_kernels()
    step_one = cuda.jit(device=True)(step_games)

    def step(
        empties: Any, variants: Any, kinds: Any, seed: int, given: Any, actions: Any, illegal: Any, tables: Any,
        numbers: Any, states: Any, known: Any, sets: Any, masks: Any, seats: Any, observations: Any, words: Any,
        rewards: Any, dones: Any,
    ) -> None:  # fmt: skip
        game = cuda.grid(1)
        if game < len(kinds):
            action = given[game]
            if action >= 0 and not (action < _ACTIONS and sets[game] >> action & 1):
                illegal[0] = game + 1
                action = -1
            actions[game] = action
            kind = kinds[game]
            step_one(
                game, game + 1, tables, empties[kind : kind + 1], variants[kind], seed, numbers, states, known, sets,
                masks, seats, observations, words, rewards, dones, actions, True,
            )  # fmt: skip

    def draw(actions: Any, sets: Any, states: Any) -> None:
        game = cuda.grid(1)
        if game < len(sets):
            draw_action(game, actions, sets, states)

    def choose(games: Any, actions: Any, tables: Any, sets: Any, states: Any) -> None:
        place = cuda.grid(1)
        if place < len(games):
            choose_action(games[place], actions, tables, sets, states)

    def observe(tables: Any, known: Any, observations: Any, words: Any) -> None:
        place = cuda.grid(1)
        game, seat = place // MAX_PLAYERS, place % MAX_PLAYERS
        if game < len(tables) and seat < tables[game].players:
            observe_seat(tables, known, game, seat, observations[game, seat], words[game, seat])

    announce()
    return Threads(*map(cuda.jit, (step, draw, choose, observe)))


class GpuBatch:
    """Games side by side on the GPU. Every step takes one action for each of them, from the seat to move there.

    The kinds of tables have equal shares, one after the other: game `i` is of the kind
    `setups[i * len(setups) // games]`. It is the game that a `hegemon.Batch` of that kind, with as many games and the
    same seed, has in place `i`. A game that ends is followed in its place by the next of its series.

    The arrays lie in the memory of the GPU, and every step overwrites them. They have `__cuda_array_interface__`:
    `torch.as_tensor(batch.masks)` shares the memory, as does `jax.dlpack.from_dlpack` of such a tensor.
    """

    masks: Any
    """The legal actions of the seat to move: bool, games by actions."""
    seats: Any
    """The seat to move in each game, from 0: uint8."""
    observations: Any
    """What the seat to move sees: uint8, games by features, as `hegemon.kernels.OBSERVATION` lists them."""
    rewards: Any
    """What the last step brought each seat: float32, games by four; 0 for seats that the table does not have."""
    dones: Any
    """Which games ended with the last step: bool."""

    def __init__(self, games: int, setups: Sequence[Setup] = ALL_SETUPS, *, seed: int = 0) -> None:
        games = operator.index(games)
        if games < 1:
            raise ValueError(f"A batch has one game or more, not {games}.")
        if not setups:
            raise ValueError("A batch has one kind of table or more.")
        positions = [setup.empty_position() for setup in setups]
        variants = [read_variant(setup.variant) for setup in setups]
        if not can_use_cuda():
            raise RuntimeError(
                "There is no GPU that CUDA can use here; hegemon.Batch plays the same games on the CPU."
            )
        cuda = get_cuda()
        self.games = games
        self.setups = tuple(setups)
        self._empties = cuda.to_device(to_records(positions))
        self._variants = cuda.to_device(np.array(variants, np.int64))
        # Threads of one block play the same kind of table, so that they mostly take the same branches.
        kinds = np.arange(games, dtype=np.int64) * len(setups) // games
        self._kinds = cuda.to_device(kinds)
        for position in positions:
            position.question = OVER  # a series begins as it goes on: the game before is over in every place
        self._over = to_records(positions)[kinds]
        self._tables = cuda.to_device(self._over)
        self._numbers, self._states, self._sets, self._actions, self._drawn = (
            cuda.to_device(np.zeros(games, np.int64)) for _ in range(5)
        )
        self._all_games = cuda.to_device(np.arange(games))
        self._known = cuda.to_device(np.zeros(games * KNOWLEDGE, np.int64))
        self._illegal = cuda.to_device(np.zeros(1, np.int64))
        self.masks = cuda.to_device(np.zeros((games, _ACTIONS), np.bool_))
        self.seats = cuda.to_device(np.zeros(games, np.uint8))
        self.observations = cuda.to_device(np.zeros((games, FEATURES), np.uint8))
        self.rewards = cuda.to_device(np.zeros((games, MAX_PLAYERS), np.float32))
        self.dones = cuda.to_device(np.zeros(games, np.bool_))
        self._arrays = (
            *(self._tables, self._numbers, self._states, self._known, self._sets),
            *(self.masks.view(np.uint64), self.seats, self.observations, self.observations.view(np.uint32)),
            *(self.rewards, self.dones),
        )
        self._seat_observations: Any = None
        self._blocks = -(-games // THREADS_PER_BLOCK), THREADS_PER_BLOCK
        self.reset(seed)

    def reset(self, seed: int | None = None) -> None:
        """Deal all games again, from game 0 of the series; without a seed, of the same series as before."""
        if seed is not None:
            seed = operator.index(seed)
            check_seed(seed)
            self.seed = seed
        self._tables.copy_to_device(self._over)
        self._numbers.copy_to_device(np.arange(-self.games, 0))
        self._step(self._numbers)
        self.dones.copy_to_device(np.zeros(self.games, np.bool_))

    def step(self, actions: Any) -> None:
        """Apply one action in every game: integers in an array of the GPU, such as a tensor of PyTorch.

        Nothing waits for the GPU. An illegal action is not applied, and `check` reports it.
        """
        if tuple(actions.shape) != (self.games,):
            raise ValueError(
                f"A step takes one action for each of the {self.games} games, an array of the shape "
                f"({self.games},), not {tuple(actions.shape)}."
            )
        self._step(actions)

    def _step(self, actions: Any) -> None:
        _threads().step[self._blocks](
            *(self._empties, self._variants, self._kinds, self.seed, actions, self._actions, self._illegal),
            *self._arrays,
        )

    def check(self) -> None:
        """Wait for the GPU; raise an error if an action since the last check was illegal."""
        (game,) = self._illegal.copy_to_host()
        if game:
            self._illegal.copy_to_device(np.zeros(1, np.int64))
            raise ValueError(f"An action in game {game - 1} was illegal and was not applied.")

    def random_actions(self) -> Any:
        """A legal action for every game, drawn evenly by the generator of the series; overwritten by the next call."""
        _threads().draw[self._blocks](self._drawn, self._sets, self._states)
        return self._drawn

    def heuristic_actions(self, games: Any = None) -> Any:
        """A legal action for every game, by the policy that searches play games out with; overwritten likewise.

        With `games`, an array of their numbers on the GPU, only for these; the entries of the others mean nothing.
        """
        chosen = self._all_games if games is None else games
        blocks = -(-len(chosen) // THREADS_PER_BLOCK), THREADS_PER_BLOCK
        if len(chosen):
            _threads().choose[blocks](chosen, self._drawn, self._tables, self._sets, self._states)
        return self._drawn

    def observe_seats(self) -> Any:
        """What every seat sees: uint8, games by four by features; overwritten by the next call."""
        if self._seat_observations is None:
            rows = np.zeros((self.games, MAX_PLAYERS, FEATURES), np.uint8)
            self._seat_observations = get_cuda().to_device(rows)
        rows = self._seat_observations
        blocks = -(-self.games * MAX_PLAYERS // THREADS_PER_BLOCK), THREADS_PER_BLOCK
        _threads().observe[blocks](self._tables, self._known, rows, rows.view(np.uint32))
        return rows

    def position(self, game: int) -> Position:
        """A copy of the whole position of a game, hidden cards included."""
        if not 0 <= game < self.games:
            raise IndexError(f"Games are numbered from 0 to {self.games - 1}, not {game}.")
        return to_position(self._tables[game : game + 1].copy_to_host()[0])

    def __len__(self) -> int:
        return self.games

    def __repr__(self) -> str:
        return f"GpuBatch({self.games}, {self.setups!r}, seed={self.seed})"
