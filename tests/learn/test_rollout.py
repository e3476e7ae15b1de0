"""Advantages computed by hand, seats, and the games of a rollout."""

import numpy as np
import pytest

from hegemon.kernels.batch import Batch
from hegemon.kernels.gpu_batch import ALL_SETUPS, Setup
from hegemon.learn.games import CpuGames
from hegemon.learn.ppo import estimate_advantages, to_seat_order, to_viewer_order
from hegemon.learn.rollout import Rollout, RolloutSeating, normalize_advantages


def rollout_of(seats, values, is_decision, dones=None, outcomes=None):
    """One game of two players, step by step."""
    steps = len(seats)
    rollout = Rollout.empty(steps, 1, 1, 1, np)
    rollout.seats[:, 0] = seats
    rollout.values[:, 0, 0] = values
    rollout.values[:, 0, 1] = 1 - np.array(values)
    rollout.is_decision[:, 0] = is_decision
    if dones is not None:
        rollout.dones[:, 0] = dones
        rollout.outcomes[:, 0, :2] = outcomes
    return rollout


def final_values(first, second):
    """The values of both seats after the last step, as each of them predicts that of the First Player."""
    values = np.zeros((1, 4, 4), np.float32)
    values[0, 0, :2] = first, 1 - first
    values[0, 1, :2] = second, 1 - second
    return values


def test_a_decision_is_compared_with_the_next_of_the_same_seat():
    found = estimate_advantages(
        rollout_of([0, 1, 0], [0.5, 0.4, 0.7], [1, 1, 1]), final_values(0.8, 0.3), 0.0
    )
    assert found.advantages[:, 0] == pytest.approx([0.7 - 0.5, 0.7 - 0.6, 0.8 - 0.7])


def test_lambda_accumulates_over_the_decisions_of_the_same_seat():
    found = estimate_advantages(
        rollout_of([0, 1, 0], [0.5, 0.4, 0.7], [1, 1, 1]), final_values(0.8, 0.3), 0.5
    )
    assert found.advantages[0, 0] == pytest.approx(0.2 + 0.5 * 0.1)
    assert found.value_targets[0, 0, :2] == pytest.approx([0.75, 0.25])


def test_forced_actions_are_skipped():
    found = estimate_advantages(rollout_of([0, 0], [0.5, 0.1], [1, 0]), final_values(0.9, 0.5), 0.0)
    assert found.advantages[0, 0] == pytest.approx(0.4)


def test_the_end_of_a_game_stops_the_bootstrapping():
    rollout = rollout_of([0, 1, 0], [0.5, 0.4, 0.7], [1, 1, 1], [0, 1, 0], [(0, 0), (0, 1), (0, 0)])
    found = estimate_advantages(rollout, final_values(0.8, 0.3), 1.0)
    assert found.advantages[:2, 0] == pytest.approx([0 - 0.5, 1 - 0.6])


def test_value_targets_before_the_first_step():
    found = estimate_advantages(rollout_of([0, 1], [0.5, 0.4], [1, 1]), final_values(0.8, 0.3), 1.0)
    assert found.initial_value_targets[0, 0, 0] == pytest.approx(0.8)
    assert found.initial_value_targets[0, 1, 0] == pytest.approx(0.3)


def test_viewer_order_is_inverted_by_seat_order():
    given = np.array([[0.1, 0.2, 0.7, 0.0]])
    players, viewers = np.array([3]), np.array([2])
    seen = to_viewer_order(given, viewers, players, np)
    assert seen[0] == pytest.approx([0.7, 0.1, 0.2, 0])
    assert to_seat_order(seen, viewers, players, np) == pytest.approx(given)


def test_advantages_are_normalized_for_each_setup():
    advantages = np.array([[1.0, 3.0, 10.0, 30.0], [5.0, 99.0, 50.0, 99.0]])
    is_decision = np.array([[True, True, True, True], [True, False, True, False]])
    found = normalize_advantages(advantages, is_decision, 2, np)
    assert found[:, :2][is_decision[:, :2]] == pytest.approx(found[:, 2:][is_decision[:, 2:]], abs=1e-4)
    assert found[is_decision].mean() == pytest.approx(0, abs=1e-6)


def test_every_setup_has_games_against_every_opponent():
    seating = RolloutSeating.of(512, ALL_SETUPS, 4, np)
    own = seating.learner_seats.all(axis=1)
    setups = np.arange(512) // 64
    for number, setup in enumerate(ALL_SETUPS):
        of_setup = setups == number
        assert own[of_setup].mean() == pytest.approx(5 / 8)
        against = of_setup & ~own
        seats = seating.learner_seats[against][:, : setup.players].sum(axis=1)
        assert (seats == (2 if setup.teams else 1)).all()
        assert all((setups[group] == number).any() for group in seating.league_games)
        assert (setups[seating.heuristic_games] == number).any()


def test_the_learner_rotates_through_the_seats():
    seating = RolloutSeating.of(64, (Setup(4),), 2, np)
    assert (seating.learner_seats[40:].sum(axis=0) > 3).all()


def test_the_batches_of_all_setups_write_to_the_same_arrays():
    """Nothing is copied between steps, and the entries of absent seats stay 0."""
    setups = (Setup(2), Setup(3, "draft"), Setup(4, teams=True))
    games = CpuGames(12, setups, seed=3)
    alone = [Batch(4, setup.players, setup.variant, teams=setup.teams, seed=3) for setup in setups]
    arrays = {name: getattr(games, name) for name in ("observations", "masks", "seats", "dones")}
    for _ in range(300):
        actions = np.concatenate([batch.random_actions() for batch in alone])
        games.step(actions)
        for number, batch in enumerate(alone):
            part = slice(4 * number, 4 * number + 4)
            batch.step(actions[part])
            assert np.array_equal(games.rewards[part, : batch.players], batch.rewards)
            assert not games.rewards[part, batch.players :].any()
            for name, array in arrays.items():
                assert np.array_equal(array[part], getattr(batch, name))
    seen = games.observe_seats()
    for number, batch in enumerate(alone):
        assert np.array_equal(seen[4 * number : 4 * number + 4, : batch.players], batch.observe_seats())
    some = np.array([1, 5, 6, 11])
    theirs = games.heuristic_actions(some)
    assert all(games.masks[game, action] for game, action in zip(some, theirs, strict=True))
