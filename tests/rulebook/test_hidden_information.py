"""Hidden information: who may see what, and what stays known."""

import pytest

from hegemon.rules.rulings import PRESETS
from hegemon.rules.view import view
from rulebook import given, ruling, shuffled, with_deck


@ruling("A05")
def test_hands_are_private_and_their_size_is_public():
    table = (
        given("M1(R1E2)/C1(M2S12) 1e - - - M1")
        .seen_by(1, "M1(R1E2)/C1(?122)")
        .seen_by(2, "M1(?12)/C1(M2S12)")
    )
    table.seen_by(0, "M1(?12)/C1(?122)")
    table.looks_like(given("M1(R1E2)/C1(R12C2) 1e - - - M1"), 1, 0)
    given("M1(R1)/C1(S1)/C1(S1)/C1(E1) 1e").looks_like(given("M1(M1)/C1(R1)/C1(E1)/C1(S1) 1e"), 0)


@ruling("D53")
def test_the_backs_show_the_age():
    given("(M1E2S3)/(R2) 1p").seen_by(2, "(?123)/(R2)")


@ruling("A04")
def test_the_ages_of_hand_cards_are_public():
    given("(M1S3)/(R2) 1p").seen_by(2, "(?13)/(R2)").seen_by(0, "(?13)/(?2)")
    for preset in PRESETS:
        given("(M1S3)/(R2) 1p", rules=preset).seen_by(1, "(M1S3)/(?2)")


@ruling("A04")
def test_hidden_backs_show_only_how_many_cards_a_hand_has():
    table = (
        given("(M1S3)/(R2) 1p", rules="standard!show-backs").seen_by(2, "(??)/(R2)").seen_by(0, "(??)/(?)")
    )
    table.looks_like(given("(M2E2)/(R2) 1p", rules="standard!show-backs"), 2, 0)
    given("(M1E1)[M1C1]/(S1C1)[M1S1] 1d", rules="standard!show-backs").seen_by(1, "(M1E1)[M1C1]/(??)[??]")


@ruling("D54", "A02")
def test_the_deck_lies_face_down():
    table = given("(M1)/(R1) 1p - - - M1R1E2S2").seen_by(1, "(M1)/(?1) 1p - - - ?1122")
    table.looks_like(given("(M1)/(R1) 1p - - - R1M1S2E2"), 1, 2, 0)


@ruling("A03")
def test_the_size_of_the_deck_and_its_top_age_are_public():
    given("(M1)/(R1) 1p - - - M1R2S33").seen_by(2, "(?1)/(R1) 1p - - - ?1233")
    given("(M1)/(R1) 1p - - - S33").seen_by(0, "(?1)/(?1) 1p - - - ?33")
    given("(M1)/(R1) 1p", rules="standard!show-backs").seen_by(0, "(?)/(?) 1p - - - -")


@ruling("D68")
def test_the_discard_pile_is_open_to_all():
    table = given("(M1)/(R1) 1p - - - S3 M1R12U3")
    table.seen_by(1, "(M1)/(?1) 1p - - - ?3 M1R12U3").seen_by(2, "(?1)/(R1) 1p - - - ?3 M1R12U3")
    table.seen_by(0, "(?1)/(?1) 1p - - - ?3 M1R12U3")


@pytest.mark.parametrize(
    ("position", "choices", "shown"),
    [
        ("M1(R1E1S1)/C1(M1) 1p", "R", 0),
        ("E1M1(R1)/C1(M1) 1e", "e+1 C", 0),
        ("E1M1(R1)/C1(M1) 1e", "e+0 M", 0),
        ("U3M1(R1)/C1(M1) 1e", "u+1 C", 0),
        ("U33333(R1)/C1(M1) 1e - - - M1 R1E1", "U++ R E", 0),
        ("M1(R1S1C1)/C1(M1) 1e - - - M1", ".", 0),
        ("M1(R1)/C1(M1) 1e - - - M1E1S1", ".", 2),
        ("S1(R1)/C1(M1) 1e - - - M1E1S1", "sS", 3),
        ("S1(R1)/C1(M1) 1e", "sS", 0),
        ("R1(R1)/C1(M1S1) 1e", "r+1", 2),
        ("R1(R1)/C1() 1e", "r+1", 0),
        ("(M1E1)[M1C1]/(S1C1)[M1S1] 1d", "1:M1", 0),
    ],
)
def test_a_player_knows_more_faces_where_hidden_cards_are_shown(position, choices, shown):
    before = given(position, rules="standard+embargo-self")
    after = before.when(choices)
    assert view(after.position, 0).faces - view(before.position, 0).faces == shown


@ruling("A01")
def test_the_cards_in_the_box_stay_unknown():
    assert set(shuffled(players=2).position.deck[95:]) == {0}
    table = with_deck("M111R111S1E2", players=2).deal("basic")
    table.looks_like(with_deck("M111R111C1M2", players=2).deal("basic"), 1, 2, 0)


@ruling("A48")
def test_an_inquisition_is_seen_by_the_two_players_only():
    table = given("R1(M1E1)/C1(S1C1U3)/S1(R1) 1e").when("r+1")
    table.seen_by(1, "(M1E1S1C1U3)/C1()/S1(?1)").seen_by(2, "(?11113)/C1()/S1(?1)")
    table.when("M E").looks_like(table.when("S C"), 2, 3, 0)
    table = table.when("M E S").seen_by(2, "(?13)/C1(M1E1S1)/S1(?1)").seen_by(3, "(?13)/C1(?111)/S1(R1)")
    table.remembers(1, "M1E1S1", of=2).remembers(2, "C1U3", of=1)
    table.remembers(3, "", of=1).remembers(3, "", of=2)


@ruling("A35", "A48")
def test_the_gifts_of_an_inquisition_change_hands_together():
    table = given("R1(M1E1)/C1(S1U3)/S1(R1) 1e").when("r+1 S").then("(M1E1U3)/C1(S1)/S1(R1) 1e r g1>2:S")
    table.seen_by(1, "(M1E1U3)/C1(?1)/S1(?1) 1e r g1>2:S")
    table.seen_by(2, "(?1113)/C1()/S1(?1) 1e r g2>2").seen_by(3, "(?1113)/C1()/S1(R1) 1e r g2>2")
    table.when("U").seen_by(2, "(?11)/C1(S1U3)/S1(?1) 1e r -").seen_by(3, "(?11)/C1(?13)/S1(R1) 1e r -")


@ruling("A35")
def test_the_order_of_picks_is_seen_by_the_player_only():
    table = given("M11111(R1E1S1)/C1(S1) 1e").when("M++ E")
    table.seen_by(1, "M11111(R1S1)/C1(?1) 1e M h1:E - - E1").seen_by(2, "M11111(?11)/C1(S1) 1e M h1 - - E1")


@ruling("A65")
def test_a_breakthrough_shows_only_its_discards():
    table = given("S1(R1E1)/C1(M1) 1e - - - M111R1E2S2").when("sS M M M R R")
    table.seen_by(2, "(?12)/C1(M1) 1e s - - ?2 M111R11S1")
    table.looks_like(given("S1(R1E1)/C1(M1) 1e - - - M111R1S2E2").when("sS M M M R R"), 2, 0)


@ruling("A67")
def test_a_card_taken_from_the_discard_pile_stays_known():
    table = given("U333(R1)/C1(S1C1M1) 1e - - - E2M11 E2").when("U+ E").remembers(2, "E2", of=1)
    table = table.when(". S .").remembers(2, "E2", of=1)
    table.when("R").remembers(2, "E2", of=1)
    table.when("E").remembers(2, "", of=1)


@ruling("A67")
def test_a_card_taken_back_from_the_table_stays_known():
    given("M2S111(R1)/C1(E1) 1e").when("S+ M").remembers(2, "M2", of=1).when("R").remembers(2, "M2", of=1)
    given("M2S111(R1)/C1(E1) 1e").when("S+ M M").remembers(2, "", of=1)


@ruling("A109")
def test_teammates_do_not_see_each_others_hands():
    table = given("M1(R1E2)/C1(S1)/C1(M1)/C1(E1) 1e", "standard,teams")
    table.seen_by(1, "M1(R1E2)/C1(?1)/C1(?1)/C1(?1)").seen_by(3, "M1(?12)/C1(?1)/C1(M1)/C1(?1)")
