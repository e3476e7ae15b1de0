"""What a turn can reach at most, whatever the hand."""

from hegemon.notation.reading import read_position
from hegemon.rules.cards import CULTURE, ECONOMY, MILITARY, RELIGION, SCIENCE, UTOPIA
from hegemon.rules.reach import MAX_DRAWN, MAX_PLAYED, can_reach_hegemony, fewest_missing, most_played

NOTHING = (0, 0)
THRESHOLDS = (3, 5)


def can_reach(area: str, domain: int, others: str = "/M1(R1)/M1(R1)", *, later: bool = False) -> bool:
    return can_reach_hegemony(read_position(f"{area}(R1){others} 1p"), 0, domain, later=later)


def test_a_turn_draws_twelve_cards_at_most():
    assert MAX_DRAWN == 5 + 7, "a Breakthrough, and a refill by Divine Right"


def test_a_turn_plays_five_cards_at_most():
    assert MAX_PLAYED == 1 + 2 + 2, "step 1, Monopoly and Research"


def test_without_effects_a_turn_plays_one_card():
    for domain in (MILITARY, RELIGION, ECONOMY, SCIENCE, CULTURE, UTOPIA):
        assert most_played(domain, (0, 0, 0), NOTHING, THRESHOLDS) == 1


def test_effects_of_economy_and_science_play_one_card_by_the_first_level_and_two_by_the_second():
    assert most_played(MILITARY, (3, 0, 0), NOTHING, THRESHOLDS) == 2
    assert most_played(MILITARY, (0, 3, 0), NOTHING, THRESHOLDS) == 2
    assert most_played(MILITARY, (5, 0, 0), NOTHING, THRESHOLDS) == 3
    assert most_played(MILITARY, (3, 5, 0), NOTHING, THRESHOLDS) == 4
    assert most_played(MILITARY, (5, 5, 0), NOTHING, THRESHOLDS) == 5


def test_a_card_that_a_turn_plays_can_make_an_effect_available():
    assert most_played(ECONOMY, (2, 0, 0), NOTHING, THRESHOLDS) == 2, "the third Economy card"
    assert most_played(SCIENCE, (0, 4, 0), NOTHING, THRESHOLDS) == 3, "the fifth Science card"
    assert most_played(MILITARY, (2, 0, 0), NOTHING, THRESHOLDS) == 1, (
        "the Economy card takes the place of one"
    )
    assert most_played(MILITARY, (2, 5, 0), NOTHING, THRESHOLDS) == 3, "Research plays a third Economy card"


def test_inspiration_copies_one_effect_for_the_leader_in_culture():
    assert most_played(MILITARY, (0, 0, 0), (2, 2), THRESHOLDS) == 2, "a Culture card first, then Monopoly"
    assert most_played(MILITARY, (0, 0, 1), (2, 2), THRESHOLDS) == 3
    assert most_played(MILITARY, (0, 0, 1), (1, 0), THRESHOLDS) == 2
    assert most_played(MILITARY, (0, 0, 1), (0, 1), THRESHOLDS) == 2
    assert most_played(MILITARY, (0, 0, -1), (2, 2), THRESHOLDS) == 1
    assert most_played(CULTURE, (0, 0, 0), (2, 2), THRESHOLDS) == 3, "the Culture card takes the lead"


def test_an_effect_is_applied_once_own_or_copied():
    assert most_played(MILITARY, (5, 0, 1), (2, 0), THRESHOLDS) == 3
    assert most_played(MILITARY, (5, 0, 1), (0, 2), THRESHOLDS) == 5


def test_hegemony_is_in_reach_if_a_turn_can_play_the_missing_cards():
    assert can_reach("M111111", MILITARY)
    assert not can_reach("M11111", MILITARY)
    assert can_reach("M11111E111", MILITARY)
    assert can_reach("M1111E11111", MILITARY)
    assert can_reach("M1111S11111", MILITARY)
    assert not can_reach("M111E11111", MILITARY)


def test_hegemony_takes_one_card_more_with_two_players_and_for_a_democracy():
    assert can_reach("M1111111", MILITARY, "/M1(R1)")
    assert not can_reach("M111111", MILITARY, "/M1(R1)")
    assert not can_reach("M111111u3", MILITARY)


def test_hegemony_is_out_of_reach_under_an_embargo():
    assert not can_reach("M111111e1", MILITARY)


def test_the_leader_in_culture_can_copy_what_any_other_player_has():
    assert can_reach("M11111C11", MILITARY, "/E111C1(R1)/M1(R1)")
    assert can_reach("M11111C11", MILITARY, "/M1(R1)/S111C1(R1)")
    assert not can_reach("M11111C1", MILITARY, "/E111C1(R1)/M1(R1)")


def test_others_may_grow_by_all_cards_of_a_turn_before_a_later_one():
    """Seat 2 could reach five Economy cards from one: a card, Research for two, Development for one."""
    position = read_position("M1(R1)/E1(R1)/M1111C1(R1) 1p")
    assert can_reach_hegemony(position, 2, MILITARY, later=True), "a card, and Monopoly copied from seat 2"
    assert not can_reach_hegemony(position, 2, MILITARY, later=False)


def test_others_may_lose_their_lead_in_culture_before_a_later_turn():
    position = read_position("M1(R1)/E11111C11(R1)/M1111C1(R1) 1p")
    assert can_reach_hegemony(position, 2, MILITARY, later=True)
    assert not can_reach_hegemony(position, 2, MILITARY, later=False)


def test_the_fewest_missing_cards_are_those_of_the_nearest_domain_without_an_embargo():
    position = read_position("M111e1R11E1(R1)/M1(R1)/S11111u3(R1) 1p")
    assert [fewest_missing(position, seat) for seat in range(3)] == [5, 6, 3]
