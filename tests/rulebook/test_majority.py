"""Majority: the end of the deck, the last turns, points and ties."""

from rulebook import given, ruling


@ruling("D42")
def test_drawing_the_last_card_lets_the_round_finish():
    table = given("C1(R1S1)/M1(M1E1S1)/E1(R1E1S1) 1e - - - R1").when(".")
    table.then("C1(R11S1)/M1(M1E1S1)/E1(R1E1S1) 2p - - - -")
    table.when("M .").then("C1(R11S1)/M11(E1S1)/E1(R1E1S1) 3p - - - -")
    table.when("M . R .").scores(1, 1, 2).ends("majority", 3)


@ruling("D43")
def test_only_the_seats_left_in_the_round_play_on():
    table = given("C1(R1E1S1)/M1(M1S1)/E1(R1E1S1) 2e - - - R1").when(".")
    table.then("C1(R1E1S1)/M1(M1R1S1)/E1(R1E1S1) 3p")
    table.when("R .").ends("majority", 3)


@ruling("D44")
def test_the_last_seat_has_the_last_turn():
    given("C1()/E1() 1e").when(".").then("C1()/E1() 2e").when(".").then("C1()/E1() 2m").ends("majority", 1)


@ruling("A102")
def test_the_last_seat_drawing_the_last_card_ends_the_game():
    given("C1(R1E1S1)/M11(R1E1) 2e - - - S1").when(".").then("C1(R1E1S1)/M11(R1E1S1) 2m").ends("majority", 1)
    given("C1(R1)/M11(R1E1) 2e - - - S11").when(".").then("C1(R1)/M11(R1E1S1) 1p - - - S1")


@ruling("A103")
def test_a_short_deck_is_drawn_to_the_end():
    given("C1(R1)/M1(R1E1S1) 1e - - - S1").when(".").then("C1(R1S1)/M1(R1E1S1) 2p - - - -")


@ruling("A104")
def test_the_last_turns_draw_nothing():
    given("C1(R1)/M1(R1S1) 1e").when(".").then("C1(R1)/M1(R1S1) 2p - - - -")


def test_each_majority_scores_one_point_and_most_points_win():
    given("M11R1()/M1R11E1S1()/C1() 3e").scores(1, 3, 1).when(".").ends("majority", 2)
    given("M1R11()/S1()/U333333C11() 3e").scores(2, 1, 2).when(".").ends("majority", 3)
    given("M1()/R1E1()/S1U3C1()/M1() 4e").scores(1, 2, 3, 1).when(".").ends("majority", 3)


@ruling("D41")
def test_most_points_win_even_if_they_are_few():
    given("M1R1()/E1()/S1() 3e").scores(2, 1, 1).when(".").ends("majority", 1)


@ruling("D46")
def test_a_majority_is_over_each_single_player():
    given("M11()/M1()/M1() 3e").scores(1, 0, 0).when(".").ends("majority", 1)


@ruling("D47")
def test_every_tied_leader_scores_the_domain():
    given("M1E1()/M1()/M1() 3e").scores(2, 1, 1).when(".").ends("majority", 1)
    given("M1R1()/M1E1()/S1() 3e").scores(2, 2, 1).when(".").ends("majority", 2)
    given("M11()/M11R1()/M1S1() 3e").scores(1, 2, 1).when(".").ends("majority", 2)


@ruling("D45", "A105")
def test_hand_cards_score_nothing():
    given("M1(R111)/R1() 2e").scores(1, 1).when(".").ends("majority", 2)
    given("M1(U3333)/R1() 2e").scores(1, 1).when(".").ends("majority", 2)


@ruling("A99")
def test_a_domain_without_cards_scores_for_no_player():
    given("M1()/M1() 2e").scores(1, 1).when(".").ends("majority", 1, 2)


@ruling("D48")
def test_a_tie_on_points_goes_to_utopia():
    given("M1()/U3() 2e").scores(1, 1).when(".").ends("majority", 2)
    given("C1()/U3() 2e").scores(1, 1).when(".").ends("majority", 2)
    given("M11R11()/E1U3()/C1() 3e").scores(2, 2, 1).when(".").ends("majority", 2)


@ruling("D48")
def test_a_tie_in_utopia_goes_to_culture():
    given("M1U3()/C1U3() 2e").scores(2, 2).when(".").ends("majority", 2)
    given("S1()/C1() 2e").scores(1, 1).when(".").ends("majority", 2)


@ruling("D48")
def test_a_tie_in_culture_goes_to_science():
    given("M1C1()/S1C1() 2e").scores(2, 2).when(".").ends("majority", 2)
    given("E1()/S1() 2e").scores(1, 1).when(".").ends("majority", 2)


@ruling("D48")
def test_a_tie_in_science_goes_to_economy():
    given("M1S1()/E1S1() 2e").scores(2, 2).when(".").ends("majority", 2)
    given("R1()/E1() 2e").scores(1, 1).when(".").ends("majority", 2)


@ruling("D48")
def test_a_tie_in_economy_goes_to_religion():
    given("M1E1()/R1E1() 2e").scores(2, 2).when(".").ends("majority", 2)
    given("M1()/R1() 2e").scores(1, 1).when(".").ends("majority", 2)


@ruling("D48")
def test_a_tie_in_religion_goes_to_military():
    given("R1()/M1R1()/M11() 3e").scores(1, 1, 1).when(".").ends("majority", 2)


@ruling("A101")
def test_a_player_who_falls_out_of_a_tie_break_stays_out():
    given("M1R1()/R1()/M11() 3e").scores(1, 1, 1).when(".").ends("majority", 1)
    given("M111()/S1()/E1S1()/E1() 4e").scores(1, 1, 2, 1).when(".").ends("majority", 3)
    given("C1U3()/E1U3()/C11() 3e").scores(1, 2, 1).when(".").ends("majority", 2)


@ruling("A100")
def test_a_complete_tie_is_shared():
    given("M1R1()/M1R1() 2e").when(".").ends("majority", 1, 2)
    given("M1()/()/M1() 3e").when(".").ends("majority", 1, 3)
    given("()/()/() 3e").scores(0, 0, 0).when(".").ends("majority", 1, 2, 3)
