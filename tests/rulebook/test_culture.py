"""Culture: Inspiration and the coin."""

from hegemon.rules.actions import CHOICES
from rulebook import given, ruling


@ruling("D03")
def test_inspiration_copies_another_players_effect():
    table = given("C11(R1E1)/M111C1(S1)/S1(M1) 1e").offers_only("cM+ .")
    table.when("cM+ R").then("C11(E1)/M111C1(S1)/S1(M1) 1e MC - 1>2M - R1")
    given("M111C1(R1E1)/S1(S1)/E1(M1) 1e").offers("M+").refuses("cM+")


def test_inspiration_copies_any_of_the_ten_permanent_effects():
    table = given("C11(M1R1E1)/M11111R11111E11111S11111U33333(S1) 1e - - - M1 R1E1")
    table.offers_only("cM+ cM++ cR+ cR++ cE+ cE++ cS+ cS++ cU+ cU++ .")
    table.when("cM+").then("C11(M1R1E1)/M11111R11111E11111S11111U33333(S1) 1e MC h1 1>2M")
    table.when("cM++").then("C11(M1R1E1)/M11111R11111E11111S11111U33333(S1) 1e MC h2 1>2M")
    table.when("cR+").then("C11(M1R1E1)/M11111R11111E11111S11111U33333(S1) 1e R+C - 1>2R")
    table.when("cR++").then("C11(M1R1E1)/M11111R11111E11111S11111U33333(S1) 1e R++C - 1>2R")
    table.when("cE+").then("C11(M1R1E1)/M11111R11111E11111S11111U33333(S1) 1e EC a1p1 1>2E")
    table.when("cE++").then("C11(M1R1E1)/M11111R11111E11111S11111U33333(S1) 1e EC a2p2 1>2E")
    table.when("cS+").then("C11(M1R1E1)/M11111R11111E11111S11111U33333(S1) 1e SC t1p1 1>2S")
    table.when("cS++").then("C11(M1R1E1)/M11111R11111E11111S11111U33333(S1) 1e SC t2p2 1>2S")
    table.when("cU+").then("C11(M1R1E1)/M11111R11111E11111S11111U33333(S1) 1e CU f1 1>2U")
    table.when("cU++").then("C11(M1R1E1)/M11111R11111E11111S11111U33333(S1) 1e CU f2 1>2U")


def test_inspiration_has_no_threshold():
    given("C1(R1E1)/M111(S1) 1e").offers_only("cM+ .")
    given("(R1E1)/M111(S1) 1e").offers_only(".")


@ruling("D11")
def test_inspiration_needs_more_culture_than_each_other_player():
    given("C1(R1E1)/M111C1(S1)/S1(M1) 1e").offers_only(".")
    given("C11(R1E1)/M111C1(S1)/C1(M1) 1e").offers_only("cM+ .")
    given("C1(R1E1)/M111(S1)/C11(M1) 1e").offers_only(".")
    given("C11(R1E1)/M111(S1)/C11(M1) 1e").offers_only(".")


@ruling("D04")
def test_an_effect_that_a_player_has_is_not_copied():
    given("M111C11(R1E1)/M111(S1)/S1(M1) 1e").offers("M+").refuses("cM+")
    given("M11111C11(R1E1)/M11111(S1)/S1(M1) 1e").offers("M+ M++").refuses("cM+ cM++")


@ruling("D05", "A79")
def test_level_two_may_be_copied_by_someone_with_level_one():
    table = given("M111C11(R1E1S1)/M11111(S1)/S1(M1) 1e").offers("M+ cM++").refuses("cM+ M++")
    table.when("cM++ R E").refuses("M+ cM+ cM++")
    table.when("M+ R").refuses("cM++")


@ruling("D06")
def test_only_one_effect_is_copied_a_turn():
    table = given("C11(R1E1)/M111S111(S1)/S1(M1) 1e").offers_only("cM+ cS+ .")
    table.when("cM+ R").offers_only(".")
    given("C11(R1E1)/M111S111(S1)/S1(M1) 1e", rules="de").when("cM+ R").offers_only(".")


@ruling("D07")
def test_only_an_effect_its_owner_has_now_may_be_copied():
    given("C11(R1E1)/M11(S1)/S1(M1) 1e").offers_only(".")
    given("C11(R1E1)/M1111(S1)/S1(M1) 1e").offers_only("cM+ .")
    given("C11(R1E1)/M1(S1)/S1(M1)/M1(S1) 1e").offers_only(".")
    given("C11(R1E1)/M11(S1)/S1(M1)/M11(S1) 1e").offers_only("cM+ .")
    given("M11C11(R1E1)/M111(S1)/S1(M1) 1e").offers("cM+").when("mM").refuses("cM+")


@ruling("A77")
def test_level_one_may_be_copied_from_a_player_with_level_two():
    given("C11(R1E1)/M11111(S1)/S1(M1) 1e").offers_only("cM+ cM++ .")


@ruling("A78")
def test_inspiration_itself_is_never_copied():
    given("C111111(R1E1)/C11111(S1)/S1(M1) 1e").offers_only(".")
    assert not [choice for choice in CHOICES if choice.startswith("cC")]


@ruling("A80")
def test_an_effect_used_and_lost_is_not_copied():
    table = given("E111C11(M1R1)/E111(S1)/S1(M1) 1e").when("E+ E R").then("R1E11C11(M1)/E111(S1)/S1(M1) 1e E")
    table.refuses("E+ cE+")


@ruling("A81")
def test_a_copied_effect_is_not_used_again_as_ones_own():
    table = given("E11C11(R1E1)/E111(S1)/S1(M1) 1e").when("cE+ C E")
    table.then("E111C1(R1)/E111(S1)/S1(M1) 1e EC - 1>2E").refuses("E+ cE+")


@ruling("A84")
def test_a_copy_uses_up_culture_and_the_copied_domain():
    table = given("E11S111C11(R1E1)/E111U333(S1)/S1(M1) 1e - - - - M1").offers("S+ cE+ cU+")
    table.when("cE+ C E").offers("S+").refuses("E+ cE+ cU+")
    table.when("S+ S S sS cE+ C E").then("E111S11C1(R1)/E111U333(S1)/S1(M1) 1e ESCs - 1>2E - M1S1C1")


@ruling("A85")
def test_a_copied_effect_works_on_the_copiers_cards():
    given("C11(R1E1)/M111(S1)/S1(M1) 1e").when("cM+").offers_only("R E")
    given("C1(R1)/E111(S1)/S1(M1) 1e").when("cE+").offers_only("C")


@ruling("A82")
def test_inspiration_is_carried_through_when_the_lead_is_lost():
    table = given("C1(R1)/E111(S1)/S1(M1) 1e").when("cE+ C").then("(R1)/E111(S1)/S1(M1) 1e EC p1 - - C1")
    table.when("R").then("R1()/E111(S1)/S1(M1) 1e EC - - - C1")


@ruling("A83")
def test_a_copy_holds_when_its_owner_loses_the_effect():
    table = given("M11R1C11(E1S1)/R111(M1)/S1(M1) 1e - - - M111111").when("cR+ mR")
    table.then("M1C11(E1S1)/R11(M1)/S1(M1) 1e R+Cm - 1>2R M111111 M1R11")
    table.when(".").then("M1C11(M111E1S1)/R11(M1)/S1(M1) 2p - - 1>2R M111")


@ruling("D10")
def test_the_coin_marks_the_player_and_the_domain_copied():
    given("C11(R1E1)/E1(S1)/M111(M1) 1e").when("cM+ R").then("C11(E1)/E1(S1)/M111(M1) 1e MC - 1>3M")
    given("E1(M1)/C1(R1)/S1(S1)/U33(M1) 2e - - - - R1").when("cU+ R").then(
        "E1(M1)/C1(R11)/S1(S1)/U33(M1) 2e CU - 2>4U"
    )


@ruling("D10")
def test_the_coin_goes_to_the_next_player_clockwise_who_has_the_effect():
    given("M111(S1)/M111(E1)/C1(R1) 3e").when("cM+ R").then("M111(S1)/M111(E1)/C1() 3e MC - 3>1M")
    given("M111(S1)/C1(R1)/M111(E1) 2e").when("cM+ R").then("M111(S1)/C1()/M111(E1) 2e MC - 2>3M")
    given("M1111(S1)/M11111(E1)/C1(R1E1) 3e").when("cM++ R E").then("M1111(S1)/M11111(E1)/C1() 3e MC - 3>2M")


@ruling("D09")
def test_the_coin_stays_until_the_next_inspiration_moves_it():
    table = given("C11(R1E1S1)/M111S111(R1E1S1)/E1(R1E1S1) 1e - - 1>2M R1")
    table.when(".").then("C11(R1E1S1)/M111S111(R1E1S1)/E1(R1E1S1) 2p - - 1>2M")
    table.when("cS+ C C").then("C11(R1E1S1)/M111S111(R1E1S1)/E1(R1E1S1) 1e SC - 1>2S")


@ruling("D08", "A86")
def test_the_coin_leaves_when_another_player_has_as_many_culture_cards():
    table = given("C11(R1E1S1)/M111C1(R1S1C1) 2p - - 1>2M")
    table.when("C").then("C11(R1E1S1)/M111C11(R1S1) 2e - - -")
    table.when("R").then("C11(R1E1S1)/M111R1C1(S1C1) 2e - - 1>2M")
    given("C11(R1)/M1C1(R1)/C1(R1) 2e - - 1>3M").when("mC").then("C1(R1)/(R1)/(R1) 2e m - 1>3M")
    given("C1(R1)/M1C1(R1)/C11(R1) 2e - - 3>1M").when("mC").then("(R1)/(R1)/C1(R1) 2e m - 3>1M")


@ruling("D08")
def test_the_polish_coin_leaves_only_when_another_player_has_more():
    tied = given("C11(R1)/M111C1(C1) 2p - - 1>2M", rules="pl").when("C")
    tied.then("C11(R1)/M111C11() 2e - - 1>2M")
    led = given("C11(R1)/M111C11(C1) 2p - - 1>2M", rules="pl").when("C")
    led.then("C11(R1)/M111C111() 2e - - -")


@ruling("A87")
def test_the_coin_itself_has_no_effect():
    given("C11(R1E1S1)/M111(R1S1C1) 2e - - 1>2M").offers_only("M+ mM .")
    given("C11(R1E1S1)/M11(R1S1C1) 1e - - 1>2M").offers_only(".")


@ruling("A88")
def test_the_same_effect_may_be_copied_again_next_turn():
    table = given("C11(R1E1S1)/M111(R1S1C1) 1e - - 1>2M").when("cM+ R")
    table.then("C11(E1S1)/M111(R1S1C1) 1e MC - 1>2M")


@ruling("A89")
def test_the_coin_stays_when_the_copied_player_loses_the_effect():
    given("C11(R1)/M111(R1) 2e - - 1>2M").when("mM").then("C11(R1)/M1(R1) 2e m - 1>2M")


@ruling("A90")
def test_markers_in_culture_do_not_count_for_the_lead():
    given("C1u3(R1E1)/M111C1(S1) 1e").offers_only(".")
    given("C1e1(R1E1)/M111C1(S1) 1e").offers_only(".")
    given("C1(R1E1)/M111Ce1u3(S1) 1e").offers_only("cM+ .")


@ruling("A91")
def test_with_two_players_a_tie_in_culture_gives_no_inspiration():
    given("C1(R1E1)/M111C1(S1) 1e").offers_only(".")
    given("C11(R1E1)/M111C1(S1) 1e").offers_only("cM+ .")


@ruling("A92")
def test_in_teams_the_lead_in_culture_is_over_the_teammate_too():
    given("C1(R1)/M11(S1)/C1(E1)/S1(M1) 1e", rules="standard,teams").offers_only(".")
    given("C11(R1)/M11(S1)/C1(E1)/S1(M1) 1e", rules="standard,teams").offers_only("cM+ .")


@ruling("A92")
def test_a_teammates_effect_may_be_copied():
    table = given("C11(R1E1)/E1(S1)/M11C1(E1)/S1(M1) 1e", rules="standard,teams").when("cM+ R")
    table.then("C11(E1)/E1(S1)/M11C1(E1)/S1(M1) 1e MC - 1>3M")
