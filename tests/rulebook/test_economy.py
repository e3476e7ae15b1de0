"""Economy: Development, Monopoly and Embargo."""

from rulebook import given, ruling


def test_development_discards_one_card_from_play_then_plays_one():
    table = (
        given("M1E111(R1S1)/C1(C1) 1e").when("E+").then("M1E111(R1S1)/C1(C1) 1e E a1p1").offers_only("M E")
    )
    table.when("M").then("E111(R1S1)/C1(C1) 1e E p1 - - M1").offers_only("R S")
    table.when("M R").then("R1E111(S1)/C1(C1) 1e E - - - M1")


def test_monopoly_discards_two_cards_from_play_then_plays_two():
    table = given("M11E11111(R1S1C1)/C1(C1) 1e").when("E++").then("M11E11111(R1S1C1)/C1(C1) 1e E a2p2")
    table.when("M M").then("E11111(R1S1C1)/C1(C1) 1e E p2 - - M11").offers_only("R S")
    table.when("M M R S").then("R1E11111S1(C1)/C1(C1) 1e E - - - M11")


def test_embargo_is_put_on_a_domain_of_another_player():
    table = given("M1E1(R1)/M1S1(S1) 1e").when("e+1").then("M1E1(R1)/M1S1(S1) 1e e e>2").offers_only("M S")
    table.when("M").then("M1(R1)/M1e1S1(S1) 1e e - - - -")
    table = given("S1(S1)/M1(S1)/E1(R1)/U3(S1) 3e").offers_only("e+1 e+2 e+3 .")
    table.when("e+1 U").then("S1(S1)/M1(S1)/(R1)/U3e1(S1) 3e e")
    table.when("e+2 S").then("S1e1(S1)/M1(S1)/(R1)/U3(S1) 3e e")
    table.when("e+3 M").then("S1(S1)/M1e1(S1)/(R1)/U3(S1) 3e e")


@ruling("D01")
def test_embargo_may_not_be_put_on_oneself():
    given("M1E1(R1)/C1(S1) 1e").offers_only("mE e+1 .")
    given("M1E1(R1)/C1(S1) 1e", rules="de").refuses("e+0")
    given("M1E1(R1)/C1(S1) 1e", rules="hu").refuses("e+0")


@ruling("D01")
def test_embargo_may_be_put_on_oneself_where_the_edition_says_any_player():
    given("M1E1(R1)/C1(S1) 1e", rules="en").offers("e+0 e+1").when("e+0 M").then("M1(R1)/C1(S1) 1e eM1")
    given("M1E1(R1)/C1(S1) 1e", rules="el").offers("e+0 e+1")
    given("M1E1(R1)/C1(S1) 1e", rules="pl").offers("e+0 e+1")


@ruling("D01")
def test_a_self_embargo_on_economy_needs_a_second_economy_card():
    given("E1(R1)/C1(S1) 1e", rules="en").offers_only("e+1 .")
    given("M1E1(R1)/E1(S1) 1e", rules="en").when("e+0").offers_only("M")
    given("M1E1(R1)/E1(S1) 1e", rules="en").when("e+1").offers_only("E")
    given("E12(R1)/C1(S1) 1e", rules="en").when("e+0").offers_only("E").when("E").then("E2(R1)/C1(S1) 1e eE1")


@ruling("D01")
def test_embargo_may_be_put_on_a_teammate():
    table = given("E1(R1)/C1(S1)/M1(E1)/C1(C1) 1e", rules="standard,teams").offers_only("e+1 e+2 e+3 .")
    table.when("e+2 M").then("(R1)/C1(S1)/M1e1(E1)/C1(C1) 1e e")
    given("E1(R1)/C1(S1)/M1(E1)/C1(C1) 1e", rules="pl,teams").offers("e+2")


@ruling("D13")
def test_embargo_moves_an_economy_card():
    given("M1E1(R1)/C1(S1) 1e", rules="hu").when("e+1 C").then("M1(R1)/C1e1(S1) 1e e")
    given("M1S1(R1)/C1(S1) 1e", rules="hu").offers_only("mS sS .")


@ruling("D17")
def test_an_embargo_forbids_the_domain_in_step_one():
    given("E1(R1S1C1)/M1(M1E1S1) 1e - - - R1C1").when("e+1 M .").offers_only("E S")


@ruling("D17", "A54")
def test_an_embargo_forbids_plays_by_effects():
    given("M1e1E111(M1R1)/C1(S1) 1e").when("E+ E").offers_only("R")
    given("M1e1E11111(M1R1S1)/C1(S1) 1e").when("E++ E E").offers_only("R").when("R").offers_only("S")
    given("M1e1S111(M1R1)/C1(S1) 1e").when("S+ S").offers_only("R S")
    given("M1e1S11111(M1R1)/C1(S1) 1e").when("S++ S S").offers_only("R S")


@ruling("D15")
def test_an_embargo_goes_to_the_discard_pile_automatically():
    table = given("E2(R1S1C1)/M1(M1E1S1) 1e - - - R1C1").when("e+1 M . S .")
    table.then("(R1S1C1)/M1S1(M1R1E1) 1p - - - C1 E2")
    table = given("E2(R1S1C1)/M1(M1E1S1) 1e - - - R1C1", rules="pl").when("e+1 M . S .")
    table.then("(R1S1C1)/M1S1(M1R1E1) 1p - - - C1 E2")


@ruling("D16")
def test_an_embargo_stays_until_the_end_of_the_blocked_turn():
    table = given("E1(R1S1C1)/C1(R1E1S1)/M1(M1E1S1) 1e - - - R1C11").when("e+2 M .")
    table.then("(R1S1C1)/C1(R1E1S1)/M1e1(M1E1S1) 2p - - - R1C11 -")
    table.when("R .").then("(R1S1C1)/R1C1(R1E1S1)/M1e1(M1E1S1) 3p - - - C11 -")
    table.when("R . S").then("(R1S1C1)/R1C1(R1E1S1)/M1e1S1(M1E1) 3e - - - C11 -")
    table.when("R . S .").then("(R1S1C1)/R1C1(R1E1S1)/M1S1(M1E1C1) 1p - - - C1 E1")


@ruling("D18")
def test_an_embargo_belongs_to_a_players_domain():
    table = given("E1(R1S1C1)/M112(M1S1C1)/M1(M1S1C1) 1e - - - S11").when("e+1 M")
    table.then("(R1S1C1)/M112e1(M1S1C1)/M1(M1S1C1) 1e e")
    table.when(".").offers_only("S C").when("S .").offers_only("M S C")


@ruling("A49")
def test_embargo_needs_a_face_up_card_as_its_target():
    given("E1(R1)/M1(S1) 1e").when("e+1").offers_only("M")
    given("E1(R1)/(S1) 1e").offers_only(".")
    given("E1(R1)/Mu3S1(S1) 1e").when("e+1").offers_only("S")
    given("E1(R1)/Mu3(S1)/S1(S1) 1e").offers_only("e+2 .")


@ruling("A50")
def test_a_self_embargo_binds_the_following_turn():
    table = given("M1E1111(M11R1)/C1(R1S1C1) 1e - - - S1111", rules="en").when("e+0 M E+ E M")
    table.then("M11E11(M1R1)/C1(R1S1C1) 1e EeM1")
    table.when(".").then("M11e1E11(M1R1S1)/C1(R1S1C1) 2p - - - S111 E1")
    table.when(". S .").then("M11e1E11(M1R1S1)/S1C1(R1S1C1) 1p - - - S11 E1").offers_only("R S")
    table.when(". S . R .").then("M11R1E11(M1S11)/S1C1(R1S1C1) 2p - - - S1 E11")


@ruling("A50")
def test_a_second_self_embargo_follows_the_first():
    table = given("M1e1E11(R1S1C1)/C1(R1S1C1) 1e - - - S111", rules="en").when("e+0 M .")
    table.then("M1e1E1(R1S1C1)/C1(R1S1C1) 2p - - - S111 E1")
    table = (
        given("M1e2E3(R1S1C1)/C1(R1S1C1) 1e - - - S111", rules="en")
        .when("e+0 M")
        .then("M1e2(R1S1C1)/C1(R1S1C1) 1e eM3")
    )
    table.when(".").then("M1e3(R1S1C1)/C1(R1S1C1) 2p - - - S111 E2")
    table = (
        given("M1R1e1E2(R1S1C1)/C1(R1S1C1) 1e - - - S111", rules="en")
        .when("e+0 M")
        .then("M1R1e1(R1S1C1)/C1(R1S1C1) 1e eM2")
    )
    table.when(".").then("M1e2R1(R1S1C1)/C1(R1S1C1) 2p - - - S111 E1")


@ruling("A51")
def test_two_embargoes_on_one_domain_are_removed_together():
    table = given("E1(R1S1C1)/E2(R1S1C1)/M1(M1R1S1) 1e - - - C1111").when("e+2 M . R e+1 M .")
    table.then("(R1S1C1)/R1(S1C11)/M1e12(M1R1S1) 3p").offers_only("R S")
    table.when("R .").then("(R1S1C1)/R1(S1C11)/M1R1(M1S1C1) 1p - - - C11 E12")


@ruling("A52")
def test_embargoes_on_several_domains_all_hold():
    table = given("C1(R1S1C1)/M1e1R1e2(M1R1S1) 2p - - - M11").offers_only("S")
    table.when("S .").then("C1(R1S1C1)/M1R1S1(M11R1) 1p - - - M1 E12")


@ruling("A53")
def test_an_embargo_outlasts_the_cards_under_it():
    table = given("M11(R1S1C1)/M1e1C1(M1R1S1) 1e - - - R1").when("mM .")
    table.then("(R1S1C1)/Me1C1(M1R1S1) 2p").offers_only("R S")


@ruling("A55")
def test_an_embargo_stops_neither_effects_nor_taking_back():
    table = given("M111e1S111(R1E1)/M1C1(S1) 1e").offers_only("M+ S+ mM mS sS .")
    table.when("S+").offers_only("M S").when("M").then("M11e1S111(M1R1E1)/M1C1(S1) 1e S p1").offers_only(
        "R E"
    )


@ruling("A56")
def test_markers_may_be_put_on_a_domain_under_embargo():
    given("E1U3(R1)/M1e2(S1) 1e").when("u+1 M e+1 M").then("(R1)/M1e12u3(S1) 1e eu")


@ruling("A57")
def test_an_embargo_does_not_count_for_any_player():
    given("M11e1E11(R1S1)/C1(S1) 1e").offers_only("mM mE e+1 .")
    given("M1e1()/M1() 2e").scores(1, 1).when(".").ends("majority", 1, 2)
    given("M1e1()/M1E1() 2e").scores(1, 2)


@ruling("A58", "A61")
def test_an_embargo_on_a_player_without_a_further_turn_stays_and_does_not_count():
    table = given("M1()/M1E1() 2e").scores(1, 2).when("e+1 M").then("M1e1()/M1() 2e e")
    table.when(".").then("M1e1()/M1() 2m").scores(1, 1).ends("majority", 1, 2)


@ruling("A59")
def test_the_embargo_is_removed_before_hegemony_is_checked():
    table = given("M1111111e1(R1E1S1)/C1(S1)/C1(S1) 1e - - - S1").when(".").ends("hegemony", 1)
    table.then("M1111111(R1E1S1)/C1(S1)/C1(S1) 1x - - - S1 E1")


@ruling("A60")
def test_the_card_under_an_embargo_may_leave():
    given("M1e1S111(R1)/C1(E1) 1e").when("S+ M R").then("Me1R1S111(M1)/C1(E1) 1e S")
    given("M1E1(R1)/E1e1(S1) 1e").when("mE").then("(R1)/Ee1(S1) 1e m")


@ruling("A62")
def test_an_embargo_in_play_is_not_in_the_discard_pile():
    given("U333(R1)/M1e1(S1) 1e").refuses("U+")
    given("U333(R1)/M1e1(S1) 1e - - - - R1").when("U+").offers_only("R")
