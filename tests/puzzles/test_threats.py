"""Whether another player could win before one's next turn."""

from dataclasses import replace

from hegemon.puzzles.collection import all_puzzles
from hegemon.puzzles.selecting import problem_of


def test_a_defense_that_cannot_be_proved_is_reported():
    puzzle = next(one for one in all_puzzles() if one.goal == "defend")
    unclear = replace(puzzle, position="M1111R1(E1)/E1(R1)/M1111C1(R1) 1p")
    assert problem_of(unclear) == "it cannot be proved"
