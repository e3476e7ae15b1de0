"""The compiled table behind a game, and what a game does where there is none."""

import pytest

from hegemon import Game, SetupError
from hegemon.kernels.backend import CompiledBackend, deal_table, say_word, shuffle_table, shuffled_kinds
from hegemon.play.backend import InterpretedBackend
from hegemon.play.game import shuffled_deck
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import Position
from hegemon.rules.setup import deal
from hegemon.rules.shuffle import MAX_SEED, shuffle, stream


def dealt(players, variant, seed):
    position = Position(players=players)
    shuffle(position, stream(seed, 0))
    deal(position, variant)
    return position


@pytest.mark.parametrize("seed", [0, 1, 2**40, MAX_SEED])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_deck_is_the_same_as_interpreted(players, seed):
    assert shuffled_kinds(players, seed) == shuffled_deck(players, seed)


@pytest.mark.parametrize("variant", [0, 1])
def test_a_compiled_table_is_a_table(variant):
    compiled = CompiledBackend(3, variant, False, Position().rulings, shuffled_kinds(3, 5))
    interpreted = InterpretedBackend(dealt(3, variant, 5))
    offered = compiled.first, interpreted.first
    while offered[1]:
        assert offered[0] == offered[1]
        assert compiled.asked[0] == interpreted.asked[0] == interpreted.position.seat
        assert compiled.position == interpreted.position
        assert compiled.position is compiled.position
        word = offered[0].bit_length() - 1
        before = compiled.copy(), interpreted.copy()
        offered = compiled.say(word), interpreted.say(word)
        assert [table.say(word) for table in before] == list(offered)
        assert before[0].position == compiled.position
        assert before[1].position == interpreted.position
    assert offered[0] == 0


@pytest.mark.parametrize("make", [CompiledBackend, None])
def test_in_the_draft_any_seat_may_be_first(make):
    position = dealt(2, 1, 5)
    table = (
        make(2, 1, False, position.rulings, shuffled_kinds(2, 5))
        if make
        else InterpretedBackend(position.copy())
    )
    position.seat = 1
    word = legal(position).bit_length() - 1
    table.asked[0] = 1
    table.say(word)
    apply(position, word)
    assert table.position == position
    assert table.asked[0] == 0


def test_the_loops_can_be_run_as_they_stand():
    table = [Position(players=2)]
    shuffle_table(table, 9)
    offered = deal_table(table, 0)
    assert table[0] == dealt(2, 0, 9)
    assert offered == legal(table[0])
    word = int(offered).bit_length() - 1
    assert say_word(table, word) == legal(table[0])


def test_without_numba_a_compiled_game_is_interpreted(monkeypatch):
    monkeypatch.setattr("hegemon.kernels.compiling.can_compile", lambda: False)
    game = Game(2, seed=4, speed="compiled")
    assert isinstance(game._table, InterpretedBackend)
    assert game.record() == Game(2, seed=4).record()


def test_a_game_knows_two_speeds():
    with pytest.raises(SetupError, match='"interpreted" or "compiled", not "fast"'):
        Game(2, speed="fast")
    with pytest.raises(SetupError, match='not "slow"'):
        Game.from_record(Game(2, seed=1).record(), speed="slow")
