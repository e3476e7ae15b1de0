"""What decisions are worth, computed by hand."""

import numpy as np
import pytest

from hegemon.kernels.batch import Batch
from hegemon.kernels.gpu_batch import ALL_SETUPS, Setup
from hegemon.learn.formulas import returns, turned
from hegemon.learn.games import CpuGames
from hegemon.learn.rollout import Experience, Seating, leveled


def experience(seats, values, decided, dones=None, outcomes=None):
    """One game of two players, step by step."""
    steps = len(seats)
    made = Experience.empty(steps, 1, 1, 1, np)
    made.seats[:, 0] = seats
    made.values[:, 0, 0] = values
    made.values[:, 0, 1] = 1 - np.array(values)
    made.decided[:, 0] = decided
    if dones is not None:
        made.dones[:, 0] = dones
        made.outcomes[:, 0, :2] = outcomes
    return made


def final(first, second):
    """What both seats expect for the First Player in the end."""
    values = np.zeros((1, 4, 4), np.float32)
    values[0, 0, :2] = first, 1 - first
    values[0, 1, :2] = second, 1 - second
    return values


def test_a_decision_is_compared_with_the_next_of_the_same_seat():
    found = returns(experience([0, 1, 0], [0.5, 0.4, 0.7], [1, 1, 1]), final(0.8, 0.3), 0.0)
    assert found.advantages[:, 0] == pytest.approx([0.7 - 0.5, 0.7 - 0.6, 0.8 - 0.7])


def test_traces_lead_back_over_the_seats_own_decisions():
    found = returns(experience([0, 1, 0], [0.5, 0.4, 0.7], [1, 1, 1]), final(0.8, 0.3), 0.5)
    assert found.advantages[0, 0] == pytest.approx(0.2 + 0.5 * 0.1)
    assert found.expected[0, 0, :2] == pytest.approx([0.75, 0.25])


def test_steps_without_a_choice_are_passed_over():
    found = returns(experience([0, 0], [0.5, 0.1], [1, 0]), final(0.9, 0.5), 0.0)
    assert found.advantages[0, 0] == pytest.approx(0.4)


def test_the_end_of_a_game_counts_and_nothing_after_it():
    made = experience([0, 1, 0], [0.5, 0.4, 0.7], [1, 1, 1], [0, 1, 0], [(0, 0), (0, 1), (0, 0)])
    found = returns(made, final(0.8, 0.3), 1.0)
    assert found.advantages[:2, 0] == pytest.approx([0 - 0.5, 1 - 0.6])


def test_what_seats_should_have_expected_before_the_first_step():
    found = returns(experience([0, 1], [0.5, 0.4], [1, 1]), final(0.8, 0.3), 1.0)
    assert found.first_expected[0, 0, 0] == pytest.approx(0.8)
    assert found.first_expected[0, 1, 0] == pytest.approx(0.3)


def test_numbers_of_seats_turn_to_the_viewer_and_back():
    given = np.array([[0.1, 0.2, 0.7, 0.0]])
    players, seats = np.array([3]), np.array([2])
    seen = turned(given, seats, players, np, back=False)
    assert seen[0] == pytest.approx([0.7, 0.1, 0.2, 0])
    assert turned(seen, seats, players, np, back=True) == pytest.approx(given)


def test_advantages_are_leveled_for_each_kind_of_table():
    advantages = np.array([[1.0, 3.0, 10.0, 30.0], [5.0, 99.0, 50.0, 99.0]])
    decided = np.array([[True, True, True, True], [True, False, True, False]])
    found = leveled(advantages, decided, 2, np)
    assert found[:, :2][decided[:, :2]] == pytest.approx(found[:, 2:][decided[:, 2:]], abs=1e-4)
    assert found[decided].mean() == pytest.approx(0, abs=1e-6)


def test_every_kind_of_table_meets_every_opponent():
    seating = Seating.of(512, ALL_SETUPS, 4, np)
    own = seating.learner.all(axis=1)
    kinds = np.arange(512) // 64
    for kind, setup in enumerate(ALL_SETUPS):
        of_kind = kinds == kind
        assert own[of_kind].mean() == pytest.approx(5 / 8)
        against = of_kind & ~own
        seats = seating.learner[against][:, : setup.players].sum(axis=1)
        assert (seats == (2 if setup.teams else 1)).all()
        assert all((kinds[group] == kind).any() for group in seating.past)
        assert (kinds[seating.heuristic] == kind).any()


def test_the_learner_sits_everywhere_in_turn():
    seating = Seating.of(64, (Setup(4),), 2, np)
    assert (seating.learner[40:].sum(axis=0) > 3).all()


def test_the_batches_of_all_kinds_write_to_the_same_arrays():
    """Nothing is copied from step to step, and what a table has no seats for stays 0."""
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
