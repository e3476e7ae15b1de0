"""Samples: random and heuristic games, the same at every speed, with the actions that were chosen."""

import numpy as np
import pytest

from hegemon import CHOICES
from hegemon.kernels import Series, compiler, play_compiled, sampling
from hegemon.kernels.sampling import Sample, chunks, sample_compiled, sample_interpreted, sample_series
from hegemon.kernels.transcript import transcripts

#: Every action has a mark of its own, as far as there are bits for them: the last are the effects.
MARKS = np.array([1 << max(0, action - len(CHOICES) + 16) for action in range(len(CHOICES))], np.uint16)

SERIES = [
    Series(30, 2, seed=3),
    Series(10, 3, 1, rulings=0, seed=4),
    Series(10, 4, 1, teams=True, rulings=127, first=9),
]


def same(one, other):
    assert one.results == other.results
    assert np.array_equal(one.marked, other.marked)
    assert np.array_equal(one.counts, other.counts)


@pytest.mark.slow
@pytest.mark.parametrize("series", SERIES)
def test_games_by_chance_are_those_of_random_play(series):
    sample = sample_compiled(series, MARKS, heuristic=False)
    assert sample.results == play_compiled(series)
    assert sample.counts.sum() == sample.results.decisions.sum()


@pytest.mark.parametrize("series", SERIES)
@pytest.mark.parametrize("heuristic", [False, True])
def test_compiled_and_interpreted_play_the_same(series, heuristic):
    same(
        sample_compiled(series, MARKS, heuristic=heuristic),
        sample_interpreted(series, MARKS, heuristic=heuristic),
    )


def test_marks_are_those_of_the_actions_that_a_seat_chose():
    series = SERIES[0]
    sample = sample_compiled(series, MARKS, heuristic=False)
    for game, played in enumerate(transcripts(series)):
        for seat in range(2):
            actions = played.actions[played.positions["seat"][:-1] == seat]
            assert sample.marked[game, seat] == np.bitwise_or.reduce(MARKS[actions])


def test_the_heuristic_policy_reaches_hegemony_more_often():
    by_chance, heuristic = (sample_compiled(SERIES[0], MARKS, heuristic=how) for how in (False, True))
    assert (heuristic.results.ending == 1).sum() > (by_chance.results.ending == 1).sum() + 6


@pytest.mark.parametrize("cores", [1, 3])
def test_chunks_come_in_the_order_of_the_games(monkeypatch, cores):
    monkeypatch.setattr(sampling, "CHUNK", 7)
    series = Series(40, 3, seed=1)
    assert sum(part.games for part in chunks(series, 7)) == 40
    reported = []
    sample_series(series, MARKS, heuristic=True, cores=cores, report=reported.append)
    assert len(reported) == 6
    whole = Sample.joined(reported)
    assert len(whole) == 40
    same(whole, sample_compiled(series, MARKS, heuristic=True))


def test_without_numba_it_goes_slowly(monkeypatch):
    monkeypatch.setattr(sampling, "can_compile", lambda: False)
    monkeypatch.setattr(sampling, "compiled", None)
    assert compiler.can_compile()
    reported = []
    sample_series(Series(2), MARKS, heuristic=False, report=reported.append)
    same(reported[0], sample_interpreted(Series(2), MARKS, heuristic=False))
    assert len(Sample.of(3)) == 3
