"""Short texts of choices, for terminals with little space."""

from random import Random

import pytest

from hegemon import Game
from hegemon.cli.prose import SHORT_CHOICE_TEXTS
from hegemon.cli.terminal.screen import short_text
from hegemon.prose.choices import ChoiceDescriber
from hegemon.prose.english import TABLES

NAMES = ("Ada", "Zenobia", "Ashoka", "Livia")


def test_every_choice_has_a_short_text():
    # In short, a Domain is the same whether it is one's own.
    plain = {key.removesuffix(".one").replace("-domain.self", "-domain") for key in TABLES["choice"]}
    assert plain == {key.removesuffix(".one") for key in SHORT_CHOICE_TEXTS}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_short_text_fits_into_forty_columns(players):
    for seed in range(4):
        game, chance = Game(players, seed=seed, rulings="pl"), Random(seed)
        while not game.over:
            describer = ChoiceDescriber(game.view(game.seat), NAMES[:players])
            # The number and the choice take the rest of 40 columns.
            assert all(len(short_text(describer, choice)) <= 30 for choice in game.choices)
            game.play(chance.choice(game.choices))
