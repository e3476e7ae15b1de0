"""Batches: what they return, what they reject, and that they are the same with and without Numba."""

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

import hegemon
from hegemon import Batch
from hegemon.kernels import FEATURES, OBSERVATION, Series, batch_loops, play_series
from hegemon.kernels import batch as batches
from hegemon.notation.errors import NotationError
from hegemon.notation.setup import SetupError
from hegemon.rules.actions import CHOICES
from hegemon.rules.engine import legal
from hegemon.rules.position import Question
from hegemon.rules.rulings import PRESETS, SWITCHES
from hegemon.rules.shuffle import MAX_SEED

ARRAYS = ("masks", "seats", "observations", "rewards", "dones", "numbers")

TABLES = [
    {"players": 2},
    {"players": 3, "variant": "draft", "rulings": "pl"},
    {"players": 4, "variant": "draft", "teams": True, "rulings": "en"},
    {"players": 4, "rulings": "standard+embargo-self+passive-religion!show-backs"},
]


def snapshot(batch):
    """Copies of all arrays of a batch."""
    return {name: getattr(batch, name).copy() for name in ARRAYS}


def same(one, other):
    return all(np.array_equal(one[name], other[name]) for name in ARRAYS)


def interpreted(monkeypatch, *arguments, **settings):
    with monkeypatch.context() as without_numba:
        without_numba.setattr(batches, "can_compile", lambda: False)
        return Batch(*arguments, **settings)


# ------------------------------------------------------------------ what it returns


def test_a_batch_has_one_row_a_game():
    batch = Batch(5, players=3)
    assert len(batch) == batch.games == 5
    assert batch.masks.shape == (5, len(CHOICES))
    assert batch.masks.dtype == np.bool_
    assert batch.seats.tolist() == [0] * 5
    assert batch.observations.shape == (5, FEATURES)
    assert batch.observations.dtype == np.uint8
    assert batch.rewards.shape == (5, 3)
    assert batch.rewards.dtype == np.float32
    assert batch.dones.tolist() == [False] * 5
    assert batch.numbers.tolist() == [0, 1, 2, 3, 4]


def test_the_arrays_are_the_same_ones_from_step_to_step():
    batch = Batch(3)
    arrays = [getattr(batch, name) for name in ARRAYS[:-1]]
    batch.step(batch.random_actions())
    batch.reset()
    assert all(getattr(batch, name) is array for name, array in zip(ARRAYS, arrays, strict=False))


def test_overwriting_the_arrays_changes_nothing():
    batch, clean = Batch(4), Batch(4)
    for _ in range(30):
        choices = clean.random_actions()
        for name in ARRAYS[:-1]:
            getattr(batch, name)[:] = 1
        batch.step(choices)
        clean.step(choices)
        assert same(snapshot(batch), snapshot(clean))


def test_the_observation_is_of_the_seat_to_move():
    batch = Batch(20, players=4, seed=3)
    for _ in range(60):
        batch.step(batch.random_actions())
        for game in range(batch.games):
            seen = batch.observation(game, int(batch.seats[game]))
            assert np.array_equal(batch.observations[game], seen)


def test_pieces_are_slices_of_the_observations():
    batch = Batch(3, players=4, seed=1)
    for piece in OBSERVATION:
        part = batch.piece(piece.name)
        assert part.shape == (3, *piece.shape)
        assert np.shares_memory(part, batch.observations)
    assert batch.piece("hand")[:, :, 3].sum(axis=1).tolist() == [3, 3, 3]
    assert batch.piece("question")[:, Question.PLAY].tolist() == [1, 1, 1]


def test_the_repr_of_a_batch_can_be_evaluated():
    batch = Batch(3, 4, "draft", teams=True, rulings="pl", seed=9, auto_restart=False, cores=2)
    assert repr(eval(repr(batch))) == repr(batch)


# ------------------------------------------------------------------ series of games


@pytest.mark.slow
def test_random_actions_play_the_games_of_the_series():
    games = 12
    batch = Batch(games, players=3, seed=77)
    winners = {}
    while len(winners) < 60:
        numbers = batch.numbers
        batch.step(batch.random_actions())
        for game in np.flatnonzero(batch.dones):
            winners[numbers[game]] = sum(1 << seat for seat in range(3) if batch.rewards[game, seat] > 0)
    results = play_series(Series(max(winners) + 1, players=3, seed=77))
    shared = {number for number in winners if results.winners[number] == 0b111}
    assert {number: won for number, won in winners.items() if number not in shared} == {
        number: results.winners[number] for number in winners if number not in shared
    }


def test_a_game_that_ends_is_followed_by_the_next_game_of_its_row():
    batch = Batch(7, seed=5)
    numbers = batch.numbers
    for _ in range(600):
        batch.step(batch.random_actions())
        numbers[batch.dones] += 7
        assert np.array_equal(batch.numbers, numbers)
        assert np.all(batch.masks.any(axis=1))
    assert numbers.max() >= 14


def test_without_restart_a_game_stays_as_it_ended():
    batch = Batch(6, players=4, seed=2, auto_restart=False)
    paid = np.zeros((6, 4))
    for _ in range(2_000):
        over = batch.dones.copy()
        before = snapshot(batch)
        batch.step(batch.random_actions())
        assert np.all(batch.dones[over])
        assert np.all(batch.rewards[over] == 0)
        assert np.array_equal(batch.observations[over], before["observations"][over])
        paid += batch.rewards
        if batch.dones.all():
            break
    assert batch.dones.all()
    assert not batch.masks.any()
    assert batch.numbers.tolist() == list(range(6))
    assert np.all(paid.sum(axis=1) == 0)
    assert np.all(paid.any(axis=1) == (paid.max(axis=1) > 0))
    assert paid.any()
    batch.step(np.full(6, -5))  # the game is over, so any action is accepted
    assert batch.dones.all()
    batch.reset()
    assert not batch.dones.any()
    assert same(snapshot(batch), snapshot(Batch(6, players=4, seed=2, auto_restart=False)))


def test_rewards_are_what_losers_pay_and_winners_share():
    batch = Batch(64, players=4, teams=True, seed=4)
    met = set()
    for _ in range(800):
        batch.step(batch.random_actions())
        assert np.all(batch.rewards[~batch.dones] == 0)
        met |= {tuple(row) for row in batch.rewards[batch.dones].tolist()}
    assert {(1, -1, 1, -1), (-1, 1, -1, 1)} <= met <= {(1, -1, 1, -1), (-1, 1, -1, 1), (0, 0, 0, 0)}


@pytest.mark.parametrize(
    ("won", "rewards"), [(0b1, [3, -1, -1, -1]), (0b1010, [-1, 1, -1, 1]), (0b1111, [0] * 4)]
)
def test_a_win_is_shared_evenly(monkeypatch, won, rewards):
    monkeypatch.setattr(batch_loops, "winners", lambda position: won)
    paid = np.zeros((1, 4), np.float32)
    batch_loops.write_rewards(paid, 0, Batch(1, players=4).position(0))
    assert paid[0].tolist() == rewards


def test_a_reset_deals_the_series_again():
    batch = Batch(5, seed=1)
    first = snapshot(batch)
    for _ in range(400):
        batch.step(batch.random_actions())
    batch.reset()
    assert same(snapshot(batch), first)
    batch.reset(2)
    assert not same(snapshot(batch), first)
    assert same(snapshot(batch), snapshot(Batch(5, seed=2)))
    batch.reset(MAX_SEED)
    assert batch.seed == MAX_SEED


@pytest.mark.parametrize("table", TABLES)
def test_a_batch_is_the_same_without_numba(monkeypatch, table):
    fast, slow = Batch(3, seed=8, **table), interpreted(monkeypatch, 3, seed=8, **table)
    for _ in range(260):
        assert same(snapshot(fast), snapshot(slow))
        choices = fast.random_actions()
        assert np.array_equal(choices, slow.random_actions())
        assert [fast.position(game) for game in range(3)] == [slow.position(game) for game in range(3)]
        assert np.array_equal(fast.observation(1, 1), slow.observation(1, 1))
        fast.step(choices)
        slow.step(choices)
    assert fast.numbers.max() >= 3


@pytest.mark.parametrize("cores", [2, 3, 9])
def test_the_number_of_cores_changes_nothing(cores):
    one, more = Batch(7, players=3, seed=6), Batch(7, players=3, seed=6, cores=cores)
    for _ in range(300):
        choices = one.random_actions()
        assert np.array_equal(choices, more.random_actions())
        one.step(choices)
        more.step(choices)
        assert same(snapshot(one), snapshot(more))


def test_a_copy_is_independent(monkeypatch):
    for batch in (Batch(4, seed=3), interpreted(monkeypatch, 4, seed=3)):
        for _ in range(50):
            batch.step(batch.random_actions())
        before = snapshot(batch)
        copy = batch.copy()
        assert same(snapshot(copy), before)
        choices = copy.random_actions()
        copy.step(choices)
        assert same(snapshot(batch), before)
        assert not same(snapshot(copy), before)
        assert np.array_equal(batch.random_actions(), choices)
        batch.step(choices)
        assert same(snapshot(copy), snapshot(batch))


def test_positions_can_be_loaded(monkeypatch):
    played = Batch(3, players=3, seed=12)
    for _ in range(90):
        played.step(played.random_actions())
    positions = [played.position(game) for game in range(3)]
    for batch in (Batch(3, players=3), interpreted(monkeypatch, 3, players=3)):
        batch.load(positions)
        assert [batch.position(game) for game in range(3)] == positions
        for name in ("masks", "seats"):
            assert np.array_equal(getattr(batch, name), getattr(played, name))
        for piece in OBSERVATION:
            expected = (
                np.zeros_like(played.piece("known")) if piece.name == "known" else played.piece(piece.name)
            )
            assert np.array_equal(batch.piece(piece.name), expected)
        assert not batch.rewards.any()
        assert not batch.dones.any()
        batch.step(batch.random_actions())
        assert [batch.position(game) for game in range(3)] != positions


def test_positions_of_another_table_are_rejected():
    batch = Batch(2)
    before = snapshot(batch)
    right = batch.position(0)
    with pytest.raises(ValueError, match="takes 2 positions, not 1"):
        batch.load([right])
    with pytest.raises(ValueError, match="position for game 1 has players 3, and this batch 2"):
        batch.load([right, Batch(1, players=3).position(0)])
    with pytest.raises(ValueError, match="position for game 0 has rulings"):
        batch.load([Batch(1, rulings="pl").position(0), right])
    assert same(snapshot(batch), before)


# ------------------------------------------------------------------ what it rejects


@pytest.mark.parametrize(
    ("wrong", "error", "told"),
    [
        ({"games": 0}, ValueError, "one game or more, not 0"),
        ({"games": -3}, ValueError, "one game or more, not -3"),
        ({"games": 1.5}, TypeError, "integer"),
        ({"cores": 0}, ValueError, "one core or more, not 0"),
        ({"players": 5}, SetupError, "not 5"),
        ({"players": 3, "teams": True}, SetupError, "four must play, not 3"),
        ({"variant": "quick"}, SetupError, 'there is no "quick"'),
        ({"rulings": "fr"}, NotationError, "presets"),
        ({"seed": -1}, ValueError, "from 0 to 9223372036854775807, not -1"),
        ({"seed": 2**63}, ValueError, "not 9223372036854775808"),
        ({"seed": 0.5}, TypeError, "integer"),
    ],
)
def test_an_impossible_batch_is_rejected_with_a_reason(wrong, error, told):
    with pytest.raises(error, match=told):
        Batch(**{"games": 2, **wrong})


def wrong_actions(batch):
    """Actions that are rejected, with the error of each."""
    right = batch.random_actions()

    def with_one(game, action, kind=np.int64):
        choices = right.astype(kind)
        choices[game] = action
        return choices

    illegal = next(action for action in range(64) if not batch.masks[3, action])
    yield right[:-1], ValueError, r"each of the 5 games.*not \(4,\)"
    yield right[None], ValueError, r"not \(1, 5\)"
    yield 7, ValueError, r"not \(\)"
    yield right.astype(float), TypeError, "not float64"
    yield right == 1, TypeError, "not bool"
    yield ["M"] * 5, TypeError, "whole numbers"
    yield with_one(2, 64), ValueError, "Action 64 in game 2 does not exist: actions are numbered from 0 to 63"
    yield with_one(4, -1), ValueError, "Action -1 in game 4 does not exist"
    yield (
        with_one(0, 2**64 - 1, np.uint64),
        ValueError,
        "Action 18446744073709551615 in game 0 does not exist",
    )
    yield (
        with_one(3, illegal),
        ValueError,
        f"Action {illegal} in game 3, {CHOICES[illegal]}, is not legal there: seat 1 may",
    )


def test_the_error_for_wrong_actions_names_the_game_and_the_batch_is_unchanged(monkeypatch):
    for batch in (Batch(5, seed=4), interpreted(monkeypatch, 5, seed=4)):
        before, positions = snapshot(batch), [batch.position(game) for game in range(5)]
        for choices, error, told in wrong_actions(batch.copy()):
            with pytest.raises(error, match=told):
                batch.step(choices)
            assert same(snapshot(batch), before)
            assert [batch.position(game) for game in range(5)] == positions
        assert np.array_equal(batch.random_actions(), Batch(5, seed=4).random_actions())


def test_an_illegal_action_error_lists_the_legal_actions():
    batch = Batch(2, seed=1)
    with pytest.raises(ValueError, match=r"in game 0, \., is not legal") as refusal:
        batch.step([63, 63])
    position = batch.position(0)
    for action in range(64):
        offered = f"{CHOICES[action]} ({action})" in str(refusal.value)
        assert offered == bool(legal(position) >> action & 1)


def test_a_reset_to_a_wrong_seed_leaves_the_batch_unchanged():
    batch = Batch(3, seed=5)
    batch.step(batch.random_actions())
    before = snapshot(batch)
    with pytest.raises(ValueError, match="not -2"):
        batch.reset(-2)
    assert batch.seed == 5
    assert same(snapshot(batch), before)


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.int64, np.uint64])
def test_choices_may_be_whole_numbers_of_any_kind(kind):
    one, other = Batch(6), Batch(6)
    for _ in range(20):
        choices = one.random_actions()
        one.step(choices)
        other.step(choices.astype(kind))
        assert same(snapshot(one), snapshot(other))
    other.step(other.random_actions().tolist())
    other.step(np.repeat(other.random_actions(), 2)[::2])


def test_missing_games_seats_and_pieces_are_rejected():
    batch = Batch(3)
    for game in (-1, 3):
        with pytest.raises(IndexError, match=f"from 0 to 2, not {game}"):
            batch.position(game)
        with pytest.raises(IndexError, match=f"from 0 to 2, not {game}"):
            batch.observation(game, 0)
    with pytest.raises(IndexError, match="from 0 to 1, not 2"):
        batch.observation(0, 2)
    with pytest.raises(KeyError, match="an observation has no piece 'hands', but hand, areas"):
        batch.piece("hands")


# ------------------------------------------------------------------ the layout, and the public API


def test_the_pieces_are_contiguous():
    assert OBSERVATION[0].offset == 0
    for before, after in pairwise(OBSERVATION):
        assert after.offset == before.offset + before.length
    assert OBSERVATION[-1].offset + OBSERVATION[-1].length == FEATURES
    assert len({piece.name for piece in OBSERVATION}) == len(OBSERVATION)
    assert FEATURES % 4 == 0


def test_every_ruling_is_in_the_observation():
    for number, (name, switch) in enumerate(SWITCHES.items()):
        batch = Batch(1, rulings=f"standard{'!' if PRESETS['standard'] & switch else '+'}{name}")
        expected = PRESETS["standard"] ^ switch
        assert batch.piece("rulings")[0].tolist() == [expected >> bit & 1 for bit in range(len(SWITCHES))]
        assert batch.piece("rulings")[0, number] != bool(PRESETS["standard"] & switch)


def test_the_package_is_imported_without_numpy():
    code = "import sys, hegemon; sys.exit('numpy' in sys.modules or 'numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert hegemon.Batch is Batch
    with pytest.raises(AttributeError, match="no attribute 'Bunch'"):
        hegemon.Bunch  # noqa: B018  # asking is the test


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_heuristic_actions_are_legal_and_end_games(table):
    batch = Batch(64, **table, seed=3)
    for _ in range(200):
        actions = batch.heuristic_actions()
        assert batch.masks[np.arange(64), actions].all()
        batch.step(actions)
    assert batch.numbers.max() >= 64  # games end


def test_heuristic_actions_of_some_games_do_not_affect_the_others():
    batch, other = Batch(5, seed=3), Batch(5, seed=3)
    some = batch.heuristic_actions([1, 3])
    assert [bool(batch.masks[game, some[game]]) for game in (1, 3)] == [True, True]
    assert some[[0, 2, 4]].tolist() == [0, 0, 0]
    assert some[[1, 3]].tolist() == other.heuristic_actions()[[1, 3]].tolist()


def test_heuristic_actions_do_not_matter_where_the_game_is_over():
    batch = Batch(4, auto_restart=False)
    while not batch.dones.all():
        batch.step(batch.random_actions())
    assert batch.heuristic_actions().tolist() == [0] * 4


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_all_seats_are_observed_as_each_of_them(table):
    batch = Batch(8, **table, seed=3)
    for _ in range(30):
        batch.step(batch.random_actions())
    rows = batch.observe_seats()
    for game in range(8):
        for seat in range(table["players"]):
            assert (rows[game, seat] == batch.observation(game, seat)).all()
