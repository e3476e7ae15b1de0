"""The turn: play a card, apply effects, draw."""

import pytest

from hegemon.notation.reading import read_position
from hegemon.play.game import Game
from hegemon.play.legality import IllegalMoveError
from hegemon.rules.cards import DOMAINS, LETTERS
from hegemon.rules.effects.step import discard_used
from hegemon.rules.turn import jump_to_turn
from rulebook import Scenario, given, ruling


def game_after(*choices):
    """A game in which seat 1 was dealt M1R1S1 and made these choices."""
    game = Game(players=2, seed=3)
    for choice in choices:
        game.play(choice)
    return game


def test_a_turn_begins_with_playing_one_card():
    table = given("(M1R1E1)/(M1S1C1) 1p - - - M1R1")
    table.offers_only("M R E")
    table.when("M").then("M1(R1E1)/(M1S1C1) 1e")


def test_turns_go_clockwise_from_the_first_player():
    given("M1(R1E1S1)/E1(R1E1S1)/S1(R1E1S1) 1e - - - M1").when(".").then(
        "M1(R1E1S1)/E1(R1E1S1)/S1(R1E1S1) 2p"
    )
    given("M1(R1E1S1)/E1(R1E1S1)/S1(R1E1S1) 3e - - - M1 - 4*").when(".").then(
        "M1(R1E1S1)/E1(R1E1S1)/S1(R1E1S1) 1p - - - M1 - 5"
    )


@pytest.mark.parametrize(
    ("before", "choices", "after"),
    [
        ("U33333(R1)/C1(M1) 1e - - - M1 R1E1", "U++ R", "U33333(R11)/C1(M1) 2p - - - M1 E1 1"),
        ("S111(R1)/C1(M1) 1e", "S+", "S111(R1)/C1(M1) 2p - - - - - 1"),
        ("M1E1(R1)/C1(M1) 1e", "e+1", "M1E1(R1)/C1(M1) 2p - - - - - 1"),
        ("M1E1(R1)/C1(M1) 1e", "e+0 M", "M1(R1)/C1(M1) 2p - - - - - 1"),
        ("M1(R1)/C1(M1) 1e", "", "M1(R1)/C1(M1) 2p - - - - - 1"),
    ],
)
def test_a_turn_that_begins_before_its_time_begins_like_any_other(before, choices, after):
    position = given(before, rules="standard+embargo-self").when(choices).position
    jump_to_turn(position, 1)
    Scenario(position).then(after)
    assert position == given(after, rules="standard+embargo-self").position


def test_the_hand_is_filled_up_to_three_cards():
    given("M1(R1)/E1(R1S1C1) 1e - - - M1R1E2S2").when(".").then("M1(M1R11)/E1(R1S1C1) 2p - - - E2S2")


@ruling("D28")
def test_a_hand_at_or_above_the_hand_size_draws_nothing_and_discards_nothing():
    given("M1(R1E1S11)/E1(R1S1C1) 1e - - - M1R1").when(".").then("M1(R1E1S11)/E1(R1S1C1) 2p - - - M1R1 -")
    given("M1(R1E1S1)/E1(R1S1C1) 1e - - - M1R1").when(".").then("M1(R1E1S1)/E1(R1S1C1) 2p - - - M1R1 -")


@ruling("D27")
def test_a_hand_may_grow_past_the_hand_size():
    given("U33333(R1E1S1)/C1(M111) 1e - - - M1 R1E1").when("U++ R E .").then(
        "U33333(R11E11S1)/C1(M111) 2p - - - M1 -"
    )


def test_level_one_needs_three_cards_and_level_two_five_with_two_or_three_players():
    given("M11(R1E1S1)/C1(S1) 1e").refuses("M+ M++")
    given("M111(R1E1S1)/C1(S1) 1e").offers("M+").refuses("M++")
    given("M1111(R1E1S1)/C1(S1)/C1(S1) 1e").offers("M+").refuses("M++")
    given("M11111(R1E1S1)/C1(S1)/C1(S1) 1e").offers("M+ M++")


def test_level_one_needs_two_cards_and_level_two_four_with_four_players():
    given("M1(R1E1S1)/C1(S1)/C1(S1)/C1(S1) 1e").refuses("M+ M++")
    given("M11(R1E1S1)/C1(S1)/C1(S1)/C1(S1) 1e").offers("M+").refuses("M++")
    given("M111(R1E1S1)/C1(S1)/C1(S1)/C1(S1) 1e").offers("M+").refuses("M++")
    given("M1111(R1E1S1)/C1(S1)/C1(S1)/C1(S1) 1e").offers("M+ M++")


def test_every_domain_but_culture_has_two_permanent_effects():
    own = "M{0}R{0}E{0}S{0}C{0}U{1}(R1E1S1)/M1(S1)/M1(S1) 1e mresu - - M1 R1E1"
    given(own.format("11", "33")).offers_only(".")
    given(own.format("111", "333")).offers_only("M+ R+ E+ S+ U+ .")
    given(own.format("1111", "3333")).offers_only("M+ R+ E+ S+ U+ .")
    given(own.format("11111", "33333")).offers_only("M+ M++ R+ R++ E+ E++ S+ S++ U+ U++ .")


def test_every_domain_but_culture_has_a_discard_effect():
    table = given("M1R1E1S1C1U3(E1)/M1(S1)/M1(S1) 1e - - - M1")
    table.offers_only("mR mE mS mC mU r+1 r+2 e+1 e+2 u+1 u+2 sS .")
    given("M1R1E1S1C1U3(E1)/M1(S1)/M1(S1) 1e mresu - - M1").offers_only(".")


def test_level_one_may_be_used_with_the_cards_for_level_two():
    table = given("M11111(R1E1)/C1(S1) 1e")
    table.offers("M+ M++")
    table.when("M+ R").then("M11111(E1)/C1(S1) 1e M")


@ruling("D21")
def test_levels_one_and_two_of_a_domain_are_never_combined():
    table = given("M11111(R1E1S1)/C1(S1) 1e")
    table.when("M+ R").refuses("M+ M++")
    table.when("M++ R E").refuses("M+ M++")


@ruling("A22")
def test_reaching_level_two_after_level_one_gives_nothing_more():
    table = given("M1111E111(M1R1S1)/C1(E1) 1e")
    table.when("M+ R E+ E M").then("M11111E11(S1)/C1(E1) 1e ME")
    table.when("M+ R E+ E M").refuses("M+ M++")


@ruling("D20")
def test_the_threshold_is_checked_just_before_the_effect():
    table = given("M111E111(R1S1)/C1(S1) 1e")
    table.when("E+ M R").refuses("M+")
    table.when("M+ R E+ M S").then("M11E111S1()/C1(S1) 1e ME - - - M1R1")


@ruling("D20")
def test_the_card_just_played_counts_for_the_threshold():
    given("M11(M1R1E1)/C1(S1) 1p").when("M").offers("M+")


def test_the_card_just_played_may_be_spent_for_a_discard_effect():
    given("(R1S1)/C1(M1) 1p").when("S sS").then("(R1)/C1(M1) 1e s - - - S1")


@ruling("D14")
def test_each_domain_gives_one_discard_effect_a_turn():
    table = given("M11E11(R1)/C1(S1) 1e")
    table.when("mE").then("M1E1(R1)/C1(S1) 1e m")
    table.when("mE").offers_only("e+1 .")
    table.when("mE e+1 C").then("M1(R1)/C1e1(S1) 1e me")
    given("M11E11(R1)/C1(S1) 1e", rules="pl").when("mE").offers("e+1 sE").refuses("mM mE")


def test_a_discard_effect_needs_just_one_card():
    given("S1(R1)/C1(M1) 1e").offers_only("sS .")
    given("R1(E1)/C1(M1) 1e").offers_only("r+1 .")


def test_culture_has_no_discard_effect():
    given("C111(R1)/M1(S1) 1e").offers_only(".")


@ruling("D67")
def test_embargo_and_democracy_count_as_discard_effects():
    table = given("M1E11(R1)/C1(S1) 1e")
    table.when("e+1 C").then("M1E1(R1)/C1e1(S1) 1e e")
    table.when("e+1 C").offers_only("mE .")
    given("M1U33(R1)/C1(S1) 1e").when("u+1 C").offers_only("mU .")


@ruling("D66")
def test_several_effects_may_be_used_in_any_order():
    table = given("M111U333(R1E1)/C1(S1) 1e - - - M1 S2")
    table.when("M+ R U+ S").then("M111U333(E1S2)/C1(S1) 1e MU - - M1 R1")
    table.when("U+ S M+ R").then("M111U333(E1S2)/C1(S1) 1e MU - - M1 R1")


def test_a_permanent_and_a_discard_effect_of_one_domain_may_both_be_used():
    given("M111E1(R1)/E1(S1) 1e").when("M+ R mE").then("M11()/(S1) 1e Mm")


@ruling("D65")
def test_an_effect_may_play_more_cards_than_step_one():
    given("E111(R1S1)/C1(S1) 1p").when("R E+ E S").then("R1E11S1()/C1(S1) 1e E")


@ruling("A24")
def test_a_started_effect_is_carried_through():
    table = given("E111(R1)/C1(S1) 1e")
    table.when("E+").offers_only("E")
    table.when("E+ E").offers_only("R")
    given("M111E111(R1S1)/C1(S1) 1e").when("M+").offers_only("R S")


@ruling("A24")
def test_a_choice_that_revealed_hidden_cards_is_not_undone():
    inquisition = game_after("R", "r+1")
    with pytest.raises(IllegalMoveError):
        inquisition.undo()
    breakthrough = game_after("S", "sS")
    with pytest.raises(IllegalMoveError):
        breakthrough.undo()
    draw = game_after("M", ".")
    with pytest.raises(IllegalMoveError):
        draw.undo()
    assert game_after("R").undo() == "R"


@ruling("D19")
def test_step_one_is_skipped_when_every_hand_card_is_under_embargo():
    given("C1(R1E1S1)/M1e1(M112) 1e - - - E1S1").when(".").then("C1(R1E1S1)/M1e1(M112) 2e")
    given("C1(R1E1S1)/M1e1(M1R1) 1e - - - E1S1").when(".").offers_only("R")
    given("C1(R1E1S1)/M1e1(M112) 1e - - - E1S1", rules="pl").when(".").then("C1(R1E1S1)/M1e1(M112) 2e")


@ruling("A16")
def test_only_an_embargo_makes_a_card_unplayable():
    given("M1e1(M1R1E1S1C1U3)/C1(S1) 1p").offers_only("R E S C U")
    given("M1111111u33(M1)/C1(S1) 1p").offers_only("M")


@ruling("A15")
def test_an_empty_hand_skips_step_one():
    given("C1(R1E1S1)/M1() 1e - - - E1S1").when(".").then("C1(R1E1S1)/M1() 2e")


@ruling("A17")
def test_a_skipped_step_one_is_not_made_up_for():
    table = given("C1(R1E1S1)/M1e1U333(M1) 1e - - - E1S1 R1")
    table.when(". U+ R").then("C1(R1E1S1)/M1e1U333(M1R1) 2e U")
    table.when(". U+ R").refuses("R M")


@ruling("A18")
def test_no_effect_comes_before_the_play_or_after_the_draw():
    given("M111R1(R1E1S1)/C1(S1) 1p - - - M1").offers_only("R E S")
    given("M111(R1E1)/C1(R1E1S1) 1e - - - M1").when(".").then("M111(M1R1E1)/C1(R1E1S1) 2p")


@ruling("A21")
def test_a_card_paid_as_a_cost_neither_starts_nor_uses_up_its_discard_effect():
    table = given("M11E111(R1)/E1(S1) 1e")
    table.when("E+ M R").then("M1R1E111()/E1(S1) 1e E - - - M1")
    table.when("E+ M R").offers("mE")


@ruling("A23")
def test_once_a_turn_belongs_to_the_domain_and_is_free_again_next_turn():
    given("M111111(R1E1S1)/C1(S1) 1e").when("M+ R").refuses("M+ M++")
    given("M111(R1E1S1)/C1(R1E1S1) 1e Mm - - S1111").when(". S . R").offers("M+ mM")


@ruling("A25")
def test_a_player_without_any_cards_draws_and_continues():
    table = given("C1(R1E1S1)/() 1e - - - M1R1E1S1")
    table.when(".").then("C1(R1E1S1)/() 2e")
    table.when(".").offers_only(".")
    table.when(". .").then("C1(R1E1S1)/(M1R1E1) 1p - - - S1")


@ruling("A26")
def test_a_card_under_a_marker_counts_in_full():
    given("M111e1u3(R1E1)/C1(S1) 1e").offers("M+ mM")


@pytest.mark.parametrize("letter", "mresu")
def test_each_discard_effect_is_marked_as_used_separately(letter):
    position = read_position(f"M1(R1)/C1(C1) 1e {letter}")
    assert [domain for domain in range(DOMAINS) if discard_used(position, domain)] == [
        LETTERS.index(letter.upper())
    ]
