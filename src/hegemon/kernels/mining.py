"""Games played out for their positions: those in which the player to move can win this turn, or has to hold on."""

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

#: A turn with more positions is left alone.
MAX_POSITIONS: Final = 4096

#: What a position was found for.
CAN_WIN: Final = 1
IS_THREATENED: Final = 2

# The table of positions seen: a power of two, more than twice as large as the number of positions.
_SLOTS: Final = 1 << 14
_PRIME: Final = 0x9E3779B97F4A7C5
_BITS: Final = (1 << 60) - 1
#: Found by one game at most.
_MOST_OF_GAME: Final = 64


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
def may_go_out(position: Position) -> bool:
    """Whether the game may end with this turn because the last card is drawn."""
    return position.seat + 1 == position.players and position.deck_size <= MAX_DRAWN


@kernel
def mixed(key: int, value: int) -> int:
    return (key ^ value) * _PRIME & _BITS


@kernel_not_inlined
def key_of_turn(position: Position) -> int:
    """A number for what can change within a turn; two positions with the same number are taken for the same."""
    key = 1
    for domain in range(DOMAINS):
        key = mixed(key, position.hands[position.seat][domain])
        key = mixed(key, position.discard_piles[domain])
        for seat in range(position.players):
            key = mixed(key, position.areas[seat][domain])
            key = mixed(key, position.democracies[seat][domain])
            key = mixed(key, position.embargoes[seat][domain])
    key = mixed(key, position.used)
    key = mixed(key, position.question * 64 + position.left)
    key = mixed(key, position.floor * 64 + position.plays)
    key = mixed(key, position.target * 256 + position.new_embargo)
    return mixed(key, position.deck_size * 16 + position.hand_size) | 1


@kernel
def is_new(seen: Any, key: int) -> bool:
    """Add a key to the table; return whether it was not there."""
    slot = key >> 7 & (_SLOTS - 1)
    while seen[slot] != 0:
        if seen[slot] == key:
            return False
        slot = slot + 1 & (_SLOTS - 1)
    seen[slot] = key
    return True


@kernel
def hide(position: Position) -> None:
    """Remove what the seat to move cannot see."""
    for seat in range(position.players):
        if seat != position.seat:
            for domain in range(DOMAINS):
                position.hands[seat][domain] = 0
    for place in range(position.deck_size):
        position.deck[place] = 0


@kernel_not_inlined
def can_win(stack: Any, seen: Any) -> bool:
    """Whether the turn of the first position of a stack, whose hidden cards are gone, can be won; no if it is long."""
    seen[:] = 0
    won = False
    seat = stack[0].seat
    size = 1
    found = 1
    while size > 0:
        size -= 1
        # The place above the stack holds the position whose choices are tried.
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
            elif is_new(seen, key_of_turn(after)):
                found += 1
                size += 1
                if found == MAX_POSITIONS or size == len(stack) - 1:
                    return False
    return won


@kernel
def winning_cards(position: Position, stack: Any, seen: Any) -> int:
    """The number of cards whose play in step 1 can still win the turn."""
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
    """Play games by the heuristic policy and copy what is found; return how many positions that are."""
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
                    worthwhile = missing <= MAX_PLAYED or may_go_out(position)
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
    """What is found in a series: the number of the game, of the move, for what, and the position."""
    is_compiled = can_compile()
    rows: Any = to_records if is_compiled else PositionList
    mine: Any = compiled(mine_games) if is_compiled else mine_games
    empty = series.empty_position()
    out = rows([empty] * (_MOST_OF_GAME * series.games))
    facts = np.zeros((len(out), 3), np.int64)
    found = mine(
        rows([empty]), rows([empty]), rows([empty] * (MAX_POSITIONS + 1)), np.zeros(_SLOTS, np.int64),
        series.variant, series.seed, series.first, series.games, out, facts,
    )  # fmt: skip
    positions = [to_position(row) if is_compiled else row for row in out[:found]]
    return [(*row, position) for row, position in zip(facts[:found].tolist(), positions, strict=True)]
