"""Short texts of choices, for terminals with little space."""

from random import Random

import pytest

from hegemon import Game
from hegemon.cli.prose import SHORT, translator, use_language
from hegemon.cli.terminal.screen import short_key, short_text
from hegemon.prose.choices import ChoiceDescriber
from hegemon.prose.english import TABLES
from hegemon.prose.translator import LANGUAGES

NAMES = ("Ada", "Zenobia", "Ashoka", "Livia")


def test_every_choice_has_a_short_text():
    # In the terminal, a player and a Domain are chosen separately.
    plain = {short_key(key.removesuffix(".one")) for key in TABLES["choice"] if not key.endswith(".at")}
    assert plain == {key.removesuffix(".one") for key in SHORT}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_short_text_fits_into_forty_columns(players, language):
    use_language(language)
    for seed in range(4):
        game, chance = Game(players, seed=seed, rulings="pl"), Random(seed)
        while not game.over:
            describer = ChoiceDescriber(game.view(game.seat), NAMES[:players], translator())
            # The number and the choice take the rest of 40 columns.
            assert all(len(short_text(describer, choice)) <= 30 for choice in game.choices)
            game.play(chance.choice(game.choices))
