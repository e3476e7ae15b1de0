"""The search: legal whatever happens, the same at both speeds, in time, and able to say why."""

from random import Random

import pytest

from hegemon import Game, Memory, read_position
from hegemon.bots import warm_up
from hegemon.bots.unseen import lay_out_unseen
from hegemon.kernels.imagination import deal_unseen
from hegemon.kernels.tree import Settings
from hegemon.notation.words import words_of
from hegemon.rules.choices import legal
from hegemon.rules.view import view
from random_games import asked as asked_seat
from random_games import chosen, new_game

SETTINGS = Settings(1.0, 0.3)


@pytest.fixture(scope="module", autouse=True)
def warm():
    warm_up()


def middle_of(number, words):
    """A random game of every kind of table, so many words on; or nearly so many, if it would be over."""
    game, chance = new_game(number), Random(number)
    for _ in range(words):
        kept = game.record()
        seat = asked_seat(game, chance)
        game.play(chosen(game, seat, chance, calm=False), seat)
        if game.over:
            return Game.from_record(kept)
    return game


def asked(line):
    position = read_position(line)
    seen = view(position, position.seat)
    return seen, Memory(seen.viewer, seen.players), words_of(legal(position))


# ------------------------------------------------------------------ what it imagines


@pytest.mark.parametrize("number", range(0, 96, 5))
def test_every_imagined_position_fits_the_view(number):
    game = middle_of(number, 7 * number % 90)
    seat = asked_seat(game, Random(number))
    seen, memory = game.view(seat), game.memory(seat)
    base, unseen = lay_out_unseen(seen, memory)
    state = 1 + number
    for _ in range(10):
        position = base.copy()
        state = deal_unseen(position, unseen, state)
        assert position.seat == seat
        position.seat = seen.seat
        again = view(position, seat)
        assert again == seen
        # What the memory knows must be there: imagining once more from this world changes nothing that is certain.
        for other in range(seen.players):
            held = [
                hand + kept for hand, kept in zip(position.hands[other], position.kept[other], strict=True)
            ]
            assert all(
                (pile & 31) >= (known & 31) for pile, known in zip(held, memory.known(other), strict=True)
            )
