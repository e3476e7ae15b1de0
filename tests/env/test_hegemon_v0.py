"""The PettingZoo environment: PettingZoo's own tests, and the comparison with a game."""

import copy
import pickle
from random import Random

import numpy as np
import pytest
from pettingzoo.test import (
    api_test,
    parallel_api_test,
    performance_benchmark,
    render_test,
    seed_test,
)

from hegemon import CHOICES, Game, observation
from hegemon.env import hegemon_v0
from hegemon.kernels import FEATURES, OBSERVATION
from hegemon.notation.setup import SetupError
from hegemon.notation.writing import write_view

TABLES = [
    {},
    {"players": 3, "variant": "draft", "rulings": "pl"},
    {"players": 4, "teams": True},
    {"players": 4, "variant": "draft", "teams": True, "rulings": "standard+embargo-self!show-backs"},
]

# Observations are dictionaries because they carry a mask; PettingZoo knows its own games with masks by their names.
masks = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array:UserWarning",
    "ignore:Observation space for each agent probably should be:UserWarning",
)


# ------------------------------------------------------------------ PettingZoo's own tests


@masks
@pytest.mark.parametrize("make", [hegemon_v0.env, hegemon_v0.raw_env])
@pytest.mark.parametrize("table", TABLES)
def test_pettingzoo_accepts_the_environment(make, table):
    api_test(make(**table), num_cycles=300)


@pytest.mark.parametrize("table", TABLES)
def test_a_seed_gives_the_same_game(table):
    seed_test(lambda: hegemon_v0.env(**table))


def test_every_render_mode_returns_what_it_should():
    render_test(hegemon_v0.env)


@pytest.mark.slow
def test_the_benchmark_runs(capsys):
    performance_benchmark(hegemon_v0.raw_env())
    assert "turns per second" in capsys.readouterr().out


# ------------------------------------------------------------------ what it plays


def test_spaces_are_the_frozen_actions_and_the_observation():
    env = hegemon_v0.env(players=3)
    assert env.possible_agents == ["player_0", "player_1", "player_2"]
    for agent in env.possible_agents:
        assert env.action_space(agent).n == len(CHOICES) == 64
        assert env.observation_space(agent)["observation"].shape == (FEATURES,)
        assert env.observation_space(agent)["action_mask"].shape == (64,)


@pytest.mark.parametrize("table", TABLES)
def test_the_environment_plays_what_a_game_plays(table):
    settings = {"players": 2, **table}
    env, game, chance = hegemon_v0.env(**table), Game(seed=21, **settings), Random(21)
    env.reset(seed=21)
    while not game.over:
        seat = game.seat
        assert env.agent_selection == f"player_{seat}"
        seen, reward, terminated, truncated, info = env.last()
        assert (reward, terminated, truncated, info) == (0, False, False, {})
        assert tuple(CHOICES[action] for action in np.flatnonzero(seen["action_mask"])) == game.choices
        other = env.observe(f"player_{(seat + 1) % game.players}")
        assert not other["action_mask"].any()
        assert other["observation"].any()
        choice = chance.choice(game.choices)
        game.play(choice)
        env.step(CHOICES.index(choice))
    won = game.result.winners
    share = game.players / len(won) - 1
    assert env.rewards == {
        f"player_{seat}": pytest.approx(share if seat in won else -1) for seat in range(game.players)
    }
    assert all(env.terminations.values())
    assert env.agents == env.possible_agents
    for _ in range(game.players):
        seen, reward, terminated, _, _ = env.last()
        assert terminated
        assert reward == env._cumulative_rewards[env.agent_selection]
        assert not seen["action_mask"].any()
        env.step(None)
    assert env.agents == []


def test_observations_do_not_change_later():
    env = hegemon_v0.env()
    env.reset(seed=1)
    seen, *_ = env.last()
    before = {name: part.copy() for name, part in seen.items()}
    env.step(int(np.flatnonzero(seen["action_mask"])[0]))
    assert all(np.array_equal(seen[name], before[name]) for name in before)


def test_without_a_seed_the_next_game_follows_from_the_last_seed():
    def first_hands(env):
        for seed in (5, None, None):
            env.reset(seed=seed)
            yield env.last()[0]["observation"].tolist()

    one, other = list(first_hands(hegemon_v0.env())), list(first_hands(hegemon_v0.env()))
    assert one == other
    assert one[0] != one[1] != one[2]


def test_an_illegal_action_is_rejected_and_nothing_changes():
    env = hegemon_v0.env()
    env.reset(seed=1)
    before = env.last()[0]
    for action, told in (
        (63, r"Action 63 in game 0, \., is not legal there"),
        (64, "does not exist"),
        (-1, "does not exist"),
    ):
        with pytest.raises(ValueError, match=told):
            env.step(action)
    for action in (None, 1.5, "M"):
        with pytest.raises(TypeError, match="whole numbers"):
            env.step(action)
    after = env.last()[0]
    assert all(np.array_equal(before[name], after[name]) for name in before)


def test_using_an_environment_before_reset_is_an_error():
    with pytest.raises(AssertionError, match="reset"):
        hegemon_v0.env().last()


def test_the_table_is_rendered_as_the_seat_to_move_sees_it(capsys):
    env = hegemon_v0.env(render_mode="ansi")
    env.reset(seed=3)
    game = Game(2, seed=3)
    assert env.render() == f"{write_view(game.view(0))}\n{' '.join(game.choices)}\n"
    human = hegemon_v0.env(render_mode="human")
    human.reset(seed=3)
    human.step(CHOICES.index(game.choices[0]))
    game.play(game.choices[0])
    assert capsys.readouterr().out == f"{write_view(game.view(0))}\n{' '.join(game.choices)}\n"
    silent = hegemon_v0.env()
    silent.reset()
    assert silent.render() is None
    silent.close()


def test_impossible_tables_are_rejected():
    with pytest.raises(SetupError, match="not 5"):
        hegemon_v0.env(players=5)
    with pytest.raises(ValueError, match="not as 'rgb_array'"):
        hegemon_v0.env(render_mode="rgb_array")


def test_an_environment_can_be_pickled():
    env = pickle.loads(pickle.dumps(hegemon_v0.raw_env(players=4, teams=True)))
    assert len(env.possible_agents) == 4
    assert str(hegemon_v0.env()) == str(env) == "hegemon_v0"


@pytest.mark.parametrize("make", [hegemon_v0.env, hegemon_v0.raw_env])
@pytest.mark.parametrize("again", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_and_a_pickle_keep_their_game(make, again):
    env = make(players=3, variant="draft")
    env.reset(seed=5)
    for _ in range(20):
        env.step(int(env.last()[0]["action_mask"].argmax()))
    other = again(env)
    for _ in range(30):
        assert other.agent_selection == env.agent_selection
        seen, same = env.last()[0], other.last()[0]
        assert all(np.array_equal(seen[name], same[name]) for name in seen)
        for each in (env, other):
            each.step(int(seen["action_mask"].argmax()))
    other.reset()
    env.reset()
    assert np.array_equal(env.last()[0]["observation"], other.last()[0]["observation"])


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.int32])
def test_seeds_may_be_numpy_integers(kind):
    def hands(seed):
        env = hegemon_v0.env()
        for each in (seed, None):
            env.reset(seed=each)
            yield env.last()[0]["observation"].tolist()

    assert list(hands(kind(7))) == list(hands(7))


# ------------------------------------------------------------------ the parallel environment


@pytest.mark.parametrize("table", TABLES)
def test_pettingzoo_accepts_the_parallel_environment(table):
    parallel_api_test(hegemon_v0.parallel_env(**table), num_cycles=400)


@pytest.mark.parametrize("table", TABLES[1:])
def test_the_parallel_environment_plays_what_a_game_plays(table):
    env, game, chance = hegemon_v0.parallel_env(**table), Game(seed=9, **table), Random(9)
    if table.get("variant") != "draft":
        env = hegemon_v0.parallel_env(**table, variant="basic")
    seen, _ = env.reset(seed=9)
    picks = 0
    while not game.over:
        actions = {}
        for seat, agent in enumerate(env.agents):
            mask = seen[agent]["action_mask"]
            assert tuple(CHOICES[action] for action in np.flatnonzero(mask)) == game.choices_of(seat)
            row = observation(game.view(seat), game.memory(seat), to_move=bool(mask.any()))
            assert np.array_equal(seen[agent]["observation"], row)
            if mask.any():
                actions[agent] = int(chance.choice(np.flatnonzero(mask)))
                assert seen[agent] in env.observation_space(agent)
        picks += len(actions) > 1
        for agent, action in actions.items():
            game.play(CHOICES[action], int(agent[-1]))
        seen, rewards, terminations, _, _ = env.step(actions)
        assert env._batch.position(0) == game.position
    assert picks == (3 if table.get("variant") == "draft" else 0)
    assert all(terminations.values())
    assert env.agents == []
    assert {seat for seat in range(game.players) if rewards[f"player_{seat}"] >= 0} == set(
        game.result.winners
    )


def test_every_agent_that_may_choose_sees_itself_to_move():
    env = hegemon_v0.parallel_env(players=4)
    seen, _ = env.reset(seed=2)
    game = Game(4, "draft", seed=2)
    for seat, agent in enumerate(env.agents):
        piece = next(piece for piece in OBSERVATION if piece.name == "to_move")
        row = seen[agent]["observation"]
        assert row[piece.offset : piece.offset + piece.length].tolist() == [1, 0, 0, 0]
        assert seen[agent]["action_mask"].any()
        assert seat in game.view(seat).owing


def test_an_illegal_action_among_several_changes_nothing():
    env = hegemon_v0.parallel_env(players=3)
    seen, _ = env.reset(seed=2)
    actions = {agent: int(seen[agent]["action_mask"].argmax()) for agent in env.agents}
    before = env._batch.position(0)
    with pytest.raises(ValueError, match="not legal"):
        env.step({**actions, "player_2": 63})
    with pytest.raises(ValueError, match="player_1 has to choose, and has no action"):
        env.step({agent: action for agent, action in actions.items() if agent != "player_1"})
    assert env._batch.position(0) == before
    env.step(actions)
    assert env._batch.position(0) != before


def test_the_parallel_table_is_rendered_too(capsys):
    env = hegemon_v0.parallel_env(players=2, render_mode="human")
    seen, _ = env.reset(seed=3)
    env.step({agent: int(seen[agent]["action_mask"].argmax()) for agent in env.agents})
    assert capsys.readouterr().out


def test_the_state_is_the_whole_position():
    env = hegemon_v0.env(players=3)
    env.reset(seed=4)
    row = env.state()
    assert row in env.state_space
    assert np.array_equal(row[:FEATURES], env.last()[0]["observation"])
