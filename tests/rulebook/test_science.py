"""Science: Experiment, Research and Breakthrough."""

from rulebook import given, ruling


def test_experiment_takes_one_card_back_then_plays_one():
    table = given("M1S111(R1)/C1(E1) 1e").when("S+").then("M1S111(R1)/C1(E1) 1e S t1p1").offers_only("M S")
    table.when("M").then("S111(M1R1)/C1(E1) 1e S p1").offers_only("M R")
    table.when("M R").then("R1S111(M1)/C1(E1) 1e S - - - -")


def test_research_takes_two_cards_back_then_plays_two():
    table = given("M1S11111(R1E1)/C1(E1) 1e").when("S++").then("M1S11111(R1E1)/C1(E1) 1e S t2p2")
    table.when("M S").then("S1111(M1R1E1S1)/C1(E1) 1e S p2").offers_only("M R E")
    table.when("M S R E").then("R1E1S1111(M1S1)/C1(E1) 1e S - - - -")


@ruling("D33")
def test_breakthrough_draws_five_then_discards_five_of_the_whole_hand():
    table = given("S1(R1E1)/C1(M1) 1e - - - M111R1E2S2").when("sS")
    table.then("(M111R11E12)/C1(M1) 1e s h5 - S2 S1")
    table.when("M M M R R").then("(E12)/C1(M1) 1e s - - S2 M111R11S1")


@ruling("D34")
def test_breakthrough_with_a_short_deck_discards_as_many_as_it_drew():
    table = given("S1(R1E1)/C1(M1) 1e - - - M1R1E22").when("sS").then("(M1R11E122)/C1(M1) 1e s h4 - - S1")
    table.when("M R R E").then("(E22)/C1(M1) 1e s - - - M1R11E1S1")
    given("S1(R1E1)/C1(M1) 1e - - - M1").when("sS").then("(M1R1E1)/C1(M1) 1e s h1 - - S1")


@ruling("A63")
def test_breakthrough_is_allowed_when_the_deck_is_empty():
    given("S1(R1)/C1(M1) 1e").when("sS").then("(R1)/C1(M1) 1e s - - - S1 1")


@ruling("A64")
def test_a_breakthrough_may_draw_the_last_card():
    table = given("M111S1(R1E1)/C1(M1R1S1) 1e - - - M1R1E2").when("sS M R R").offers_only("M+ mM .")
    table = table.when(".").then("M111(E12)/C1(M1R1S1) 2p - - - -")
    table.when("M .").scores(1, 1).ends("majority", 2)


@ruling("D12")
def test_breakthrough_is_paid_with_a_science_card():
    given("M1S1(R1)/C1(M1) 1e").offers_only("mS sS .")
    given("M1E1(R1)/C1(M1) 1e").refuses("sS sM sE")


@ruling("D12")
def test_polish_breakthrough_is_paid_with_any_card_but_culture():
    given("M1R1E1S1C1U3(R1)/C1(M1) 1e", rules="pl").offers("sM sR sE sS sU")
    given("C1(R1)/C1(M1) 1e", rules="pl").offers_only(".")
    given("C1U3(R1)/C1(M1) 1e", rules="pl").offers("sU").refuses("sM sR sE sS")


@ruling("D12")
def test_a_breakthrough_paid_with_another_domain_uses_sciences_discard_effect():
    table = given("M11S1U3(R1)/C1(M1) 1e", rules="pl")
    table.when("sM").then("M1S1U3(R1)/C1(M1) 1e s - - - M1").offers_only("mS mU u+1 .")
    table.when("sU").then("M11S1(R1)/C1(M1) 1e s - - - U3").offers_only("mM mS .")
