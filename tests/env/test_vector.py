"""The Gymnasium vector environment: its spaces, its seeds, and its rewards."""

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, VectorEnv

from hegemon import Batch
from hegemon.env.vector import SelfPlay


def test_outputs_are_in_the_spaces():
    env = SelfPlay(6, players=3, variant="draft")
    assert isinstance(env, VectorEnv)
    assert env.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    seen, infos = env.reset(seed=2)
    assert infos["to_move"].tolist() == [0] * 6
    for _ in range(40):
        assert env.observation_space.contains(seen)
        actions = env.batch.random_actions()
        assert env.action_space.contains(actions)
        seen, rewards, terminations, truncations, infos = env.step(actions)
        assert rewards.shape == terminations.shape == truncations.shape == (6,)
        assert not truncations.any()
    env.close()


def test_it_steps_as_its_batch_does_and_rewards_the_seat_that_chose():
    env, batch = SelfPlay(8, players=4, teams=True), Batch(8, players=4, teams=True, seed=9)
    env.reset(seed=9)
    ended = 0
    for _ in range(600):
        chose = batch.seats.copy()
        choices = batch.random_actions()
        batch.step(choices)
        seen, rewards, terminations, _, infos = env.step(choices)
        assert np.array_equal(seen["observation"], batch.observations)
        assert np.array_equal(seen["action_mask"], batch.masks)
        assert np.array_equal(terminations, batch.dones)
        assert np.array_equal(infos["rewards"], batch.rewards)
        assert np.array_equal(infos["chose"], chose)
        assert np.array_equal(infos["to_move"], batch.seats)
        assert rewards.tolist() == [batch.rewards[game, seat] for game, seat in enumerate(chose)]
        ended += terminations.sum()
    assert ended >= 8


def test_returned_arrays_do_not_change_later():
    env = SelfPlay(3)
    seen, infos = env.reset(seed=1)
    before = seen["observation"].copy(), seen["action_mask"].copy(), infos["to_move"].copy()
    env.step(env.batch.random_actions())
    for now, then in zip((seen["observation"], seen["action_mask"], infos["to_move"]), before, strict=True):
        assert np.array_equal(now, then)


def test_without_a_seed_the_next_game_follows_from_the_last_seed():
    def hands(env):
        return [env.reset(seed=seed)[0]["observation"].tobytes() for seed in (4, None, None)]

    one, other = hands(SelfPlay(3)), hands(SelfPlay(3))
    assert one == other
    assert len(set(one)) == 3


def test_a_wrong_choice_names_its_game():
    env = SelfPlay(3)
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"in game 2, \., is not legal"):
        env.step([*env.batch.random_actions()[:2], 63])
