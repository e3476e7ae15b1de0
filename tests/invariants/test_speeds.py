"""A game is the same at both speeds: choices, errors, views and records."""

import pickle
from copy import deepcopy
from random import Random

import pytest

from hegemon.notation.errors import NotationError
from hegemon.play.game import Game
from hegemon.play.legality import IllegalMoveError
from hegemon.rules.actions import CHOICES
from random_games import new_game, seat_to_move

pytestmark = pytest.mark.usefixtures("untraced")

GAMES = 192
PORTIONS = 4


def both(number):
    """The game with this number at both speeds."""
    game = new_game(number)
    return game, Game.from_record(game.record(), speed="compiled")


def answer(act, *arguments):
    """The return value, or the error."""
    try:
        return act(*arguments)
    except (IllegalMoveError, NotationError) as refusal:
        return type(refusal), str(refusal)


def assert_same(one, other, seat):
    assert (one.seat, one.over, one.choices) == (other.seat, other.over, other.choices)
    assert one.position == other.position
    assert one.choices_of(seat) == other.choices_of(seat)
    assert one.result == other.result


@pytest.mark.parametrize("portion", range(PORTIONS))
def test_a_game_is_the_same_at_both_speeds(portion):
    for number in range(portion, GAMES, PORTIONS):
        chance = Random(number)
        one, other = both(number)
        while not one.over:
            seat = seat_to_move(one, chance)
            assert_same(one, other, seat)
            choice, by = chance.choice(one.choices_of(seat)), seat
            if chance.random() < 0.1:
                choice, by = chance.choice((*CHOICES, "?")), chance.choice((None, *range(-1, 5)))
            elif seat == one.seat and chance.random() < 0.5:
                by = None
            assert answer(one.play, choice, by) == answer(other.play, choice, by)
            if chance.random() < 0.02:
                assert answer(one.undo) == answer(other.undo)
        assert_same(one, other, one.seat)
        assert one.moves == other.moves
        assert one.record() == other.record()
        assert one.events == other.events
        for seat in range(-1, one.players):
            assert one.view(seat) == other.view(seat)
            assert one.memory(seat) == other.memory(seat)
        copies = one.copy(), deepcopy(other)
        ply = chance.randrange(len(one.moves))
        one.rewind(ply)
        other.rewind(ply)
        assert_same(one, other, one.seat)
        for copy in copies:
            assert copy.over
            assert copy.events[-1] == copies[0].events[-1]
            assert len(copy.moves) > ply


def test_a_seed_gives_the_same_game_at_both_speeds():
    for number in range(24):
        for players in (2, 3, 4):
            one = Game(players, "draft" if number % 2 else "basic", seed=number)
            other = Game(players, "draft" if number % 2 else "basic", seed=number, speed="compiled")
            assert one.record() == other.record()
            assert one.position == other.position
            assert one.commitment == other.commitment


@pytest.mark.parametrize("speed", ["interpreted", "compiled"])
def test_a_copy_is_independent(speed):
    game = Game(3, "draft", seed=11, speed=speed)
    while not game.over:
        before = game.record(), game.position, game.choices, game.events
        copy = game.copy()
        assert (copy.record(), copy.position, copy.choices, copy.events) == before
        copy.play(copy.choices[-1])
        assert (game.record(), game.position, game.choices, game.events) == before
        packed = pickle.loads(pickle.dumps(game))
        assert (packed.record(), packed.position, packed.choices, packed.events) == before
        game.play(game.choices[-1])
        assert game.record() == copy.record()
        assert game.position == copy.position
