"""Parallel games in the memory of an NVIDIA GPU: no copies between host and device.

Each thread steps one game with the loops of `hegemon.Batch`, and the games are identical bit for bit.
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
    """The setup of a game: the arguments of `hegemon.Batch`."""

    players: int = 2
    variant: str = "basic"
    teams: bool = False
    rulings: str = "standard"

    @property
    def sides(self) -> tuple[int, ...]:
        """The side of each seat; teammates have the same."""
        position = self.empty_position()
        return tuple(side_of(position, seat) for seat in range(self.players))

    def empty_position(self) -> Position:
        check_players(self.players, self.teams)
        return Position(players=self.players, teams=int(self.teams), rulings=read_rulings(self.rulings))


#: All setups with the standard rulings.
ALL_SETUPS: Final = tuple(
    Setup(players, variant, teams)
    for variant in ("basic", "draft")
    for players, teams in ((2, False), (3, False), (4, False), (4, True))
)


class BatchKernels(NamedTuple):
    """The kernels, compiled for CUDA."""

    step: Any
    draw: Any
    choose: Any
    observe: Any


@cache
def _cuda_kernels() -> BatchKernels:
    cuda = get_cuda()
    register_kernels()
    step_one = cuda.jit(device=True)(step_games)

    def step(
        empties: Any, variants: Any, setup_indices: Any, seed: int, given: Any, actions: Any, illegal: Any, tables: Any,
        numbers: Any, states: Any, known: Any, sets: Any, masks: Any, seats: Any, observations: Any, words: Any,
        rewards: Any, dones: Any,
    ) -> None:  # fmt: skip
        game = cuda.grid(1)
        if game < len(setup_indices):
            action = given[game]
            if action >= 0 and not (action < _ACTIONS and sets[game] >> action & 1):
                illegal[0] = game + 1
                action = -1
            actions[game] = action
            setup = setup_indices[game]
            step_one(
                game, game + 1, tables, empties[setup : setup + 1], variants[setup], seed, numbers, states, known, sets,
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
    return BatchKernels(*map(cuda.jit, (step, draw, choose, observe)))


class GpuBatch:
    """Parallel games on the GPU. A step applies one action in each of them, for the seat to move there.

    The setups have equal numbers of games: game `i` has the setup `setups[i * len(setups) // games]`. It is the game at
    index `i` of a `hegemon.Batch` with that setup, the same number of games and the same seed. A game that ends is
    replaced by the next one of its series.

    The arrays are in GPU memory, and every step overwrites them. They have a `__cuda_array_interface__`:
    `torch.as_tensor(batch.masks)` shares the memory, as does `jax.dlpack.from_dlpack` of such a tensor.
    """

    masks: Any
    """The legal actions of the seat to move: bool, games by actions."""
    seats: Any
    """The seat to move in each game, from 0: uint8."""
    observations: Any
    """The observation of the seat to move: uint8, games by features, in the layout of `hegemon.kernels.OBSERVATION`."""
    rewards: Any
    """The rewards of the last step: float32, games by four; 0 for absent seats."""
    dones: Any
    """The games that ended with the last step: bool."""

    def __init__(self, games: int, setups: Sequence[Setup] = ALL_SETUPS, *, seed: int = 0) -> None:
        games = operator.index(games)
        if games < 1:
            raise ValueError(f"A batch has one game or more, not {games}.")
        if not setups:
            raise ValueError("A batch has one setup or more.")
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
        # The threads of a block play the same setup, so that they mostly take the same branches.
        setup_indices = np.arange(games, dtype=np.int64) * len(setups) // games
        self._setup_indices = cuda.to_device(setup_indices)
        for position in positions:
            position.question = OVER  # as if the previous game were over in every place
        self._over = to_records(positions)[setup_indices]
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
        """Restart from game 0 of the series; without a seed, of the same series as before."""
        if seed is not None:
            seed = operator.index(seed)
            check_seed(seed)
            self.seed = seed
        self._tables.copy_to_device(self._over)
        self._numbers.copy_to_device(np.arange(-self.games, 0))
        self._step(self._numbers)
        self.dones.copy_to_device(np.zeros(self.games, np.bool_))

    def step(self, actions: Any) -> None:
        """Apply one action in every game: an integer array on the GPU, such as a PyTorch tensor.

        The call does not synchronize with the GPU. An illegal action is not applied, and `check` reports it.
        """
        if tuple(actions.shape) != (self.games,):
            raise ValueError(
                f"A step takes one action for each of the {self.games} games, an array of the shape "
                f"({self.games},), not {tuple(actions.shape)}."
            )
        self._step(actions)

    def _step(self, actions: Any) -> None:
        _cuda_kernels().step[self._blocks](
            *(
                self._empties,
                self._variants,
                self._setup_indices,
                self.seed,
                actions,
                self._actions,
                self._illegal,
            ),
            *self._arrays,
        )

    def check(self) -> None:
        """Synchronize with the GPU; raise an error if an action since the last check was illegal."""
        (game,) = self._illegal.copy_to_host()
        if game:
            self._illegal.copy_to_device(np.zeros(1, np.int64))
            raise ValueError(f"An action in game {game - 1} was illegal and was not applied.")

    def random_actions(self) -> Any:
        """Uniformly random legal actions from the generators of the series; the next call overwrites them."""
        _cuda_kernels().draw[self._blocks](self._drawn, self._sets, self._states)
        return self._drawn

    def heuristic_actions(self, games: Any = None) -> Any:
        """The actions of the heuristic policy, which the search uses for playouts; the next call overwrites them.

        With `games`, an array of indices on the GPU, only for these; the other entries are undefined.
        """
        chosen = self._all_games if games is None else games
        blocks = -(-len(chosen) // THREADS_PER_BLOCK), THREADS_PER_BLOCK
        if len(chosen):
            _cuda_kernels().choose[blocks](chosen, self._drawn, self._tables, self._sets, self._states)
        return self._drawn

    def observe_seats(self) -> Any:
        """The observations of all seats: uint8, games by four by features; the next call overwrites them."""
        if self._seat_observations is None:
            rows = np.zeros((self.games, MAX_PLAYERS, FEATURES), np.uint8)
            self._seat_observations = get_cuda().to_device(rows)
        rows = self._seat_observations
        blocks = -(-self.games * MAX_PLAYERS // THREADS_PER_BLOCK), THREADS_PER_BLOCK
        _cuda_kernels().observe[blocks](self._tables, self._known, rows, rows.view(np.uint32))
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
