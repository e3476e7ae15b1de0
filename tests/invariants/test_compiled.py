"""Compiled play equals interpreted play, decision by decision: the same legal choices, the same bytes."""

from itertools import product
from random import Random

import pytest

from hegemon.kernels import POSITION_DTYPE, Series, to_bytes, transcripts
from hegemon.rules.engine import apply, legal
from hegemon.rules.rulings import PRESETS, SWITCHES
from hegemon.rules.setup import Variant, deal
from hegemon.rules.shuffle import shuffle, stream

GAMES = 10_200
PORTIONS = 20
SEED = 20_190_401

#: Players and teams.
TABLES = [(2, False), (3, False), (4, False), (4, True)]


def every_series():
    """Every table, variant and preset in turn; every other game with switches that no edition has."""
    chance = Random(SEED)
    settings = list(product(TABLES, map(int, Variant), PRESETS.values()))
    for number in range(GAMES):
        (players, teams), variant, rulings = settings[number // 2 % len(settings)]
        if number % 2:
            rulings = chance.randrange(1 << len(SWITCHES))
        yield Series(1, players, variant, teams, rulings, SEED, number)


def interpreted_game(series):
    position = series.empty_position()
    shuffle(position, stream(series.seed, series.first))
    deal(position, series.variant)
    return position


@pytest.mark.parametrize("portion", range(PORTIONS))
@pytest.mark.usefixtures("untraced")
def test_compiled_play_is_interpreted_play(portion):
    size = POSITION_DTYPE.itemsize
    for series in list(every_series())[portion::PORTIONS]:
        position = interpreted_game(series)
        for game in transcripts(series):
            table = game.positions.tobytes()
            assert to_bytes(position) == table[:size]
            place = size
            for choices, word in zip(game.choices.tolist(), game.actions.tolist(), strict=True):
                assert legal(position) == choices, (series, position)
                apply(position, word)
                assert to_bytes(position) == table[place : place + size], (series, position)
                place += size
            assert legal(position) == 0


def test_the_series_cover_every_kind_of_game():
    everything = list(every_series())
    assert len(everything) >= 10_000
    met = {(series.players, series.teams, series.variant, series.rulings) for series in everything}
    assert len(met) > 800
    for (players, teams), variant, rulings in product(TABLES, map(int, Variant), PRESETS.values()):
        assert (players, teams, variant, rulings) in met
