"""Random play: the same games at every speed, and results that say what happened."""

from itertools import product

import numpy as np
import pytest

from hegemon import kernels
from hegemon.kernels import (
    Series,
    SeriesResults,
    available_cores,
    play_compiled,
    play_interpreted,
    play_on_cores,
    play_series,
)
from hegemon.kernels.bits import random_action
from hegemon.kernels.random_play import play_out, play_records, set_up, write_result
from hegemon.rules.engine import apply, legal
from hegemon.rules.position import HEGEMONY, MAJORITY, OVER, STALL
from hegemon.rules.rulings import PRESETS
from hegemon.rules.setup import BASIC, Variant
from hegemon.rules.shuffle import MAX_SEED, next_state
from hegemon.rules.victory import winners

TABLES = [(2, False), (3, False), (4, False), (4, True)]


@pytest.mark.slow
@pytest.mark.parametrize(("table", "variant"), list(product(TABLES, map(int, Variant))))
def test_every_speed_plays_the_same_games(table, variant):
    players, teams = table
    for rulings in set(PRESETS.values()):
        series = Series(5, players, variant, teams, rulings, seed=2**40 + 5, first=17)
        assert play_interpreted(series) == play_compiled(series) == play_on_cores(series, 2)


def test_the_number_of_cores_changes_nothing():
    series = Series(3_000, players=3, seed=3)
    one = play_compiled(series)
    for cores in (1, 2, 5, None):
        assert play_on_cores(series, cores) == one


def test_a_game_depends_on_the_seed_and_its_own_number_alone():
    whole = play_compiled(Series(40, seed=11))
    part = play_compiled(Series(10, seed=11, first=20))
    for all_games, some in zip(whole.arrays(), part.arrays(), strict=True):
        assert np.array_equal(all_games[20:30], some)


def test_other_seeds_give_other_games():
    assert play_compiled(Series(40, seed=1)) != play_compiled(Series(40, seed=2))


def test_the_largest_numbers_are_accepted():
    series = Series(2, seed=MAX_SEED, first=MAX_SEED - 2)
    assert play_interpreted(series) == play_compiled(series)


def test_no_games_have_no_results():
    for play in (play_interpreted, play_compiled, play_on_cores, play_series):
        assert len(play(Series(0))) == 0


def test_results_say_what_happened():
    series = Series(60, players=3, seed=5)
    results = play_interpreted(series)
    for game in range(series.games):
        position = series.empty_position()
        state = set_up(position, series.variant, series.seed, game)
        decisions = 0
        turns = 1
        while position.question != OVER:
            state = next_state(state)
            turn = (position.round, position.seat)
            apply(position, random_action(legal(position), state))
            turns += position.question != OVER and (position.round, position.seat) != turn
            decisions += 1
        assert results.winners[game] == winners(position)
        assert results.ending[game] == position.ending
        assert results.rounds[game] == position.round
        assert results.turns[game] == turns
        assert results.decisions[game] == decisions


def test_a_winning_domain_is_written_for_a_hegemony_only():
    results = play_series(Series(2_000, players=4, seed=1))
    assert set(results.ending) <= {HEGEMONY, MAJORITY, STALL}
    assert np.all((results.domain >= 0) == (results.ending == HEGEMONY))
    assert np.all(results.domain < 6)
    assert np.all(results.winners > 0)
    assert np.all(results.winners < 16)


def test_teams_win_together():
    results = play_series(Series(500, players=4, teams=True, seed=1))
    assert set(results.winners) <= {0b0101, 0b1010, 0b1111}


def test_results_are_compared_array_by_array():
    assert SeriesResults.of(2) == SeriesResults.of(2)
    assert SeriesResults.of(2) != SeriesResults.of(3)
    assert SeriesResults.of(2) != "results"
    with pytest.raises(TypeError):
        hash(SeriesResults.of(2))


def test_choices_are_uniformly_distributed():
    choices = 1 << 2 | 1 << 40 | 1 << 63
    state = 123_456_789_012_345
    drawn = []
    for _ in range(30_000):
        state = next_state(state)
        drawn.append(random_action(choices, state))
    actions, counts = np.unique(drawn, return_counts=True)
    assert actions.tolist() == [2, 40, 63]
    assert np.all(abs(counts - 10_000) < 400)


def test_the_loop_over_records_runs_interpreted():
    class Table(list):
        """A list that copies a position when it is assigned, as an array of records does."""

        def __setitem__(self, place, empty):
            for name in empty.__slots__:
                setattr(self[place], name, getattr(empty.copy(), name))

    series = Series(3, seed=4)
    results = SeriesResults.of(3)
    empty = [series.empty_position()]
    play_records(empty, Table([series.empty_position()]), series.variant, series.seed, 0, *results.arrays())
    assert results == play_interpreted(series)


def test_a_hegemony_is_written_down_with_its_domain():
    series = Series(1)
    position = series.empty_position()
    state = set_up(position, BASIC, 0, 0)
    play_out(position, state)
    position.ending = HEGEMONY
    position.seat = 1
    position.areas[1] = [0, 0, 0, 9, 0, 0]
    results = SeriesResults.of(1)
    write_result(position, 0, *results.arrays()[:-1])
    assert results.domain[0] == 3
    assert results.winners[0] == 0b10


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"games": -1}, "0 games or more, not -1"),
        ({"players": 5}, "2, 3 or 4 players can play, not 5"),
        ({"players": 1}, "2, 3 or 4 players can play, not 1"),
        ({"variant": 2}, "not 2"),
        ({"players": 3, "teams": True}, "teams are for 4 players, not 3"),
        ({"rulings": 128}, "from 0 to 127, not 128"),
        ({"rulings": -1}, "from 0 to 127, not -1"),
        ({"seed": -1}, "a seed is a number from 0 to 9223372036854775807, not -1"),
        ({"seed": 2**63}, "not 9223372036854775808"),
        ({"first": -1}, "not from -1"),
        ({"first": 2**63 - 3, "games": 10}, "not from 9223372036854775805"),
    ],
)
def test_an_impossible_series_is_rejected_with_a_reason(wrong, told):
    with pytest.raises(ValueError, match=told):
        Series(**{"games": 1, **wrong})


def test_zero_cores_are_rejected_with_a_reason():
    with pytest.raises(ValueError, match="1 core or more, not 0"):
        play_on_cores(Series(1), 0)


def test_the_cores_of_this_process_are_counted(monkeypatch):
    assert available_cores() >= 1
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: 7)
    assert available_cores() == 7


def test_without_numba_games_are_played_interpreted(monkeypatch):
    series = Series(3, seed=8)
    best = play_series(series)
    monkeypatch.setattr("hegemon.kernels.random_play.can_compile", lambda: False)
    monkeypatch.setattr("hegemon.kernels.random_play.play_on_cores", None)
    assert play_series(series) == best


def test_all_names_the_public_api():
    assert all(getattr(kernels, name) is not None for name in kernels.__all__)
    assert len(kernels.__all__) == len(set(kernels.__all__))
    with pytest.raises(AttributeError, match="no attribute 'rules_of_thumb'"):
        kernels.rules_of_thumb  # noqa: B018  # asking is the test
