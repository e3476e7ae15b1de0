"""Hegemony: the victory at the end of one's own turn."""

from rulebook import given, ruling


def test_seven_cards_of_a_domain_win_with_three_or_four_players():
    given("M111111(R1E1S1)/C1(S1)/C1(S1) 1e - - - S1").when(".").then("M111111(R1E1S1)/C1(S1)/C1(S1) 2p")
    given("M1111111(R1E1S1)/C1(S1)/C1(S1) 1e - - - S1").when(".").ends("hegemony", 1)
    given("C1(S1)/R1111111(R1E1S1)/C1(S1) 2e - - - S1").when(".").ends("hegemony", 2)
    given("C1(S1)/C1(S1)/E1111111(R1E1S1) 3e - - - S1").when(".").ends("hegemony", 3)
    table = given("C1(S1)/C1(S1)/S111111(R1E1S1)/C1(S1) 3e - - - S1").when(".")
    table.then("C1(S1)/C1(S1)/S111111(R1E1S1)/C1(S1) 4p")
    given("C1(S1)/C1(S1)/S1111111(R1E1S1)/C1(S1) 3e - - - S1").when(".").ends("hegemony", 3)
    given("C1111111(R1E1S1)/C1(S1)/M1(S1)/C1(S1) 1e - - - S1").when(".").ends("hegemony", 1)
    given("C1(S1)/C1(S1)/M1(S1)/U3333333(R1E1S1) 4e - - - S1").when(".").ends("hegemony", 4)


def test_eight_cards_of_a_domain_win_with_two_players():
    given("M1111111(R1E1S1)/C1(S1) 1e - - - S1").when(".").then("M1111111(R1E1S1)/C1(S1) 2p")
    given("M11111111(R1E1S1)/C1(S1) 1e - - - S1").when(".").ends("hegemony", 1)


def test_hegemony_is_checked_only_at_the_end_of_ones_own_turn():
    table = given("E1(R1E1S1)/M1111111(R1E1S1)/C1(R1E1S1) 1e - - - S1").when(".")
    table.then("E1(R1E1S1)/M1111111(R1E1S1)/C1(R1E1S1) 2p")
    given("M111111(M1E1)/C1(R1)/C1(R1) 1p - - - S1").when("M").then("M1111111(E1)/C1(R1)/C1(R1) 1e")


@ruling("D40")
def test_hand_cards_do_not_count_for_hegemony():
    given("M111111(M111)/C1(S1)/C1(S1) 1e - - - S1").when(".").then("M111111(M111)/C1(S1)/C1(S1) 2p")


@ruling("A93")
def test_more_cards_than_needed_win_too():
    table = given("M111111E11111(M11R1)/C1(S1)/C1(S1) 1e - - - S1").when("E++ E E M M .").ends("hegemony", 1)
    table.then("M11111111E111(R1S1)/C1(S1)/C1(S1) 1x")


@ruling("A94")
def test_hegemony_is_checked_after_the_draw():
    table = given("M1111111(R1)/C1(S1)/C1(S1) 1e - - - E1S1R1").when(".").ends("hegemony", 1)
    table.then("M1111111(R1E1S1)/C1(S1)/C1(S1) 1x - - - R1")


@ruling("A95")
def test_hegemony_reached_and_lost_in_one_turn_does_not_win():
    table = given("M111111(M1R1E1S1)/C1(S1)/C1(S1) 1p - - - R1").when("M mM .")
    table.then("M11111(R1E1S1)/C1(S1)/C1(S1) 2p")


@ruling("A96")
def test_hegemony_in_two_domains_is_one_win():
    given("M1111111R1111111(E11S1)/C1(S1)/C1(S1) 1e - - - S1").when(".").ends("hegemony", 1)


@ruling("A97")
def test_hegemony_cannot_be_declined():
    table = given("M1111111(R1E1S1)/C1(S1)/C1(S1) 1e m - - S1").offers_only("M+ M++ .")
    table.when(".").then("M1111111(R1E1S1)/C1(S1)/C1(S1) 1x").waits_for().ends("hegemony", 1)
    table.when("M+ R .").ends("hegemony", 1)


@ruling("A98")
def test_hegemony_wins_in_the_turn_that_empties_the_deck():
    given("M1111111(R1E1)/C1R1E1(S1)/C1(S1) 1e - - - S1").when(".").ends("hegemony", 1)
    given("C1R1E1(S1)/C1(S1)/M1111111(R1E1) 3e - - - S1").when(".").ends("hegemony", 3)


def test_hegemony_still_wins_in_the_last_turns():
    given("C1U333()/M11111111() 2e").when(".").ends("hegemony", 2)
    given("M11111111()/C1U333() 1e").when(".").ends("hegemony", 1)


def test_each_democracy_raises_the_threshold_by_one():
    given("M1111111u3(R1E1S1)/C1(S1)/C1(S1) 1e - - - S1").when(".").then(
        "M1111111u3(R1E1S1)/C1(S1)/C1(S1) 2p"
    )
    given("M11111111u3(R1E1S1)/C1(S1)/C1(S1) 1e - - - S1").when(".").ends("hegemony", 1)
    given("M11111111u3(R1E1S1)/C1(S1) 1e - - - S1").when(".").then("M11111111u3(R1E1S1)/C1(S1) 2p")
    given("M111111111u3(R1E1S1)/C1(S1) 1e - - - S1").when(".").ends("hegemony", 1)
