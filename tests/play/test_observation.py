"""From a view and a memory to the row that a network reads."""

from random import Random

import pytest

from hegemon.kernels.batch import Batch
from hegemon.kernels.knowledge import KNOWLEDGE, NEXT, knowledge_at_root, remember
from hegemon.kernels.observation import observation as observe_position
from hegemon.notation.choices import read_choice
from hegemon.play.determinization import unseen_cards
from hegemon.play.memory import Memory
from hegemon.play.observation import observation
from hegemon.rules.engine import apply
from hegemon.rules.view import view
from random_games import new_game, play_by_chance


def followed(number):
    """A random game after every decision, with its position and what the kernels remember of it."""
    game = new_game(number)
    position, known = game.position, [0] * KNOWLEDGE
    for seat, choice in play_by_chance(game, Random(number)):
        position.seat = seat
        remember(known, 0, position, read_choice(choice))
        apply(position, read_choice(choice))
        yield game, position, known


@pytest.mark.parametrize("portion", range(4))
def test_a_view_and_a_memory_give_the_row_that_the_kernels_write(portion, untraced):
    remembered = 0
    for number in range(portion, 48, 4):
        for game, position, known in followed(number):
            for seat in range(game.players):
                row = observation(game.view(seat), game.memory(seat))
                assert (row == observe_position(position, seat, known)).all()
                remembered += any(known[seat + NEXT :: NEXT])
    assert remembered > 1000


@pytest.mark.parametrize("portion", range(4))
def test_a_search_begins_with_all_that_the_kernels_remember_of_a_seat(portion, untraced):
    for number in range(portion, 48, 4):
        for game, _, known in followed(number):
            for seat in range(game.players):
                certain, unseen = unseen_cards(game.view(seat), game.memory(seat))
                found = knowledge_at_root(certain, unseen, seat)
                assert found[seat + NEXT :: NEXT] == known[seat + NEXT :: NEXT]
                assert found[seat] <= known[seat]
                assert sum(found) == sum(found[seat::NEXT])


def test_a_row_where_backs_are_not_shown():
    batch = Batch(4, 3, seed=4)
    batch.step(batch.random_actions())
    position = batch.position(0)
    position.rulings = 0
    for seat in range(3):
        row = observation(view(position, seat), Memory(seat, 3))
        assert (row == observe_position(position, seat)).all()


def test_in_the_draft_the_row_can_be_that_of_the_viewers_turn():
    batch = Batch(1, 3, "draft", seed=2)
    position = batch.position(0)
    other = (position.seat + 1) % 3
    own_turn = position.copy()
    own_turn.seat = other
    row = observation(view(position, other), Memory(other, 3), to_move=True)
    assert (row == observe_position(own_turn, other)).all()
