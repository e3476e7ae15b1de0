"""Golden counts: the number of sequences of moves after a position, interpreted and compiled."""

import tomllib
from pathlib import Path

import pytest

from hegemon.kernels import can_compile, perft_compiled, perft_interpreted
from hegemon.notation.reading import read_position
from hegemon.notation.writing import write_position
from hegemon.rules.position import Question

POSITIONS = tomllib.loads((Path(__file__).parent / "perft.toml").read_text(encoding="utf-8"))["positions"]

#: The most sequences that the interpreter counts; compiled code counts them all.
MAX_INTERPRETED = 2_000

every_position = pytest.mark.parametrize("golden", POSITIONS, ids=lambda golden: golden["name"])


@every_position
def test_interpreted_perft_gives_the_golden_counts(golden):
    position = read_position(golden["line"])
    assert write_position(position) == golden["line"]
    for depth, sequences in enumerate(golden["counts"], 1):
        if sequences <= MAX_INTERPRETED:
            assert perft_interpreted(position, depth) == sequences
    assert position == read_position(golden["line"])


@pytest.mark.slow
@pytest.mark.skipif(not can_compile(), reason="Numba is not installed")
@every_position
def test_compiled_perft_gives_the_golden_counts(golden):
    position = read_position(golden["line"])
    assert [perft_compiled(position, depth + 1) for depth in range(len(golden["counts"]))] == golden["counts"]


def test_the_golden_positions_are_of_every_kind():
    positions = [read_position(golden["line"]) for golden in POSITIONS]
    assert len(positions) >= 12
    assert len({golden["name"] for golden in POSITIONS}) == len(positions)
    assert {position.players for position in positions} == {2, 3, 4}
    assert {position.teams for position in positions} == {0, 1}
    assert len({position.rulings for position in positions}) >= 4
    questions = {position.question for position in positions}
    assert questions >= set(Question) - {Question.DEMOCRACY, Question.PLAY_MORE, Question.OVER}
