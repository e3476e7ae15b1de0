"""The loops of a batch: steps, observations, and the actions of the random and the heuristic policy.

They contain no rules. With Numba they are compiled and use arrays; without it they are interpreted and use lists.
"""

from typing import Any, Final

import numpy as np

from hegemon.kernels.bits import count_bits, nth_bit, random_action
from hegemon.kernels.compiler import kernel
from hegemon.kernels.knowledge import KNOWLEDGE, forget, remember
from hegemon.kernels.observation import observe
from hegemon.kernels.opponents import CHANCE, FUNCTION, OWN, SKIP
from hegemon.kernels.policy import heuristic_action
from hegemon.kernels.random_play import set_up
from hegemon.kernels.state import write_hidden
from hegemon.rules.actions import CHOICES
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import OVER, Position
from hegemon.rules.shuffle import next_state
from hegemon.rules.victory import winners

_ACTIONS: Final = len(CHOICES)
_BYTE: Final = 8
_BYTES: Final = _ACTIONS // _BYTE

# The bits of every byte as eight bools in one word, so that a mask takes eight writes instead of sixty-four.
_MASKS: Final = np.unpackbits(np.arange(1 << _BYTE, dtype=np.uint8)[:, None], axis=1, bitorder="little").view(
    np.uint64
)[:, 0]


@kernel
def write_rewards(rewards: Any, game: int, position: Position) -> None:
    """Each losing seat gets -1, and the winners share what the losers pay equally."""
    won = winners(position)
    share = position.players / count_bits(won) - 1
    for seat in range(position.players):
        rewards[game, seat] = share if won >> seat & 1 else -1


@kernel
def write_outputs(
    position: Position, game: int, known: Any, sets: Any, masks: Any, seats: Any, observations: Any, words: Any
) -> None:  # fmt: skip
    """Write the legal actions and the observation of the seat to move."""
    choices = legal(position)
    sets[game] = choices
    for byte in range(_BYTES):
        masks[game, byte] = _MASKS[choices >> _BYTE * byte & 255]
    seats[game] = position.seat
    first = KNOWLEDGE * game + position.seat
    observe(observations[game], words[game], position, position.seat, known, first)


@kernel
def step_games(
    begin: int, end: int, tables: Any, empty: Any, variant: int, seed: int, numbers: Any, states: Any,
    known: Any, sets: Any, masks: Any, seats: Any, observations: Any, words: Any, rewards: Any, dones: Any,
    actions: Any, restart: bool,
) -> None:  # fmt: skip
    """Apply one action in each of the games from `begin` up to `end`; replace finished games by the next ones.

    Where the action is negative, only write the outputs.
    """
    for game in range(begin, end):
        position = tables[game]
        for seat in range(position.players):
            rewards[game, seat] = 0
        if position.question != OVER and actions[game] >= 0:
            remember(known, KNOWLEDGE * game, position, actions[game])
            apply(position, actions[game])
            if position.question == OVER:
                write_rewards(rewards, game, position)
        dones[game] = position.question == OVER
        if restart and position.question == OVER:
            tables[game] = empty[0]
            position = tables[game]
            numbers[game] += len(numbers)
            states[game] = set_up(position, variant, seed, numbers[game])
            forget(known, KNOWLEDGE * game)
        write_outputs(position, game, known, sets, masks, seats, observations, words)


@kernel
def first_illegal(actions: Any, sets: Any) -> int:
    """The first game whose action is illegal, or -1. In a finished game, any action is accepted."""
    for game in range(len(sets)):
        action = actions[game]
        if sets[game] != 0 and not (0 <= action < _ACTIONS and sets[game] >> action & 1):
            return game
    return -1


def step_if_legal(
    begin: int, end: int, tables: Any, empty: Any, variant: int, seed: int, numbers: Any, states: Any,
    known: Any, sets: Any, masks: Any, seats: Any, observations: Any, words: Any, rewards: Any, dones: Any,
    actions: Any, restart: bool, check: bool,
) -> int:  # fmt: skip
    """Step the games and return -1; with `check`, if an action is illegal, only return its game."""
    illegal = first_illegal(actions, sets) if check else -1
    if illegal < 0:
        step_games(
            begin, end, tables, empty, variant, seed, numbers, states, known, sets, masks, seats, observations,
            words, rewards, dones, actions, restart,
        )  # fmt: skip
    return illegal


def step_between_turns(
    begin: int, end: int, tables: Any, empty: Any, variant: int, seed: int, numbers: Any, states: Any,
    known: Any, sets: Any, masks: Any, seats: Any, observations: Any, words: Any, rewards: Any, dones: Any,
    actions: Any, restart: bool, codes: Any, sums: Any, ended: Any, begins: bool,
) -> None:  # fmt: skip
    """Apply one action in each game, then those of built-in opponents until another player is to move.

    `sums` and `ended` accumulate the rewards and dones of the whole step.
    """
    for game in range(begin, end):
        if actions[game] == SKIP:
            continue
        if begins:
            ended[game] = False
            for seat in range(tables[game].players):
                sums[game, seat] = 0
        continues = True
        while continues:
            step_games(
                game, game + 1, tables, empty, variant, seed, numbers, states, known, sets, masks, seats,
                observations, words, rewards, dones, actions, restart,
            )  # fmt: skip
            ended[game] |= dones[game]
            for seat in range(tables[game].players):
                sums[game, seat] += rewards[game, seat]
            code = codes[game, seats[game]]
            continues = sets[game] != 0 and OWN < code < FUNCTION
            if continues and code == CHANCE:
                draw_action(game, actions, sets, states)
            elif continues:
                choose_action(game, actions, tables, sets, states)
        dones[game] = ended[game]
        for seat in range(tables[game].players):
            rewards[game, seat] = sums[game, seat]


@kernel
def draw_action(game: int, actions: Any, sets: Any, states: Any) -> None:
    """Choose a legal action uniformly at random; 0 where the game is over."""
    actions[game] = 0
    if sets[game] != 0:
        states[game] = next_state(states[game])
        actions[game] = random_action(sets[game], states[game])


def draw_actions(actions: Any, sets: Any, states: Any) -> None:
    for game in range(len(sets)):
        draw_action(game, actions, sets, states)


@kernel
def choose_action(game: int, actions: Any, tables: Any, sets: Any, states: Any) -> None:
    """Choose the action of the heuristic policy; 0 where the game is over."""
    actions[game] = 0
    choices = sets[game]
    if choices != 0:
        actions[game] = nth_bit(choices, 0)
        if choices != 1 << actions[game]:
            states[game] = next_state(states[game])
            actions[game] = heuristic_action(tables[game], choices, states[game])
            states[game] = next_state(next_state(states[game]))


def choose_actions(games: Any, actions: Any, tables: Any, sets: Any, states: Any) -> None:
    for game in games:
        choose_action(game, actions, tables, sets, states)


@kernel
def observe_seat(tables: Any, known: Any, game: int, seat: int, row: Any, words: Any) -> None:
    observe(row, words, tables[game], seat, known, KNOWLEDGE * game + seat)


def observe_all_seats(tables: Any, known: Any, observations: Any, words: Any) -> None:
    for game in range(len(observations)):
        for seat in range(tables[game].players):
            observe_seat(tables, known, game, seat, observations[game, seat], words[game, seat])


def write_states(tables: Any, rows: Any, words: Any) -> None:
    for game in range(len(rows)):
        write_hidden(rows[game], words[game], tables[game])


def observe_game(tables: Any, known: Any, game: int, viewer: int, row: Any, words: Any) -> None:
    observe_seat(tables, known, game, viewer, row, words)
