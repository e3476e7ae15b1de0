"""The Draft: keep, pass, keep, pass, keep, and one card for the center."""

from hegemon.rules.view import view
from rulebook import given, ruling, shuffled, with_deck

FIRST_PICK = "(M11R1E1)/(R1S11C1)/(M1E11C1) 1d"
THIRD_PICK = "(M1E1)[M1C1]/(S1C1)[M1S1]/(R1E1)[R1E1] 1d"
CENTER_PICK = "()[M1E1C1]/()[M1S11]/()[R11E1]|M1E1C1 3c"


def cards_of_age_one(table):
    return sum(card.endswith("1") for card in table.deck)


def test_draft_deals_four_cards_to_each_player():
    table = with_deck("M1R1E1S1C1M1R1E1R2", players=2).deal("draft")
    table.then("(M1R1E1S1)/(M1R1E1C1) 1d - - - R2 - 0")
    assert cards_of_age_one(shuffled(players=2).deal("draft")) == 17
    assert cards_of_age_one(shuffled(players=3).deal("draft")) == 13
    assert cards_of_age_one(shuffled(players=4).deal("draft")) == 12


def test_packets_are_passed_to_the_left():
    second = given(FIRST_PICK).when("M1 S1 E1").then("(M1E1C1)[M1]/(M1R1E1)[S1]/(R1S1C1)[E1] 1d")
    second.when("C1 M1 R1").then("(S1C1)[M1C1]/(M1E1)[M1S1]/(R1E1)[R1E1] 1d")
    four = given("(M1111)/(R1111)/(E1111)/(S1111) 1d").when("M1 R1 E1 S1")
    four.then("(S111)[M1]/(M111)[R1]/(R111)[E1]/(E111)[S1] 1d")


def test_a_draft_pick_is_any_card_of_the_packet():
    given("(M11R1E1)/(R1S11C1) 1d").offers_only("M1 R1 E1").when("R1").then("(M11E1)[R1]/(R1S11C1) 2d")
    given("(M12S23)/(E1U333) 1d").offers_only("M1 M2 S2 S3").when("S3").then("(M12S2)[S3]/(E1U333) 2d")


@ruling("D63")
def test_the_third_pick_is_one_of_the_two_cards_received():
    table = given(THIRD_PICK).offers_only("M1 E1")
    table.when("E1").offers_only("S1 C1")
    table.when("E1 S1").offers_only("R1 E1")


def test_the_other_card_goes_face_up_to_the_center():
    given("(M1E1)[M1C1]/(S1C1)[M1S1] 1d").when("M1 C1").then("()[M11C1]/()[M1S1C1]|E1S1 2c")
    given(THIRD_PICK).when("E1 S1 R1").then("()[M1E1C1]/()[M1S11]/()[R11E1]|M1E1C1 3c")


def test_center_picks_start_right_of_the_first_player_and_go_counter_clockwise():
    table = given(CENTER_PICK).waits_for(3)
    table.when("C1").then("()[M1E1C1]/()[M1S11]/C1()[R11E1]|M1E1 2c").waits_for(2)
    table.when("C1 M1").then("()[M1E1C1]/M1()[M1S11]/C1()[R11E1]|E1 1c").waits_for(1)
    table.when("C1 M1 E1").then("E1(M1E1C1)/M1(M1S11)/C1(R11E1) 1p")


@ruling("D62")
def test_a_center_card_is_put_face_up_into_the_play_area():
    table = given("()[M1E1C1]/()[M1S11]|M2E12 2c").offers_only("M2 E1 E2")
    table.when("E2").then("()[M1E1C1]/E2()[M1S11]|M2E1 1c").seen_by(1, "()[M1E1C1]/E2()[?111]|M2E1")


@ruling("D61")
def test_kept_cards_become_the_hand_at_the_end_of_the_draft():
    table = given("()[M1E1C1]/()[M1S11]|M1E1 2c").when("E1").then("()[M1E1C1]/E1()[M1S11]|M1 1c")
    table.when("M1").then("M1(M1E1C1)/E1(M1S11) 1p - - - - - 1")


def test_after_the_draft_everyone_has_three_cards_in_hand_and_one_in_play():
    two = with_deck("M1111R1111E2", players=2).deal("draft")
    two.when("M1 R1 R1 M1 M1 R1 M1 R1").then("R1(M11R1)/M1(M1R11) 1p - - - E2 - 1")
    four = with_deck("M1111R1111E1111S1111C2", players=4).deal("draft")
    four = four.when("M1 R1 E1 S1 S1 M1 R1 E1 E1 S1 M1 R1 R1 M1 S1 E1")
    four.then("E1(M1E1S1)/S1(M1R1S1)/M1(M1R1E1)/R1(R1E1S1) 1p - - - C2 - 1")


@ruling("A08")
def test_a_center_pick_is_not_a_play():
    given("()[M1E1C1]/E1()[M1S11]|M1 1c").when("M1").then("M1(M1E1C1)/E1(M1S11) 1p").offers_only("M E C")


@ruling("A09")
def test_equal_cards_in_the_center_are_one_choice():
    table = given("()[M1E1C1]/()[M1S11]/()[R11E1]|M11E1 3c").offers_only("M1 E1")
    table.when("M1").then("()[M1E1C1]/()[M1S11]/M1()[R11E1]|M1E1 2c")


@ruling("A06")
def test_draft_picks_may_be_made_in_any_order():
    table = given(FIRST_PICK).waits_for(1, 2, 3)
    table.when("3:E1").then("(M11R1E1)/(R1S11C1)/(M1E1C1)[E1] 1d").waits_for(1, 2)
    table.when("3:E1 1:M1").then("(M1R1E1)[M1]/(R1S11C1)/(M1E1C1)[E1] 2d").waits_for(2)
    table.when("3:E1 1:M1 2:S1").then("(M1E1C1)[M1]/(M1R1E1)[S1]/(R1S1C1)[E1] 1d").waits_for(1, 2, 3)


@ruling("A06")
def test_a_pick_stays_hidden_until_the_rules_show_it():
    table = given(FIRST_PICK)
    table.when("2:R1").looks_like(table.when("2:S1"), 1, 3, 0)
    table = given(THIRD_PICK)
    table.when("2:S1").looks_like(table.when("2:C1"), 1, 3, 0)
    table.when("2:S1 1:M1").looks_like(table.when("2:C1 1:M1"), 1, 3, 0)
    four = given("()[M1]/()[R1]/()[E1]/()[S1]|M1 1c")
    four.looks_like(given("()[R1]/()[E1]/()[S1]/()[M1]|M1 1c"), 0)


@ruling("A06")
def test_all_players_see_which_seats_still_owe_a_pick():
    table = given(FIRST_PICK)
    assert view(table.position, 0).owing == (0, 1, 2)
    assert view(table.when("2:S1").position, 0).owing == view(table.when("2:S1").position, 1).owing == (0, 2)
    assert view(given(CENTER_PICK).position, 0).owing == view(given("(M1)/(R1) 1p").position, 0).owing == ()


@ruling("D60")
def test_all_three_kept_cards_stay_hidden():
    given(THIRD_PICK).seen_by(1, "(M1E1)[M1C1]/(?11)[?11]/(?11)[?11]")
    table = given("()[M1E1C1]/()[M1S11]/E1()[R11E1]|M1C1 2c").seen_by(
        1, "()[M1E1C1]/()[?111]/E1()[?111]|M1C1"
    )
    table.when("M1 C1").seen_by(1, "C1(M1E1C1)/M1(?111)/E1(?111)").seen_by(0, "C1(?111)/M1(?111)/E1(?111)")


@ruling("A07")
def test_players_see_their_own_kept_cards():
    given(THIRD_PICK).seen_by(2, "(?11)[?11]/(S1C1)[M1S1]/(?11)[?11]")
