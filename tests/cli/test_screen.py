"""Answers in a few words, for terminals with many of them."""

from random import Random

import pytest

from hegemon import Game
from hegemon.cli.prose import SHORT_CHOICE_TEXTS
from hegemon.cli.terminal.screen import short_text
from hegemon.prose.choices import ChoiceDescriber
from hegemon.prose.english import TABLES

NAMES = ("Ada", "Zenobia", "Ashoka", "Livia")


def test_every_meaning_can_be_said_in_short():
    plain = {key.removesuffix(".one") for key in TABLES["choice"]}
    assert plain == {key.removesuffix(".one") for key in SHORT_CHOICE_TEXTS}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_an_answer_in_a_few_words_fits_into_half_of_eighty_columns(players):
    for seed in range(4):
        game, chance = Game(players, seed=seed, rulings="pl"), Random(seed)
        while not game.over:
            describer = ChoiceDescriber(game.view(game.seat), NAMES[:players])
            # So much is left of 40 columns by the number and the word.
            assert all(len(short_text(describer, choice)) <= 30 for choice in game.choices)
            game.play(chance.choice(game.choices))
