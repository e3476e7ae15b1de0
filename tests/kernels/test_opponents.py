"""Opponents inside a batch: a step continues to the caller's next choice."""

import copy
import pickle
from functools import partial

import numpy as np
import pytest

from hegemon import Batch
from hegemon.kernels import batch as batches

ARRAYS = ("masks", "seats", "observations", "rewards", "dones", "returns", "numbers")
TABLES = [
    {"players": 2},
    {"players": 3, "variant": "draft"},
    {"players": 4, "teams": True, "variant": "draft", "rulings": "pl"},
]


def first_action(observations, masks):
    assert len(observations) == len(masks) > 0
    return masks.argmax(axis=1)


def lists(batch):
    return {name: getattr(batch, name).tolist() for name in ARRAYS}


@pytest.mark.parametrize("opponents", ["chance", "heuristic", first_action])
@pytest.mark.parametrize("table", TABLES)
def test_a_step_ends_at_a_choice_of_the_caller(table, opponents):
    batch = Batch(6, seed=5, opponents=opponents, **table)
    assert batch.own_seats.tolist() == [game % table["players"] for game in range(6)]
    ended = 0
    for _ in range(120):
        assert np.array_equal(batch.seats, batch.own_seats)
        assert batch.masks.any(axis=1).all()
        batch.step(batch.masks.argmax(axis=1))
        ended += batch.dones.sum()
        assert not batch.rewards[~batch.dones].any()
        assert np.allclose(batch.rewards.sum(axis=1), 0)
    assert ended >= 3


def test_opponents_choose_what_they_would_choose_one_at_a_time():
    """One game, stepped by hand: random choices of the same generator, in the same order."""
    whole = Batch(1, 3, "draft", seed=3, auto_restart=False, opponents="chance", own_seats=[1])
    single = Batch(1, 3, "draft", seed=3, auto_restart=False)
    while not whole.dones[0]:
        while single.seats[0] != 1:
            single.step(single.random_actions())
        assert np.array_equal(single.observations, whole.observations)
        assert np.array_equal(single.masks, whole.masks)
        action = whole.masks.argmax(axis=1)
        whole.step(action)
        single.step(action)
        while not single.dones[0] and single.seats[0] != 1:
            single.step(single.random_actions())
    assert single.dones[0]
    assert np.array_equal(single.returns, whole.returns)
    assert single.returns.any()


def test_opponents_sit_clockwise_from_the_own_seat():
    asked = []

    def left(observations, masks):
        asked.append("left")
        return masks.argmax(axis=1)

    def right(observations, masks):
        asked.append("right")
        return masks.argmax(axis=1)

    batch = Batch(1, 3, "draft", seed=1, opponents=[left, right], own_seats=[1])
    assert asked == ["right"]  # seat 0 picks first
    asked.clear()
    batch.step(batch.masks.argmax(axis=1))
    assert asked[:2] == ["left", "right"]  # seat 2 completes the picks, and the packets move on


def test_a_partner_may_be_played_too():
    batch = Batch(4, 4, teams=True, seed=2, opponents=["heuristic", None, "heuristic"])
    seen = set()
    for _ in range(60):
        distance = (batch.seats - batch.own_seats) % 4
        seen |= set(distance.tolist())
        batch.step(batch.masks.argmax(axis=1))
    assert seen == {0, 2}


def test_games_that_end_with_an_opponents_choice_are_counted():
    """Games also end in the opponents' turns; the next one begins, and its opponents may move first."""
    batch = Batch(8, 2, seed=1, opponents="heuristic")
    won = np.zeros(2)
    for _ in range(400):
        batch.step(batch.random_actions())
        ended = batch.dones
        assert not batch.rewards[~ended].any()
        won += [(batch.rewards[ended, batch.own_seats[ended]] > 0).sum(), ended.sum()]
    assert won[1] > 30
    assert won[0] < won[1] / 10  # random choices lose


@pytest.mark.parametrize("opponents", ["chance", "heuristic", first_action])
def test_opponents_are_the_same_without_numba_and_on_several_cores(monkeypatch, opponents):
    def make(**options):
        return Batch(5, 3, "draft", seed=9, opponents=opponents, **options)

    compiled, cores = make(), make(cores=2)
    with monkeypatch.context() as without_numba:
        without_numba.setattr(batches, "can_compile", lambda: False)
        interpreted = make()
    for _ in range(25):
        assert lists(compiled) == lists(interpreted) == lists(cores)
        for batch in (compiled, interpreted, cores):
            batch.step(batch.masks.argmax(axis=1))


def test_the_callers_actions_are_not_modified():
    batch = Batch(3, 2, seed=1, opponents="chance")
    actions = batch.masks.argmax(axis=1)
    before = actions.copy()
    batch.step(actions)
    assert np.array_equal(actions, before)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"opponents": "expert"}, "There is no opponent 'expert' inside a batch, but chance and heuristic"),
        ({"opponents": ["chance", "chance"]}, "2 players have 1 opponents, not 2"),
        ({"opponents": "chance", "own_seats": [0, 2]}, "2 numbers from 0 to 1"),
        ({"opponents": "chance", "own_seats": [0]}, "2 numbers from 0 to 1"),
        ({"own_seats": [0, 1]}, "Own seats need opponents at the others"),
        ({"opponents": "chance", "own_seats": [0.0, 1.0]}, "2 numbers from 0 to 1"),
    ],
)
def test_impossible_opponents_are_rejected(wrong, message):
    with pytest.raises(ValueError, match=message):
        Batch(2, 2, **wrong)


def test_a_function_that_chooses_wrongly_is_named_by_its_game():
    def wrong(answer, observations, masks):
        return answer

    with pytest.raises(ValueError, match=r"Action 63 in game 1, \., is not legal there: seat 1"):
        Batch(2, 2, seed=1, opponents=partial(wrong, np.array([63])))
    with pytest.raises(ValueError, match="one action for each of the 1 games"):
        Batch(2, 2, seed=1, opponents=partial(wrong, np.array([1, 2])))
    with pytest.raises(TypeError, match="whole numbers"):
        Batch(2, 2, seed=1, opponents=partial(wrong, np.array([0.5])))


def test_loaded_positions_continue_to_a_choice_of_the_caller():
    source = Batch(2, 2, seed=4, auto_restart=False)
    batch = Batch(2, 2, seed=4, opponents="heuristic", own_seats=[1, 1])
    batch.load([source.position(0), source.position(1)])
    assert batch.seats.tolist() == [1, 1]


# ------------------------------------------------------------------ copies and pickles


@pytest.mark.parametrize("options", [{}, {"opponents": "heuristic"}, {"opponents": first_action, "cores": 2}])
@pytest.mark.parametrize(
    "again", [lambda batch: pickle.loads(pickle.dumps(batch)), copy.deepcopy, Batch.copy]
)
def test_a_copy_and_a_pickle_continue_as_the_batch_does(options, again):
    batch = Batch(4, 3, "draft", seed=6, **options)
    for _ in range(10):
        batch.step(batch.masks.argmax(axis=1))
    other = again(batch)
    assert repr(other) == repr(batch)
    before = lists(batch)
    for _ in range(40):
        assert lists(other) == lists(batch)
        other.step(other.masks.argmax(axis=1))
        batch.step(batch.masks.argmax(axis=1))
    assert lists(batch) != before


def test_a_pickle_holds_no_machine_code():
    """A batch that is interpreted here continues where there is a compiler, and vice versa."""
    state = Batch(1).__getstate__()
    assert not any(callable(value) for value in state.values())


# ------------------------------------------------------------------ returns


@pytest.mark.parametrize("auto_restart", [True, False])
def test_returns_are_those_of_the_last_game(auto_restart):
    batch = Batch(6, 3, seed=2, auto_restart=auto_restart)
    returns = np.zeros((6, 3), np.float32)
    over = np.zeros(6, bool)
    for _ in range(500):
        batch.step(batch.random_actions())
        new = batch.dones & ~over
        returns[new] = batch.rewards[new]
        over = np.zeros(6, bool) if auto_restart else batch.dones.copy()
        assert np.array_equal(batch.returns, returns)
    assert returns.any(axis=1).all()
    batch.reset()
    assert not batch.returns.any()
