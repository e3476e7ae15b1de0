"""Perft: both speeds count the same sequences."""

import pytest

from hegemon.kernels import Series, divide, perft, perft_compiled, perft_interpreted, transcripts
from hegemon.kernels import to_position as position_of
from hegemon.kernels.sequences import count_sequences
from hegemon.rules.engine import legal
from hegemon.rules.position import OVER


class Line(list):
    """A line of positions that are copied into their places, as an array of records does it."""

    def __setitem__(self, place, position):
        super().__setitem__(place, position.copy())


def positions(players, variant, step):
    (game,) = transcripts(Series(1, players=players, variant=variant, seed=6))
    return [position_of(record) for record in game.positions[::step]]


@pytest.mark.slow
@pytest.mark.parametrize(("players", "variant"), [(2, 0), (3, 1), (4, 0)])
def test_compiled_and_interpreted_count_the_same(players, variant):
    for position in positions(players, variant, 40):
        before = position.copy()
        for depth in range(5):
            sequences = perft_interpreted(position, depth)
            assert perft_compiled(position, depth) == perft(position, depth) == sequences
            if depth:
                line = Line([position.copy() for _ in range(depth)])
                assert count_sequences(line, [0] * depth, depth) == sequences
                assert sum(divide(position, depth).values()) == sequences
        assert position == before


def test_nothing_follows_the_end():
    position = positions(2, 0, 1)[-1]
    assert position.question == OVER
    assert [perft(position, depth) for depth in (0, 1, 2)] == [1, 0, 0]
    assert divide(position, 1) == {}


def test_sequences_of_one_are_the_legal_actions():
    position = positions(3, 1, 1)[0]
    assert perft(position, 1) == legal(position).bit_count()
    actions = [action for action in range(64) if legal(position) >> action & 1]
    assert divide(position, 1) == dict.fromkeys(actions, 1)


def test_without_numba_it_is_counted_interpreted(monkeypatch):
    position = positions(2, 0, 1)[0]
    sequences = perft(position, 3)
    monkeypatch.setattr("hegemon.kernels.sequences.can_compile", lambda: False)
    monkeypatch.setattr("hegemon.kernels.sequences.perft_compiled", None)
    assert perft(position, 3) == sequences


def test_an_impossible_length_is_rejected_with_a_reason():
    position = positions(2, 0, 1)[0]
    for count in (perft, perft_interpreted, perft_compiled):
        with pytest.raises(ValueError, match="0 or more, not -1"):
            count(position, -1)
    with pytest.raises(ValueError, match="1 or more, not 0"):
        divide(position, 0)
