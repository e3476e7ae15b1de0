"""Costs and partial effects: first in full, then as far as possible."""

from rulebook import given, ruling


@ruling("D31")
def test_monopoly_and_research_take_any_two_cards():
    given("M1E11111(R1S1)/C1(C1) 1e").when("E++ M E R S").then("R1E1111S1()/C1(C1) 1e E - - - M1E1")
    given("M1S11111(R1)/C1(C1) 1e").when("S++ M S R S").then("R1S11111(M1)/C1(C1) 1e S")
    given("M11E11111(R1S1)/C1(C1) 1e").when("E++ M M R S").then("R1E11111S1()/C1(C1) 1e E - - - M11")


@ruling("A19")
def test_of_several_ages_the_oldest_card_moves():
    given("M111(E123)/C1(S1) 1e").when("M+ E").then("M111(E23)/C1(S1) 1e M - - - E1")
    given("M23E111(R1)/C1(S1) 1e").when("E+ M R").then("M3R1E111()/C1(S1) 1e E - - - M2")
    given("U333(R1)/C1(S1) 1e - - - - E23").when("U+ E").then("U333(R1E2)/C1(S1) 1e U - - - E3")
    given("M13E13(R1)/E23(S1) 1e").when("mE").then("M3E3(R1)/E3(S1) 1e m - - - M1E12")
    given("E13(R1)/M1(S1) 1e").when("e+1 M").then("E3(R1)/M1e1(S1) 1e e")
    given("R12(E3)/C1(E1) 1e").when("r+1 E").then("R2(E3)/C1(E1) 1e r - - - R1")
    given("(M23)/C1(E1) 1p").when("M").then("M2(M3)/C1(E1) 1e")


@ruling("A20")
def test_a_permanent_effect_that_cannot_be_paid_is_not_offered():
    given("M111U333()/C1(S1) 1e").offers_only("mM mU u+1 .")


@ruling("A20")
def test_a_discard_effect_is_allowed_once_its_cost_can_be_paid():
    given("M1R1(E1)/C1(S1) 1e").when("mR").then("(E1)/C1(S1) 1e m")
    given("S1(R1)/C1(M1) 1e").offers("sS")
    given("R1(M1)/C1() 1e").offers("r+1")


@ruling("A20")
def test_religion_is_offered_even_to_a_full_hand():
    table = given("R111(M11E1S1C1)/C1(S1) 1e - - - M1")
    table.offers("R+")
    table.when("R+ .").then("R111(M11E1S1C1)/C1(S1) 2p - - - M1")


@ruling("A27")
def test_purge_needs_two_hand_cards():
    given("M11111(R1)/C1(S1) 1e").offers("M+").refuses("M++")
    given("M11111(R11)/C1(S1) 1e").offers("M+ M++")


@ruling("A27")
def test_republic_needs_two_discarded_cards():
    given("U33333(R1)/C1(S1) 1e - - - - E1").offers("U+").refuses("U++")
    given("U33333(R1)/C1(S1) 1e - - - - E11").offers("U+ U++")


@ruling("A28")
def test_assassination_needs_a_hand_card():
    given("M111()/C1(S1) 1e").refuses("M+")


@ruling("A28")
def test_oligarchy_needs_a_discarded_card():
    given("U333(R1)/C1(S1) 1e").refuses("U+")


@ruling("A29")
def test_monopoly_and_research_need_two_cards_in_play():
    given("C1(R1E1)/E11111S11111(M1) 1e").offers("cE+ cS+").refuses("cE++ cS++")
    given("C11(R1E1)/E11111S11111(M1) 1e").offers("cE+ cE++ cS+ cS++")


@ruling("A30")
def test_development_may_be_used_with_nothing_to_play():
    given("E111()/C1(S1) 1e").when("E+ E").then("E11()/C1(S1) 1e E - - - E1")
    given("M1e1E111(M1)/C1(S1) 1e").when("E+ E").then("M1e1E11(M1)/C1(S1) 1e E")


@ruling("A30")
def test_monopoly_plays_as_many_cards_as_possible():
    given("E11111(R1)/C1(S1) 1e").when("E++ E E R").then("R1E111()/C1(S1) 1e E - - - E11")
    table = given("M1e1E11111(M1R1)/C1(S1) 1e")
    table.when("E++ E E").offers_only("R")
    table.when("E++ E E R").then("M1e1R1E111(M1)/C1(S1) 1e E")


@ruling("A31")
def test_experiment_plays_nothing_when_every_card_is_under_embargo():
    given("S111e1(S1)/C1(E1) 1e").when("S+ S").then("S11e1(S11)/C1(E1) 1e S")


@ruling("A31")
def test_experiment_must_play_if_a_card_can_be_played():
    given("S111e1(R1S1)/C1(E1) 1e").when("S+ S").offers_only("R")


@ruling("A32")
def test_experiment_may_take_a_card_that_leaves_nothing_to_play():
    table = given("M1S111e1(S1)/C1(E1) 1e")
    table.when("S+").offers_only("M S")
    table.when("S+ S").then("M1S11e1(S11)/C1(E1) 1e S")


@ruling("A33")
def test_experiment_may_replay_the_card_it_took():
    given("S111(R1)/C1(E1) 1e").when("S+ S S").then("S111(R1)/C1(E1) 1e S")


@ruling("A34")
def test_development_cannot_replay_the_card_it_discarded():
    given("M1E111(R1)/C1(S1) 1e").when("E+ M").offers_only("R")
    given("M1E111()/C1(S1) 1e").when("E+ M").then("E111()/C1(S1) 1e E - - - M1")


@ruling("A35")
def test_picks_of_one_effect_are_offered_in_one_order_only():
    table = given("M11111(R1E1S1)/C1(M1) 1e")
    table.when("M++").offers_only("R E")
    table.when("M++ E").offers_only("S")
    given("M11111(R11E1)/C1(M1) 1e").when("M++ R").offers_only("R E")


@ruling("A36")
def test_development_may_pay_with_economy_itself():
    given("E11(R1E1S1)/C1(M1) 1p").when("E E+ E R").then("R1E11(S1)/C1(M1) 1e E")


@ruling("A36")
def test_development_may_pay_with_the_card_just_played():
    given("E111(R1S1)/C1(M1) 1p").when("R E+ R S").then("E111S1()/C1(M1) 1e E")


@ruling("A37")
def test_markers_are_neither_paid_nor_taken():
    table = given("M1e1u3E11111(R1S1)/C1(M1) 1e")
    table.when("E++ M").offers_only("E")
    table.when("E++ M E R S").then("Me1u3R1E1111S1()/C1(M1) 1e E - - - M1E1")
    given("M1e1u3S111(R1)/C1(M1) 1e").when("S+ M R").then("Me1u3R1S111(M1)/C1(M1) 1e S")
    given("M11(R1)/Me1u3(S1) 1e").when("mM").then("(R1)/Me1u3(S1) 1e m - - - M11")
