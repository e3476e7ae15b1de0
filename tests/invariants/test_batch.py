"""A batch plays the same games as `Game`: the same positions, choices and results."""

import numpy as np
import pytest

from every_batch import BATCHES, GAMES, STEPS
from hegemon import Game
from hegemon.notation.cards import write_cards
from hegemon.rules.actions import CHOICES
from hegemon.rules.position import Position
from hegemon.rules.shuffle import shuffle, stream

pytestmark = pytest.mark.usefixtures("untraced")


def the_game(batch, number):
    """The game with this number in a batch's series, as a Game."""
    table = Position(players=batch.players)
    shuffle(table, stream(batch.seed, number))
    deck = write_cards(table.deck[: table.deck_size][::-1])
    return Game(batch.players, batch.variant, teams=batch.teams, rulings=batch.rulings, deck=deck)


@pytest.mark.parametrize("batch", BATCHES, ids=repr)
def test_a_batch_plays_what_a_game_plays(batch):
    batch.reset()
    games = [the_game(batch, number) for number in range(GAMES)]
    assert games[0].position == Game(
        *(batch.players, batch.variant), teams=batch.teams, rulings=batch.rulings, seed=batch.seed
    ).position  # fmt: skip
    for _ in range(STEPS):
        for place, game in enumerate(games):
            assert batch.position(place) == game.position
            assert batch.seats[place] == game.seat
            assert tuple(CHOICES[word] for word in np.flatnonzero(batch.masks[place])) == game.choices
        choices = batch.random_actions()
        batch.step(choices)
        for place, game in enumerate(games):
            game.play(CHOICES[choices[place]])
            assert batch.dones[place] == game.over
            rewards = [0] * batch.players
            if game.over:
                won = game.result.winners
                share = batch.players / len(won) - 1
                rewards = [share if seat in won else -1 for seat in range(batch.players)]
                games[place] = the_game(batch, int(batch.numbers[place]))
            assert batch.rewards[place].tolist() == np.float32(rewards).tolist()
