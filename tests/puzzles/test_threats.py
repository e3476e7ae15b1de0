"""Whether another player could win before one's next turn."""

from dataclasses import replace

from hegemon.notation.reading import read_position
from hegemon.puzzles.collection import all_puzzles
from hegemon.puzzles.selecting import problem_of
from hegemon.puzzles.threats import within_reach
from hegemon.rules.cards import MILITARY


def test_others_may_grow_by_all_cards_of_a_turn_before_a_later_one():
    """Seat 2 could reach five Economy cards from one: a card, Research for two, Development for one."""
    position = read_position("M1(R1)/E1(R1)/M1111C1(R1) 1p")
    assert within_reach(position, 2, MILITARY, later=True), "a card, and Monopoly copied from seat 2"
    assert not within_reach(position, 2, MILITARY, later=False)


def test_others_may_lose_their_lead_in_culture_before_a_later_turn():
    position = read_position("M1(R1)/E11111C11(R1)/M1111C1(R1) 1p")
    assert within_reach(position, 2, MILITARY, later=True)
    assert not within_reach(position, 2, MILITARY, later=False)


def test_a_defense_that_cannot_be_proved_is_reported():
    puzzle = next(one for one in all_puzzles() if one.goal == "defend")
    unclear = replace(puzzle, position="M1111R1(E1)/E1(R1)/M1111C1(R1) 1p")
    assert problem_of(unclear) == "it cannot be proved"
