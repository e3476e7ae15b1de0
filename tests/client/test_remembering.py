"""What a program remembers from what it is told is what the seat would remember at the table."""

import json
from random import Random

import pytest

from hegemon.client.messages import Spoken, read_entry
from hegemon.client.remembering import Remembering
from hegemon.server.db.schema import TAKE_BACK, Entry
from hegemon.server.tables.history import Chronicle
from random_games import asked, chosen, new_game

pytestmark = pytest.mark.usefixtures("untraced")


@pytest.mark.parametrize("number", range(0, 96, 4))
def test_words_that_were_taken_back_are_forgotten(number):
    chance, game, entries = Random(number), new_game(number), []
    viewers = range(-1, game.players)
    chronicle = Chronicle(game)
    remembering = {viewer: Remembering() for viewer in viewers}
    taken_back = 0

    def tell():
        chronicle.follow(entries)
        for viewer, memory in remembering.items():
            facts = {"version": len(entries), "events": chronicle.seen_by(viewer, len(entries))}
            memory.take_in(read_entry(json.loads(json.dumps(facts))))

    tell()
    while not game.over:
        undoing = [seat for seat in range(game.players) if game.undoable(seat) is not None]
        if undoing and chance.random() < 0.2:
            seat, word = chance.choice(undoing), TAKE_BACK
            game.undo(seat)
            taken_back += 1
        else:
            seat = asked(game, chance)
            word = chosen(game, seat, chance, calm=False)
            game.play(word, seat)
        entries.append(Entry(len(entries) + 1, seat, word))
        tell()
        if chance.random() < 0.3:
            for viewer, memory in remembering.items():
                assert memory.number == len(entries)
                assert memory.memory(viewer, game.players) == game.memory(viewer)
    assert taken_back
    for viewer, memory in remembering.items():
        assert memory.memory(viewer, game.players) == game.memory(viewer)


def test_what_is_only_said_is_no_fact():
    remembering = Remembering()
    remembering.take_in(Spoken(1, None, None, "Eve", "Hello!", "", None, ""))
    assert remembering.number == -1
