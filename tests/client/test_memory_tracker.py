"""A program remembers from its updates what the seat would remember at the table."""

import json
from random import Random

import pytest

from hegemon.client.memory_tracker import MemoryTracker
from hegemon.client.messages import ChatMessage, read_move
from hegemon.server.db.rows import MoveRow
from hegemon.server.tables.history import History
from random_games import new_game, random_choice, random_set, seat_to_move

pytestmark = pytest.mark.usefixtures("untraced")


@pytest.mark.parametrize("number", range(0, 96, 4))
def test_moves_that_were_undone_are_forgotten(number):
    chance, game = Random(number), new_game(number)
    history, version, undone, sets = History(game), 0, 0, 0
    trackers = {viewer: MemoryTracker() for viewer in range(-1, game.players)}

    def send():
        for viewer, tracker in trackers.items():
            data = {"version": version, "events": history.event_dicts(viewer, version)}
            tracker.update(read_move(json.loads(json.dumps(data))))

    send()
    while not game.over:
        version += 1
        undoable = [seat for seat in range(game.players) if game.undoable(seat) is not None]
        if undoable and chance.random() < 0.2:
            history.undo(game, chance.choice(undoable))
            undone += 1
        else:
            seat = seat_to_move(game, chance)
            selection = game.selection(seat)
            several = selection is not None and selection.number > 1 and chance.random() < 0.5
            choice = random_set(game, chance) if several else random_choice(game, seat, chance, calm=False)
            history.apply(game, MoveRow(version, seat, choice))
            sets += several
        send()
        if chance.random() < 0.3:
            for viewer, tracker in trackers.items():
                assert tracker.version == version
                assert tracker.memory(viewer, game.players) == game.memory(viewer)
    assert undone
    assert sets
    for viewer, tracker in trackers.items():
        assert tracker.memory(viewer, game.players) == game.memory(viewer)


def test_chat_is_not_part_of_memory():
    tracker = MemoryTracker()
    tracker.update(ChatMessage(1, None, None, "Eve", "Hello!", "", None, ""))
    assert tracker.version == -1
