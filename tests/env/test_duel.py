"""The Gymnasium environment for one learner: Gymnasium's own checks, opponents, seats, and invalid arguments."""

import copy
import pickle
from random import Random

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import hegemon.env  # noqa: F401  # registers the environment
from hegemon import CHOICES, Batch, Game
from hegemon.env.duel import Duel
from hegemon.env.vector import VectorDuel
from hegemon.notation.setup import SetupError
from hegemon.notation.writing import write_view

make = gymnasium.make


def first_action(observations, masks):
    return masks.argmax(axis=1)


def play(env, seed, chance=None):
    """Play a whole game with the first legal action, or random ones; returns the last step."""
    seen, info = env.reset(seed=seed)
    while True:
        legal = np.flatnonzero(seen["action_mask"])
        seen, reward, terminated, truncated, info = env.step(
            int(chance.choice(legal) if chance else legal[0])
        )
        assert not truncated
        if terminated:
            return seen, reward, info


# ------------------------------------------------------------------ Gymnasium's own checks


# It also creates the environment in every render mode; `human` prints.
@pytest.mark.parametrize("options", [{}, {"players": 4, "teams": True, "variant": "draft", "seat": 2}])
def test_gymnasium_accepts_the_environment(capsys, options):
    check_env(make("hegemon/Duel-v0", render_mode="ansi", **options).unwrapped)


def test_the_environment_is_registered_by_its_module():
    assert isinstance(make("hegemon.env:hegemon/Duel-v0").unwrapped, Duel)
    envs = gymnasium.make_vec("hegemon/Duel-v0", num_envs=3, players=3, opponent="chance")
    assert isinstance(envs, VectorDuel)
    assert envs.num_envs == 3
    synchronous = gymnasium.make_vec("hegemon/Duel-v0", num_envs=2, vectorization_mode="sync")
    assert synchronous.reset(seed=1)[0]["observation"].shape[0] == 2


# ------------------------------------------------------------------ what it plays


@pytest.mark.parametrize("opponent", ["heuristic", "chance", "greedy", first_action])
def test_every_step_is_a_choice_of_the_learner(opponent):
    env = make("hegemon/Duel-v0", players=3, variant="draft", opponent=opponent, seat=1)
    seen, info = env.reset(seed=4)
    ended = False
    while not ended:
        assert info == {"seat": 1, "illegal": False}
        assert seen["observation"] in env.observation_space["observation"]
        assert seen["action_mask"].any()
        assert np.array_equal(env.unwrapped.action_masks(), seen["action_mask"])
        seen, reward, ended, _, info = env.step(int(seen["action_mask"].argmax()))
        assert ended or reward == 0
    assert reward in (-1, 0.5, 2, 0)
    assert not seen["action_mask"].any()


def test_bots_play_the_game_that_is_dealt():
    """The game that the bots see is identical to the game of the batch, move by move."""
    env = make("hegemon/Duel-v0", players=2, variant="draft", opponent="greedy", rulings="pl").unwrapped
    chance = Random(3)
    seen, _ = env.reset(seed=7)
    ended = False
    while not ended:
        assert env._bots._game.position == env._batch.position(0)
        seen, _, ended, _, _ = env.step(int(chance.choice(np.flatnonzero(seen["action_mask"]))))
    assert env._bots._game.over
    assert env._bots._game.names == Game(2, seed=7).names


def test_a_seed_deals_the_game_of_that_seed():
    env = make("hegemon/Duel-v0", seat=0)
    seen, _ = env.reset(seed=21)
    assert np.array_equal(seen["observation"], Batch(1, seed=21).observations[0])
    choices = tuple(CHOICES[action] for action in np.flatnonzero(seen["action_mask"]))
    assert choices == Game(2, seed=21).choices


@pytest.mark.parametrize("opponent", ["heuristic", "greedy", "search:3"])
def test_a_seed_gives_the_same_game(opponent):
    def game():
        env = make("hegemon/Duel-v0", opponent=opponent)
        return [(play(env, seed)[1:], env.unwrapped._batch.position(0)) for seed in (np.int64(5), None, None)]

    assert game() == game()


def test_without_a_seat_it_is_chosen_at_random():
    env = make("hegemon/Duel-v0", players=3)
    env.reset(seed=1)
    assert {env.reset()[1]["seat"] for _ in range(40)} == {0, 1, 2}


def test_rewards_are_those_of_the_learner():
    env = make("hegemon/Duel-v0", opponent="chance")
    rewards = [play(env, seed, Random(seed))[1] for seed in range(12)]
    assert {-1, 1} <= set(rewards) <= {-1, 0, 1}


# ------------------------------------------------------------------ illegal actions


def test_an_illegal_action_loses():
    env = make("hegemon/Duel-v0")
    env.reset(seed=1)
    seen, reward, terminated, truncated, info = env.step(63)
    assert (reward, terminated, truncated, info["illegal"]) == (-1, True, False, True)
    assert not seen["action_mask"].any()
    with pytest.raises(RuntimeError, match="reset"):
        env.unwrapped.step(1)


@pytest.mark.parametrize("opponent", ["heuristic", "greedy"])
def test_an_illegal_action_raises_on_request(opponent):
    env = make("hegemon/Duel-v0", opponent=opponent, seat=0, illegal="raise").unwrapped
    seen, _ = env.reset(seed=1)
    for action, message in ((63, "not legal there"), (64, "does not exist")):
        with pytest.raises(ValueError, match=message):
            env.step(action)
    env.step(int(seen["action_mask"].argmax()))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"opponent": "grandmaster"}, SetupError, "There is no bot"),
        ({"players": 5}, SetupError, "not 5"),
        ({"seat": 2}, ValueError, "numbered from 0 to 1, not 2"),
        ({"illegal": "cheat"}, ValueError, "can lose or raise, not 'cheat'"),
        ({"render_mode": "rgb_array"}, ValueError, "not as 'rgb_array'"),
    ],
)
def test_impossible_options_are_rejected_immediately(options, error, message):
    with pytest.raises(error, match=message):
        Duel(**options)


# ------------------------------------------------------------------ copies and rendering


@pytest.mark.parametrize("opponent", ["heuristic", "greedy"])
@pytest.mark.parametrize("again", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_and_a_pickle_keep_their_game(opponent, again):
    env = Duel(opponent=opponent)
    seen, _ = env.reset(seed=3)
    for _ in range(6):
        seen, *_ = env.step(int(seen["action_mask"].argmax()))
    other = again(env)
    for _ in range(10):
        action = int(seen["action_mask"].argmax())
        seen, *rest = env.step(action)
        same, *others = other.step(action)
        assert rest == others
        assert np.array_equal(seen["observation"], same["observation"])


def test_the_table_is_rendered_as_the_learner_sees_it(capsys):
    env = Duel(seat=0, render_mode="human")
    seen, _ = env.reset(seed=3)
    game = Game(2, seed=3)
    assert capsys.readouterr().out == f"{write_view(game.view(0))}\n{' '.join(game.choices)}\n"
    env.step(int(seen["action_mask"].argmax()))
    assert capsys.readouterr().out
    silent = Duel()
    silent.reset()
    assert silent.render() is None


# ------------------------------------------------------------------ the vector


def test_the_vector_steps_as_its_batch_does():
    envs = gymnasium.make_vec("hegemon/Duel-v0", num_envs=6, players=3, opponent="heuristic")
    batch = Batch(6, 3, seed=2, opponents="heuristic")
    seen, infos = envs.reset(seed=np.uint32(2))
    ended = 0
    for _ in range(150):
        assert np.array_equal(seen["observation"], batch.observations)
        assert infos["seat"].tolist() == [0, 1, 2, 0, 1, 2]
        actions = batch.masks.argmax(axis=1)
        batch.step(actions)
        seen, rewards, terminations, truncations, infos = envs.step(actions)
        assert rewards.tolist() == batch.rewards[np.arange(6), batch.own_seats].tolist()
        assert np.array_equal(terminations, batch.dones)
        assert not truncations.any()
        ended += terminations.sum()
    assert ended > 3


def test_the_vector_has_the_given_seat():
    envs = gymnasium.make_vec("hegemon/Duel-v0", num_envs=2, seat=1)
    assert envs.reset(seed=1)[1]["seat"].tolist() == [1, 1]
    with pytest.raises(ValueError, match=r"in game 0, \., is not legal"):
        envs.step(np.array([63, 63]))
