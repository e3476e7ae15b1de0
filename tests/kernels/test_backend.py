"""The compiled backend of a game, and what a game does without Numba."""

import pytest

from hegemon import Game, SetupError
from hegemon.kernels.backend import CompiledBackend, apply_action, deal_cards, shuffle_deck, shuffled_kinds
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
def test_a_compiled_backend_does_what_an_interpreted_one_does(variant):
    compiled = CompiledBackend(3, variant, False, Position().rulings, shuffled_kinds(3, 5))
    interpreted = InterpretedBackend(dealt(3, variant, 5))
    legal_actions = compiled.initial_choices, interpreted.initial_choices
    while legal_actions[1]:
        assert legal_actions[0] == legal_actions[1]
        assert compiled.to_move[0] == interpreted.to_move[0] == interpreted.position.seat
        assert compiled.position == interpreted.position
        assert compiled.position is compiled.position
        action = legal_actions[0].bit_length() - 1
        before = compiled.copy(), interpreted.copy()
        legal_actions = compiled.apply(action), interpreted.apply(action)
        assert [backend.apply(action) for backend in before] == list(legal_actions)
        assert before[0].position == compiled.position
        assert before[1].position == interpreted.position
    assert legal_actions[0] == 0


@pytest.mark.parametrize("make", [CompiledBackend, None])
def test_in_the_draft_any_seat_may_be_first(make):
    position = dealt(2, 1, 5)
    backend = (
        make(2, 1, False, position.rulings, shuffled_kinds(2, 5))
        if make
        else InterpretedBackend(position.copy())
    )
    position.seat = 1
    action = legal(position).bit_length() - 1
    backend.to_move[0] = 1
    backend.apply(action)
    apply(position, action)
    assert backend.position == position
    assert backend.to_move[0] == 0


def test_the_loops_run_interpreted():
    backend = [Position(players=2)]
    shuffle_deck(backend, 9)
    legal_actions = deal_cards(backend, 0)
    assert backend[0] == dealt(2, 0, 9)
    assert legal_actions == legal(backend[0])
    action = int(legal_actions).bit_length() - 1
    assert apply_action(backend, action) == legal(backend[0])


def test_without_numba_a_compiled_game_is_interpreted(monkeypatch):
    monkeypatch.setattr("hegemon.kernels.compiler.can_compile", lambda: False)
    game = Game(2, seed=4, speed="compiled")
    assert isinstance(game._backend, InterpretedBackend)
    assert game.record() == Game(2, seed=4).record()


def test_a_game_knows_two_speeds():
    with pytest.raises(SetupError, match='interpreted or compiled, not "fast"'):
        Game(2, speed="fast")
    with pytest.raises(SetupError, match='not "slow"'):
        Game.from_record(Game(2, seed=1).record(), speed="slow")
