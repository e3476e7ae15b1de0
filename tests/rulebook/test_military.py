"""Military: Assassination, Purge and Attack."""

from rulebook import given, ruling


def test_assassination_discards_one_card_from_ones_own_hand():
    table = given("M111(R1E1)/C1(S1) 1e").when("M+").then("M111(R1E1)/C1(S1) 1e M h1").offers_only("R E")
    table.when("E").then("M111(R1)/C1(S1) 1e M - - - E1")


def test_purge_discards_two_cards_from_ones_own_hand():
    table = given("M11111(R1E1S1)/C1(S1) 1e").when("M++").then("M11111(R1E1S1)/C1(S1) 1e M h2")
    table.when("R").then("M11111(E1S1)/C1(S1) 1e M h1:R - - R1")
    table.when("R S").then("M11111(E1)/C1(S1) 1e M - - - R1S1")


@ruling("D22")
def test_assassination_or_purge_is_used_once_a_turn():
    given("M111(R1E1)/C1(S1) 1e").when("M+ R").refuses("M+")
    given("M11111(R11E11)/C1(S1) 1e").when("M++ R R").refuses("M+ M++")


@ruling("D25", "A39")
def test_attack_makes_everyone_lose_a_card_of_the_chosen_domain():
    table = given("M11E11(R1)/E111(S1)/S1(M1) 1e").when("mE")
    table.then("M1E1(R1)/E11(S1)/S1(M1) 1e m - - - M1E11")
    table = given("E1(R1)/E1(S1)/M1E1(E1)/E11(M1) 3e").when("mE")
    table.then("(R1)/(S1)/(E1)/E1(M1) 3e m - - - M1E1111")


@ruling("D23")
def test_attack_never_touches_a_hand():
    given("M1E1(R1)/C1(E1)/E1(E1) 1e").when("mE").then("(R1)/C1(E1)/(E1) 1e m - - - M1E11")


@ruling("D24")
def test_the_attacker_loses_a_card_of_the_chosen_domain_too():
    given("M1E1(R1)/E1(S1) 1e").when("mE").then("(R1)/(S1) 1e m - - - M1E11")


@ruling("A38")
def test_attack_needs_a_card_left_to_discard():
    given("M1(R1)/M1E1(S1) 1e").offers_only(".")


@ruling("A39")
def test_attack_names_only_a_domain_the_attacker_has():
    given("M1E1(R1)/S1(S1) 1e").offers_only("mE e+1 .")


@ruling("A39")
def test_attack_on_military_needs_a_second_military_card():
    given("M1R1(R1)/M11(S1) 1e").offers("mR").refuses("mM")
    given("M11(R1)/M111(S1)/M1(E1) 1e").when("mM").then("(R1)/M11(S1)/(E1) 1e m - - - M1111")


@ruling("A39")
def test_attack_on_a_domain_no_other_player_has_costs_only_the_attacker():
    given("M1R1(E1)/S1(R1) 1e").when("mR").then("(E1)/S1(R1) 1e m - - - M1R1")
