"""Puzzle mining: positions of heuristic games in which the player to move can win this turn or must defend."""

from typing import Any, Final

import numpy as np

from hegemon.kernels.batch_games import PositionList
from hegemon.kernels.bits import nth_bit
from hegemon.kernels.compiler import can_compile, compiled, kernel, kernel_not_inlined
from hegemon.kernels.dtype import to_position, to_records
from hegemon.kernels.policy import heuristic_action
from hegemon.kernels.random_play import Series, set_up
from hegemon.rules.actions import END, FIRST_BREAKTHROUGH
from hegemon.rules.cards import AGE_III, DOMAINS, MILITARY
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import OVER, PLAY, Position
from hegemon.rules.reach import MAX_DRAWN, MAX_PLAYED, fewest_missing
from hegemon.rules.shuffle import next_state
from hegemon.rules.turn import begin_effects
from hegemon.rules.victory import side_of, winners

#: The maximum number of positions of a turn; longer turns are skipped.
MAX_POSITIONS: Final = 4096

#: Why a position was selected.
CAN_WIN: Final = 1
IS_THREATENED: Final = 2

# The size of the hash table of positions: a power of two, more than twice the number of positions.
_SLOTS: Final = 1 << 14
_PRIME: Final = 0x9E3779B97F4A7C5
_BITS: Final = (1 << 60) - 1
#: The maximum number of positions from one game, on average over a series.
_MAX_PER_GAME: Final = 64


@kernel
def is_threatened(position: Position) -> bool:
    """Whether an opponent of the seat to move needs one card for Hegemony."""
    for seat in range(position.players):
        if (
            side_of(position, seat) != side_of(position, position.seat)
            and fewest_missing(position, seat) <= 1
        ):
            return True
    return False


@kernel
def can_exhaust_deck(position: Position) -> bool:
    """Whether the game can end with this turn because the last card is drawn."""
    return position.seat + 1 == position.players and position.deck_size <= MAX_DRAWN


@kernel
def mix(key: int, value: int) -> int:
    return (key ^ value) * _PRIME & _BITS


@kernel_not_inlined
def turn_hash(position: Position) -> int:
    """A hash of everything that can change within a turn; positions with the same hash are considered equal."""
    key = 1
    for domain in range(DOMAINS):
        key = mix(key, position.hands[position.seat][domain])
        key = mix(key, position.discard_piles[domain])
        for seat in range(position.players):
            key = mix(key, position.areas[seat][domain])
            key = mix(key, position.democracies[seat][domain])
            key = mix(key, position.embargoes[seat][domain])
    key = mix(key, position.used)
    key = mix(key, position.question * 64 + position.left)
    key = mix(key, position.floor * 64 + position.plays)
    key = mix(key, position.target * 256 + position.new_embargo)
    return mix(key, position.deck_size * 16 + position.hand_size) | 1


@kernel
def is_new(seen: Any, key: int) -> bool:
    """Add a key to the hash table; return whether it is new."""
    slot = key >> 7 & (_SLOTS - 1)
    while seen[slot] != 0:
        if seen[slot] == key:
            return False
        slot = slot + 1 & (_SLOTS - 1)
    seen[slot] = key
    return True


@kernel
def hide(position: Position) -> None:
    """Remove the cards that the seat to move cannot see."""
    for seat in range(position.players):
        if seat != position.seat:
            for domain in range(DOMAINS):
                position.hands[seat][domain] = 0
    for place in range(position.deck_size):
        position.deck[place] = 0


@kernel_not_inlined
def can_win(stack: Any, seen: Any) -> bool:
    """Whether the turn of `stack[0]`, whose hidden cards are removed, can be won; False if it is too long."""
    seen[:] = 0
    won = False
    seat = stack[0].seat
    size = 1
    found = 1
    while size > 0:
        size -= 1
        # The last entry holds the position whose choices are tried.
        stack[len(stack) - 1] = stack[size]
        position = stack[len(stack) - 1]
        choices = legal(position)
        while choices != 0:
            action = nth_bit(choices, 0)
            choices &= choices - 1
            stack[size] = position
            after = stack[size]
            apply(after, action)
            if FIRST_BREAKTHROUGH <= action < END:
                after.hands[seat][MILITARY] -= AGE_III * (position.deck_size - after.deck_size)
                begin_effects(after)
            if after.question == OVER or after.seat != seat:
                if after.question == OVER and winners(after) >> seat & 1:
                    won = True
            elif is_new(seen, turn_hash(after)):
                found += 1
                size += 1
                if found == MAX_POSITIONS or size == len(stack) - 1:
                    return False
    return won


@kernel
def winning_cards(position: Position, stack: Any, seen: Any) -> int:
    """The number of cards that can be played in step 1 to win the turn."""
    choices = legal(position)
    cards = 0
    while choices != 0:
        action = nth_bit(choices, 0)
        choices &= choices - 1
        stack[0] = position
        hide(stack[0])
        apply(stack[0], action)
        cards += can_win(stack, seen)
    return cards


def mine_games(
    table: Any, empty: Any, stack: Any, seen: Any, variant: int, seed: int, first: int, games: int, out: Any, facts: Any
) -> int:  # fmt: skip
    """Play games with the heuristic policy and copy the selected positions; return their number."""
    found = 0
    for number in range(first, first + games):
        table[0] = empty[0]
        position = table[0]
        state = set_up(position, variant, seed, number)
        ply = 0
        while position.question != OVER:
            if position.question == PLAY and found < len(out):
                reason = 0
                missing = fewest_missing(position, position.seat)
                if missing >= 2:
                    worthwhile = missing <= MAX_PLAYED or can_exhaust_deck(position)
                    cards = winning_cards(position, stack, seen) if worthwhile else 0
                    if cards == 1 and legal(position) & (legal(position) - 1):
                        reason = CAN_WIN
                    elif cards == 0 and is_threatened(position):
                        reason = IS_THREATENED
                if reason:
                    out[found] = position
                    facts[found, 0] = number
                    facts[found, 1] = ply
                    facts[found, 2] = reason
                    found += 1
            choices = legal(position)
            action = nth_bit(choices, 0)
            if choices != 1 << action:
                action = heuristic_action(position, choices, state)
                state = next_state(next_state(state))
            apply(position, action)
            ply += 1
    return found


def positions_of(series: Series) -> list[tuple[int, int, int, Position]]:
    """The selected positions of a series: the number of the game, the ply, the reason, and the position."""
    is_compiled = can_compile()
    rows: Any = to_records if is_compiled else PositionList
    mine: Any = compiled(mine_games) if is_compiled else mine_games
    empty = series.empty_position()
    out = rows([empty] * (_MAX_PER_GAME * series.games))
    facts = np.zeros((len(out), 3), np.int64)
    found = mine(
        rows([empty]), rows([empty]), rows([empty] * (MAX_POSITIONS + 1)), np.zeros(_SLOTS, np.int64),
        series.variant, series.seed, series.first, series.games, out, facts,
    )  # fmt: skip
    positions = [to_position(row) if is_compiled else row for row in out[:found]]
    return [(*row, position) for row, position in zip(facts[:found].tolist(), positions, strict=True)]
