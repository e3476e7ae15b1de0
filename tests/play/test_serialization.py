"""Events as dictionaries, and back."""

import json
from random import Random

import pytest

from hegemon.play.events import Event
from hegemon.play.serialization import event_from_dict, event_name, event_to_dict
from random_games import new_game, play_by_chance


@pytest.mark.usefixtures("untraced")
def test_every_event_of_many_games_comes_back_from_its_dictionary():
    kinds = set()
    for number in range(60):
        game = new_game(number)
        for _ in play_by_chance(game, Random(number)):
            pass
        for event in game.events:
            assert event_from_dict(json.loads(json.dumps(event_to_dict(event)))) == event
            kinds.add(type(event))
    assert len(kinds) > len(Event.__subclasses__()) // 2


def test_seats_count_from_one():
    game = new_game(0)
    began = next(facts for event in game.events if (facts := event_to_dict(event))["event"] == "turn_began")
    assert began == {"event": "turn_began", "seat": game.seat + 1, "round": 1}
    assert len({event_name(kind) for kind in Event.__subclasses__()}) == len(Event.__subclasses__())
