"""The repr of every public value, evaluated with the names of `hegemon`, gives an equal value."""

from random import Random

import pytest

import hegemon
from hegemon.play.events import Event
from random_games import new_game, play_by_chance

pytestmark = pytest.mark.usefixtures("untraced")

GAMES = range(0, 96, 4)
NAMES = {name: getattr(hegemon, name) for name in hegemon.__all__}


def values_of(game):
    yield game.position
    for seat in range(-1, game.players):
        yield game.view(seat)
        yield game.view(seat).hand
        yield game.memory(seat)


@pytest.mark.parametrize("portion", range(4))
def test_the_repr_of_every_value_of_a_game_can_be_evaluated(portion):
    for number in GAMES[portion::4]:
        game, chance = new_game(number), Random(number)
        for _ in play_by_chance(game, chance):
            if chance.random() < 0.1 or game.over:
                for value in values_of(game):
                    again = eval(repr(value), NAMES)
                    assert type(again) is type(value)
                    assert again == value, repr(value)
                    assert repr(again) == repr(value)
        assert eval(repr(game), NAMES) == game
        for seat in range(-1, game.players):
            events = game.events_seen_by(seat)
            assert eval(repr(events), NAMES) == events
        study = hegemon.Game.from_position(game.at(len(game.moves) // 2).position)
        for choice in game.moves[len(game.moves) // 2 :][:9]:
            study.play(choice)
        assert eval(repr(study), NAMES) == study


def test_a_memory_continues_from_its_text():
    for number in GAMES:
        game, chance = new_game(number), Random(number)
        for _ in play_by_chance(game, chance):
            pass
        middle = game.at(len(game.moves) // 2)
        for seat in range(-1, game.players):
            memory = eval(repr(middle.memory(seat)), NAMES)
            memory.see(game.events_seen_by(seat, since=len(middle.events)))
            assert memory == game.memory(seat)


def test_every_event_is_public():
    assert {kind.__name__ for kind in Event.__subclasses__()} <= set(hegemon.__all__)
