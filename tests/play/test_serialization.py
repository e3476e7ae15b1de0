"""Events as plain data, and back again."""

import json
from random import Random

import pytest

from hegemon.play.events import Event
from hegemon.play.serialization import event_of_facts, facts_of_event, name_of_event
from random_games import new_game, play_by_chance


@pytest.mark.usefixtures("untraced")
def test_every_event_of_many_games_comes_back_from_its_facts():
    kinds = set()
    for number in range(60):
        game = new_game(number)
        for _ in play_by_chance(game, Random(number)):
            pass
        for event in game.events:
            assert event_of_facts(json.loads(json.dumps(facts_of_event(event)))) == event
            kinds.add(type(event))
    assert len(kinds) > len(Event.__subclasses__()) // 2


def test_seats_count_from_one_as_in_every_text():
    game = new_game(0)
    began = next(facts for event in game.events if (facts := facts_of_event(event))["event"] == "turn_began")
    assert began == {"event": "turn_began", "seat": game.seat + 1, "round": 1}
    assert len({name_of_event(kind) for kind in Event.__subclasses__()}) == len(Event.__subclasses__())
