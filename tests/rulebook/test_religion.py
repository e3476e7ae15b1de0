"""Religion: Holy Book, Divine Right and Inquisition."""

from rulebook import given, ruling

PASSIVE = "standard+passive-religion"


@ruling("D26")
def test_holy_book_fills_the_hand_to_five():
    table = given("R111(M1E1)/C1(M1E1S1) 1e - - - M1R1E1S1C1").when("R+")
    table.then("R111(M1E1)/C1(M1E1S1) 1e R+ - - M1R1E1S1C1")
    table.when(".").then("R111(M11R1E11)/C1(M1E1S1) 2p - - - S1C1")


@ruling("D26")
def test_divine_right_fills_the_hand_to_seven():
    table = given("R11111(M1E1)/C1(M1E1S1) 1e - - - M1R1E1S1C1M1").when("R++")
    table.then("R11111(M1E1)/C1(M1E1S1) 1e R++ - - M1R1E1S1C1M1")
    table.when(".").then("R11111(M11R1E11S1C1)/C1(M1E1S1) 2p - - - M1")


def test_inquisition_takes_a_whole_hand_and_gives_back_as_many():
    table = given("R1(M1E1)/C1(S1C1U3) 1e").when("r+1").then("(M1E1S1C1U3)/C1() 1e r g3>2 - - R1")
    table.when("M E").then("(S1C1U3)/C1(M1E1) 1e r g1>2:E - - R1")
    table.when("M E S").then("(C1U3)/C1(M1E1S1) 1e r - - - R1")


@ruling("D29")
def test_inquisition_gives_back_any_cards_of_the_enlarged_hand():
    table = given("R1(M1E1)/C1(S1C1) 1e").when("r+1").offers_only("M E S")
    table.when("M E").then("(S1C1)/C1(M1E1) 1e r")
    table.when("S C").then("(M1E1)/C1(S1C1) 1e r")
    table.when("E C").then("(M1S1)/C1(E1C1) 1e r")


@ruling("D30", "A45")
def test_inquisition_names_any_other_player():
    given("R1(M1)/C1(S1) 1e").offers_only("r+1 .")
    given("R1(M1)/C1(S1)/C1(E1) 1e").offers_only("r+1 r+2 .")
    table = given("C1(S1)/C1(M1)/R1(R1)/C1(E1) 3e").offers_only("r+1 r+2 r+3 .")
    table.when("r+1 R").then("C1(S1)/C1(M1)/(E1)/C1(R1) 3e r")
    table.when("r+2 R").then("C1(R1)/C1(M1)/(S1)/C1(E1) 3e r")
    table.when("r+3 R").then("C1(S1)/C1(R1)/(M1)/C1(E1) 3e r")


@ruling("A40")
def test_holy_book_holds_even_if_religion_is_lost_later():
    table = given("R111(M1E1)/C1(M1E1S1) 1e - - - M1R1E1S1C1").when("R+ r+1 M E S .")
    table.then("R11(M11R1E11)/C1(M1E1S1) 2p - - - S1C1 R1")


@ruling("A40")
def test_passive_religion_is_read_from_the_count_when_drawing():
    table = given("R111(M1E1)/C1(M1E1S1) 1e - - - M1R1E1S1C1", rules=PASSIVE).refuses("R+")
    table.when("r+1 M E S .").then("R11(M11E1)/C1(M1E1S1) 2p - - - R1E1S1C1")
    table = given("R1111(M1E1)/C1(M1E1S1) 1e - - - M1R1E1S1C1M1", rules=PASSIVE).when(".")
    table.then("R1111(M11R1E11)/C1(M1E1S1) 2p - - - S1C1M1")
    table = given("R11111(M1E1)/C1(M1E1S1) 1e - - - M1R1E1S1C1M1", rules=PASSIVE).when(".")
    table.then("R11111(M11R1E11S1C1)/C1(M1E1S1) 2p - - - M1")


@ruling("A41")
def test_passive_religion_is_not_offered():
    table = given("R111(M1E1)/C1(M1E1S1) 1e - - - M1R1E1S1C1", rules=PASSIVE).offers_only("r+1 .")
    table.when(".").then("R111(M11R1E11)/C1(M1E1S1) 2p - - - S1C1")


@ruling("A40")
def test_passive_religion_cannot_be_copied():
    given("C1(M1E1)/R11111(M1E1S1) 1e - - - M1R1", rules=PASSIVE).offers_only(".")
    given("C1(M1E1)/R11111(M1E1S1) 1e - - - M1R1").offers_only("cR+ cR++ .")


@ruling("A40")
def test_passive_religion_leaves_the_other_domains_as_they_are():
    given("M111R111(M1E1)/C1(S1) 1e r - - M1", rules=PASSIVE).offers_only("M+ mM mR .")
    given("M111R111(M1E1)/C1(S1) 1e Mr - - M1", rules=PASSIVE).offers_only("mM mR .")


@ruling("A41")
def test_religion_need_not_be_used():
    table = given("R11111(M1E1)/C1(M1E1S1) 1e - - - M1R1E1S1C1").when(".")
    table.then("R11111(M11E1)/C1(M1E1S1) 2p - - - R1E1S1C1")


@ruling("A42")
def test_a_larger_hand_size_lasts_for_this_turn_only():
    table = given("R111(M1E1)/C1(M1E1S1) 1e - - - M1R1E1S1C1E1").when("R+ . S . M r+1 M E E .")
    table.then("M1R11(M1R1E1S1)/S1C1(M1E11) 2p - - - C1E1")
    given("R111(M11R1E1)/C1(M1) 1e - - - M1R1").when("R+ .").then("R111(M111R1E1)/C1(M1) 2p - - - R1")


@ruling("A43")
def test_holy_book_and_a_copied_divine_right_never_add_up():
    table = given("R111C1(M1)/R11111(M1E1S1) 1e - - - M111111111").offers("R+ cR++")
    table.when("R+").refuses("cR+ cR++")
    table.when("cR++").refuses("R+ R++")
    table.when("cR++ .").then("R111C1(M1111111)/R11111(M1E1S1) 2p - - 1>2R M111")


@ruling("A44")
def test_religion_is_not_offered_when_the_deck_is_empty():
    given("R11111(M1E1)/C1(S1) 1e").offers_only("r+1 .")
    given("C1(M1E1)/R11111(S1) 1e").offers_only(".")
    given("R11111(M1E1)/C1(S1) 1e - - - M1").offers_only("R+ R++ r+1 .")


@ruling("A46")
def test_inquisition_may_name_a_player_with_an_empty_hand():
    given("R1(M1)/C1() 1e").when("r+1").then("(M1)/C1() 1e r - - - R1")


@ruling("A47")
def test_inquisition_may_name_a_teammate():
    table = given("R1(M1)/C1(S1)/C1(E1)/C1(C1) 1e", rules="standard,teams").offers_only("r+1 r+2 r+3 .")
    table.when("r+2 M").then("(E1)/C1(S1)/C1(M1)/C1(C1) 1e r")
