"""The events of each version of a table."""

import pytest

from hegemon import Game
from hegemon.play.serialization import event_to_dict
from hegemon.rules.view import SPECTATOR
from hegemon.server.db.rows import MoveRow
from hegemon.server.tables.history import History


def play(history, game, version):
    history.apply(game, MoveRow(version, game.seat, game.choices[0]))


@pytest.mark.parametrize("rulings", ["standard", "standard!show-backs"])
def test_every_version_has_the_events_that_its_viewer_saw(rulings):
    game = Game(2, seed=1, rulings=rulings)
    history = History(game)
    for version in range(1, 9):
        play(history, game, version)
    for viewer in (0, 1, SPECTATOR):
        seen = [event for version in range(9) for event in history.event_dicts(viewer, version)]
        assert seen == [event_to_dict(event) for event in game.events_seen_by(viewer)]
    assert history.event_dicts(0, 0) != history.event_dicts(1, 0)
    for version in range(9):
        same_events = history.events_seen_by(0, version) == history.events_seen_by(1, version)
        assert same_events == (history.event_dicts(0, version) == history.event_dicts(1, version))


def test_an_undo_is_an_event_that_names_the_version_it_undoes():
    game = Game(3, "draft", seed=1)
    history = History(game)
    for version, seat in enumerate((1, 0), 1):
        history.apply(game, MoveRow(version, seat, game.choices_of(seat)[0]))
    before = history.event_dicts(SPECTATOR, 1)
    history.undo(game, 1)
    history.apply(game, MoveRow(4, 1, game.choices_of(1)[0]))
    history.undo(game, 1)
    history.undo(game, 0)
    undone = [history.event_dicts(0, version) for version in (3, 5, 6)]
    assert undone == [
        [{"event": "undone", "seat": seat, "version": version}] for seat, version in ((2, 1), (2, 4), (1, 2))
    ]
    assert [history.events_seen_by(viewer, 3) for viewer in (0, 1, SPECTATOR)] == [()] * 3
    assert history.event_dicts(SPECTATOR, 1) == before
