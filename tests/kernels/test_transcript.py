"""Transcripts: a game recorded by the compiled loop is the game that the interpreter plays."""

import numpy as np
import pytest

from hegemon.kernels import POSITION_DTYPE, Series, play_interpreted, to_position, transcripts
from hegemon.kernels.transcript import transcribe
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import OVER


def test_a_transcript_replays():
    series = Series(4, players=4, variant=1, teams=True, seed=3, first=2)
    games = list(transcripts(series))
    results = play_interpreted(series)
    assert [len(game.actions) for game in games] == results.decisions.tolist()
    for game in games:
        position = to_position(game.positions[0])
        for k, action in enumerate(game.actions.tolist()):
            assert to_position(game.positions[k]) == position
            assert legal(position) == game.choices[k]
            apply(position, action)
        assert to_position(game.positions[-1]) == position
        assert position.question == OVER


def test_a_long_game_gets_more_capacity(monkeypatch):
    series = Series(1, seed=3)
    (whole,) = transcripts(series)
    monkeypatch.setattr("hegemon.kernels.transcript._INITIAL_CAPACITY", 16)
    (grown,) = transcripts(series)
    assert np.array_equal(grown.actions, whole.actions)
    assert np.array_equal(grown.positions, whole.positions)


@pytest.mark.parametrize("capacity", [5, 1000])
def test_the_loop_runs_interpreted(capacity):
    series = Series(1, seed=3)
    (game,) = transcripts(series)
    table = [series.empty_position()]
    positions = [None] * (capacity + 1)
    choices = [0] * capacity
    actions = [0] * capacity
    decisions = transcribe(table, series.variant, series.seed, 0, positions, choices, actions)
    if capacity == 5:
        assert decisions == -1
    else:
        assert actions[:decisions] == game.actions.tolist()
        assert choices[:decisions] == game.choices.tolist()
    assert actions[:5] == game.actions[:5].tolist()
    assert game.positions.dtype == POSITION_DTYPE
