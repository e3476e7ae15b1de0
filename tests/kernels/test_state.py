"""Full-state rows: what the seat to move sees, and everything that it does not."""

import numpy as np
import pytest

from hegemon.kernels import FEATURES, OBSERVATION, STATE, STATE_FEATURES, Batch
from hegemon.kernels import batch as batches
from hegemon.rules.cards import DOMAINS, count, count_of_age

TABLES = [
    {"players": 2},
    {"players": 3, "variant": "draft", "rulings": "pl"},
    {"players": 4, "variant": "draft", "teams": True, "rulings": "standard!show-backs"},
]


def part(row, name):
    piece = next(piece for piece in STATE if piece.name == name)
    return row[piece.offset : piece.offset + piece.length].reshape(piece.shape)


def cards(piles):
    return [[*(count_of_age(pile, age) for age in (1, 2, 3)), count(pile)] for pile in piles]


def test_the_pieces_are_contiguous():
    end = 0
    for piece in STATE:
        assert piece.offset == end
        end += piece.length
    assert end == STATE_FEATURES
    assert STATE[: len(OBSERVATION)] == OBSERVATION


@pytest.mark.parametrize("table", TABLES)
def test_a_row_holds_the_observation_and_all_hidden_cards(table):
    batch = Batch(4, seed=3, **table)
    for _ in range(80):
        rows = batch.states()
        assert rows.shape == (4, STATE_FEATURES)
        assert np.array_equal(rows[:, :FEATURES], batch.observations)
        for game, row in enumerate(rows):
            position = batch.position(game)
            for left in range(4):
                seat = (position.seat + left) % position.players
                there = left < position.players
                nothing = [[0] * 4] * DOMAINS
                assert part(row, "hands")[left].tolist() == (
                    cards(position.hands[seat]) if there else nothing
                )
                assert part(row, "all_kept")[left].tolist() == (
                    cards(position.kept[seat]) if there else nothing
                )
            deck = part(row, "deck_order")[: position.deck_size].tolist()
            assert deck == position.deck[: position.deck_size][::-1]
            assert not part(row, "deck_order")[position.deck_size :].any()
        batch.step(batch.random_actions())


def test_rows_are_the_same_without_numba(monkeypatch):
    compiled = Batch(3, 3, "draft", seed=8)
    with monkeypatch.context() as without_numba:
        without_numba.setattr(batches, "can_compile", lambda: False)
        interpreted = Batch(3, 3, "draft", seed=8)
    assert np.array_equal(compiled.states(), interpreted.states())
