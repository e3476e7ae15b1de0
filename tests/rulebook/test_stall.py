"""Endless play, and the stall rule against it."""

import random

from hegemon.rules.position import Question
from rulebook import given, ruling, shuffled


@ruling("A111")
def test_ten_rounds_without_a_draw_end_the_game():
    table = given("M1(R1E1S1)/E1(R1E1S1) 2e - - - M1R1 - 12.9").when(".").ends("stall", 2)
    table.then("M1(R1E1S1)/E1(R1E1S1) 2s - - - M1R1 - 12.10")
    table = given("M1(R1E1S1)/E1(R1E1S1) 2e - - - M1R1 - 12.8").when(".")
    table.then("M1(R1E1S1)/E1(R1E1S1) 1p - - - M1R1 - 13.9")
    table = given("M1(R1E1S1)/E1(R1E1S1) 2e - - - M1R1").when(".")
    table.then("M1(R1E1S1)/E1(R1E1S1) 1p - - - M1R1 - 2.1")


@ruling("A111")
def test_a_draw_resets_the_count_of_quiet_rounds():
    table = given("M1(R1E1S1)/E1(R1E1) 2e - - - M1R1 - 12.9").when(".")
    table.then("M1(R1E1S1)/E1(M1R1E1) 1p - - - R1 - 13")
    table = given("M1(R1E1S1)/E1(R1E1S1) 2e - - - M1R1 - 12.9*").when(".")
    table.then("M1(R1E1S1)/E1(R1E1S1) 1p - - - M1R1 - 13")
    table = given("M1(R1E1)/E1(R1E1S1) 1e - - - M1R1 - 12.9").when(".")
    table.then("M1(M1R1E1)/E1(R1E1S1) 2p - - - R1 - 12.9*")


@ruling("A111")
def test_a_breakthrough_counts_as_a_draw():
    table = given("M1(R1E1S1)/S1(R1E1S1) 2e - - - M11111R1 - 12.9").when("sS M M M M M")
    table.then("M1(R1E1S1)/(R1E1S1) 2e s - - R1 M11111S1 12.9*")
    table.when(".").then("M1(R1E1S1)/(R1E1S1) 1p - - - R1 M11111S1 13")


@ruling("A111")
def test_hegemony_comes_before_the_stall_rule():
    given("M1(R1E1S1)/E11111111(R1E1S1) 2e - - - M1R1 - 12.9").when(".").ends("hegemony", 2)


@ruling("A111")
def test_quiet_rounds_are_counted_after_the_last_seat_only():
    table = given("M1(R1E1S1)/E1(R1E1S1) 1e - - - M1R1 - 12.9").when(".")
    table.then("M1(R1E1S1)/E1(R1E1S1) 2p - - - M1R1 - 12.9")


def test_the_stalled_game_is_scored_by_majorities():
    given("M1R1(R1E1S1)/E1(R1E1S1) 2e - - - M1R1 - 12.9").when(".").scores(2, 1).ends("stall", 1)


@ruling("A112")
def test_a_turn_can_always_be_completed():
    given("()/(R1) 1e").offers_only(".").when(".").then("()/(R1) 2p")
    table = shuffled(players=3).deal("draft")
    chance = random.Random(112)
    while table.choices:
        assert table.position.question != Question.EFFECTS or "." in table.choices
        table = table.when(chance.choice(table.choices))
    assert table.position.question == Question.OVER
