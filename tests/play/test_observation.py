"""From a view to the row that a network reads."""

import pytest

from hegemon.kernels.batch import Batch
from hegemon.kernels.gpu_batch import ALL_SETUPS
from hegemon.kernels.observation import observation as observe_position
from hegemon.play.observation import observation
from hegemon.rules.view import view


@pytest.mark.parametrize("setup", ALL_SETUPS, ids=str)
def test_a_view_gives_the_row_that_the_batch_writes(setup, untraced):
    batch = Batch(8, setup.players, setup.variant, teams=setup.teams, seed=4)
    for step in range(160):
        position = batch.position(step % 8)
        for seat in range(setup.players):
            assert (observation(view(position, seat)) == observe_position(position, seat)).all()
        batch.step(batch.random_actions())


def test_a_row_where_backs_are_not_shown():
    batch = Batch(4, 3, seed=4)
    batch.step(batch.random_actions())
    position = batch.position(0)
    position.rulings = 0
    for seat in range(3):
        assert (observation(view(position, seat)) == observe_position(position, seat)).all()


def test_in_the_draft_the_row_can_be_that_of_the_viewers_turn():
    batch = Batch(1, 3, "draft", seed=2)
    position = batch.position(0)
    other = (position.seat + 1) % 3
    own_turn = position.copy()
    own_turn.seat = other
    assert (observation(view(position, other), to_move=True) == observe_position(own_turn, other)).all()
