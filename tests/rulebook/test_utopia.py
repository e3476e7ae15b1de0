"""Utopia: Oligarchy, Republic and Democracy."""

from rulebook import given, ruling


def test_oligarchy_takes_one_card_from_the_discard_pile():
    table = given("U333(R1)/C1(S1) 1e - - - - M1S2").when("U+").then("U333(R1)/C1(S1) 1e U f1 - - M1S2")
    table.when("S").then("U333(R1S2)/C1(S1) 1e U - - - M1")


def test_republic_takes_two_cards_from_the_discard_pile():
    table = given("U33333(R1)/C1(S1) 1e - - - - M1E1S2").when("U++").then("U33333(R1)/C1(S1) 1e U f2")
    table.when("M S").then("U33333(M1R1S2)/C1(S1) 1e U - - - E1")


def test_democracy_is_put_into_a_domain_of_another_player():
    table = given("M1U3(R1)/M1S1(S1) 1e").when("u+1").then("M1U3(R1)/M1S1(S1) 1e u u>2").offers_only("M S")
    table.when("M").then("M1(R1)/M1u3S1(S1) 1e u - - - -")
    table = given("S1(S1)/M1(S1)/U3(R1)/E1(S1) 3e").offers_only("u+1 u+2 u+3 .")
    table.when("u+1 E").then("S1(S1)/M1(S1)/(R1)/E1u3(S1) 3e u")
    table.when("u+2 S").then("S1u3(S1)/M1(S1)/(R1)/E1(S1) 3e u")
    table.when("u+3 M").then("S1(S1)/M1u3(S1)/(R1)/E1(S1) 3e u")


@ruling("D02")
def test_democracy_may_not_be_put_on_oneself():
    given("M1U3(R1)/C1(S1) 1e").offers_only("mU u+1 .")
    given("M1U3(R1)/C1(S1) 1e", rules="de").refuses("u+0")
    given("M1U3(R1)/C1(S1) 1e", rules="hu").refuses("u+0")
    given("M1U3(R1)/C1(S1) 1e", rules="pl").refuses("u+0")


@ruling("D02")
def test_democracy_may_be_put_on_oneself_where_the_edition_says_any_player():
    given("M1U3(R1)/C1(S1) 1e", rules="en").offers("u+0 u+1").when("u+0").offers_only("M")
    given("M1U3(R1)/C1(S1) 1e", rules="el").when("u+0 M").then("M1u3(R1)/C1(S1) 1e u")
    given("U3(R1)/C1(S1) 1e", rules="en").offers_only("u+1 .")
    given("U33(R1)/C1(S1) 1e", rules="en").when("u+0 U").then("U3u3(R1)/C1(S1) 1e u")


@ruling("A75")
def test_democracy_may_be_put_on_a_teammate():
    table = given("U3(R1)/C1(S1)/M1(E1)/C1(C1) 1e", rules="standard,teams").offers_only("u+1 u+2 u+3 .")
    table.when("u+2 M").then("(R1)/C1(S1)/M1u3(E1)/C1(C1) 1e u")


@ruling("D02", "A75")
def test_polish_democracy_is_put_on_opponents_only():
    given("M1(R1)/M1U3(S1)/M1(E1)/C1(C1) 2e u", rules="pl,teams").refuses("u+0 u+1 u+2 u+3")
    given("M1(R1)/M1U3(S1)/M1(E1)/C1(C1) 2e", rules="pl,teams").offers("u+1 u+3").refuses("u+0 u+2")
    given("M1U3(R1)/C1(S1)/M1(E1)/C1(C1) 1e", rules="en!democracy-teammate,teams").offers(
        "u+0 u+1 u+3"
    ).refuses("u+2")
    given("M1(R1)/M1U3(S1)/M1(E1)/C1(C1) 2e", rules="pl").offers("u+1 u+2 u+3").refuses("u+0")


@ruling("D35")
def test_oligarchy_takes_any_discarded_card():
    given("U333(R1)/C1(S1) 1e - - - - M1R1E1S2C1U3").when("U+").offers_only("M R E S C U")
    given("U333(R1)/C1(S1) 1e - - - - M1R1E1S2C1U3", rules="pl").when("U+").offers_only("M R E S C U")


@ruling("D36")
def test_democracy_is_a_marker_on_a_players_domain():
    given("U3(R1)/M112S1(S1) 1e").when("u+1 M").then("(R1)/M112u3S1(S1) 1e u - - - -")


@ruling("D37")
def test_democracies_on_one_domain_add_up():
    given("U3(R1)/M1u3(S1) 1e").when("u+1 M").then("(R1)/M1u33(S1) 1e u")
    table = given("M11111111u33(R1E1S1)/C1(R1E1S1)/C1(R1E1S1) 1e - - - S1").when(".")
    table.then("M11111111u33(R1E1S1)/C1(R1E1S1)/C1(R1E1S1) 2p")
    given("M111111111u33(R1E1S1)/C1(S1)/C1(S1) 1e - - - S1").when(".").ends("hegemony", 1)


@ruling("D38")
def test_face_up_utopia_cards_do_not_raise_the_threshold():
    given("U3333333(R1E1S1)/C1(S1)/C1(S1) 1e - - - S1").when(".").ends("hegemony", 1)


@ruling("D39", "A70")
def test_democracy_needs_a_face_up_card_as_its_target():
    given("U3(R1)/M1(S1) 1e").when("u+1").offers_only("M")
    given("U3(R1)/(S1) 1e").offers_only(".")
    given("U3(R1)/Mu3S1(S1) 1e").when("u+1").offers_only("S")
    given("U3(R1)/Mu3(S1)/Me1(S1)/E1(S1) 1e").offers_only("u+3 .")


@ruling("A66")
def test_the_discard_pile_has_no_order():
    table = given("M111U333(R1E1)/C1(S1) 1e - - - - S1C1")
    table.when("M+ R U+ C").then("M111U333(E1C1)/C1(S1) 1e MU - - - R1S1")
    table.when("U+ C M+ R").then("M111U333(E1C1)/C1(S1) 1e MU - - - R1S1")


@ruling("A68")
def test_republic_takes_its_two_cards_together():
    table = given("U33333(R1)/C1(S1) 1e - - - - M1E1S2").when("U++").offers_only("M E")
    table.when("E").then("U33333(R1E1)/C1(S1) 1e U f1:E - - M1S2").offers_only("S")


@ruling("A69")
def test_oligarchy_may_take_a_card_discarded_this_turn():
    given("M111U333(R1E1)/C1(S1) 1e").when("M+ R U+ R").then("M111U333(R1E1)/C1(S1) 1e MU - - - -")


@ruling("A71")
def test_a_democracy_stays_when_its_domain_is_emptied():
    given("M11(R1)/M1u3(R1) 1e").when("mM").then("(R1)/Mu3(R1) 1e m")
    given("C1(R1)/Mu3(M1S1) 2p").when("M").then("C1(R1)/M1u3(S1) 2e")
    table = given("C1(R1E1S1)/S111111u3(S1R1E1)/C1(R1E1S1) 2p - - - M1R1").when("S .")
    table.then("C1(R1E1S1)/S1111111u3(M1R1E1)/C1(R1E1S1) 3p")


@ruling("A72")
def test_a_democracy_does_not_count_as_a_card_of_its_domain():
    given("M11u3(R1S1)/C1(S1) 1e").offers_only("mM .")
    given("M1E1(R1)/Eu3(S1) 1e").when("mE").then("(R1)/Eu3(S1) 1e m - - - M1E1")
    given("M1u3()/M1() 2e").scores(1, 1).when(".").ends("majority", 1, 2)


@ruling("A73")
def test_a_democracy_does_not_count_as_a_utopia_card():
    given("M1u3U33(R1)/C1(S1) 1e - - - - M1").refuses("U+")
    given("M1()/R1U3() 2e").when("u+1 M .").scores(1, 1).ends("majority", 2)
    given("R1()/M1U3() 2e").when("u+1 R .").scores(1, 1).ends("majority", 1)


@ruling("A74")
def test_democracy_may_be_put_on_utopia():
    given("U33(R1)/U3(S1) 1e").when("u+1 U").then("U3(R1)/U3u3(S1) 1e u")


@ruling("A76")
def test_a_democracy_raises_only_that_players_domain():
    given("M1111111(R1E1S1)/M1u3(S1)/C1(S1) 1e - - - S1").when(".").ends("hegemony", 1)
    given("M1111111E1u3(R1E1S1)/M1(S1)/C1(S1) 1e - - - S1").when(".").ends("hegemony", 1)
    table = given("M1111111u3(R1E1S1)/M1(S1)/C1(S1) 1e - - - S1").when(".")
    table.then("M1111111u3(R1E1S1)/M1(S1)/C1(S1) 2p")
