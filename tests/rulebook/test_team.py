"""The team game: two against two."""

from itertools import product

import pytest

from hegemon.notation.setup import SetupError, check_players
from hegemon.rules.cards import SCIENCE
from hegemon.rules.position import Position
from hegemon.rules.victory import has_majority
from rulebook import given, ruling


@ruling("D49", "A12")
def test_teammates_sit_opposite_each_other():
    given("M1111111(R1E1S1)/C1(S1)/C1(S1)/C1(S1) 1e - - - S1", "standard,teams").when(".").ends(
        "hegemony", 1, 3
    )
    given("M1(S1)/C1111111(R1E1S1)/C1(S1)/C1(S1) 2e - - - S1", "standard,teams").when(".").ends(
        "hegemony", 2, 4
    )


def test_teams_need_four_players():
    with pytest.raises(SetupError, match="four must play, not 3"):
        check_players(3, teams=True)
    with pytest.raises(SetupError, match="four must play, not 2"):
        check_players(2, teams=True)
    check_players(4, teams=True)


def test_the_hegemony_of_one_player_wins_for_the_team():
    given("C1(S1)/C1(S1)/M1111111(R1E1S1)/C1(S1) 3e - - - S1", "standard,teams").when(".").ends(
        "hegemony", 1, 3
    )
    given("C1(S1)/C1(S1)/C1(S1)/E1111111(R1E1S1) 4e - - - S1", "standard,teams").when(".").ends(
        "hegemony", 2, 4
    )


@ruling("D50")
def test_teammates_cards_are_never_added_up():
    table = given("M111111(R1E1S1)/C1(S1)/M1(S1)/C1(S1) 1e - - - S1", "standard,teams").when(".")
    table.then("M111111(R1E1S1)/C1(S1)/M1(S1)/C1(S1) 2p")
    given("M11()/M111()/M11()/() 4e", "standard,teams").scores(0, 1).when(".").ends("majority", 2, 4)


def test_teammates_tied_with_each_other_score_one_point():
    given("M1()/R1()/M1()/() 4e", "standard,teams").scores(1, 1).when(".").ends("majority", 2, 4)


@ruling("D51", "A107")
def test_a_domain_tied_between_the_teams_scores_for_both():
    table = given("R11E1S1U3()/M1S1C1()/E11()/C1() 4e", "standard,teams").scores(4, 3)
    table.when(".").ends("majority", 1, 3)


@ruling("A106")
def test_a_team_scores_if_its_best_member_is_at_least_the_best_opponent():
    for counts in product(range(6), repeat=4):
        position = Position(players=4, teams=1)
        for seat, cards in enumerate(counts):
            position.areas[seat][SCIENCE] = cards
        leads = [cards == max(counts) and cards > 0 for cards in counts]
        assert has_majority(position, 0, SCIENCE) == (leads[0] or leads[2])
        assert has_majority(position, 1, SCIENCE) == (leads[1] or leads[3])


@ruling("A108")
def test_a_team_tie_goes_to_the_better_single_member():
    given("M1U33()/C1U33()/U33()/() 4e", "standard,teams").scores(2, 2).when(".").ends("majority", 2, 4)
    given("M1()/()/()/U3() 4e", "standard,teams").scores(1, 1).when(".").ends("majority", 2, 4)
    given("()/M1R1C1()/U3()/E1() 4e", "standard,teams").scores(1, 4).when(".").ends("majority", 2, 4)
    given("S1()/E1C1()/C1()/() 4e", "standard,teams").scores(2, 2).when(".").ends("majority", 1, 3)


@ruling("A108")
def test_a_full_team_tie_is_shared_by_all_four():
    given("M1()/()/()/M1() 4e", "standard,teams").scores(1, 1).when(".").ends("majority", 1, 2, 3, 4)


@ruling("A110")
def test_attack_hits_the_teammate_too():
    table = given("M1E1(R1)/E1(S1)/E1(M1)/C1(S1) 1e", "standard,teams").when("mE")
    table.then("(R1)/(S1)/(M1)/C1(S1) 1e m - - - M1E111")


def test_the_numbers_of_four_players_hold_for_teams():
    given("M111(R1E1)/C1(S1)/C1(E1)/C1(M1) 1e", "standard,teams").offers("M+").refuses("M++")
    given("M1111(R1E1)/C1(S1)/C1(E1)/C1(M1) 1e", "standard,teams").offers("M+ M++")
    table = given("M111111(R1E1S1)/C1(S1)/C1(E1)/C1(M1) 1e - - - S1", "standard,teams").when(".")
    table.then("M111111(R1E1S1)/C1(S1)/C1(E1)/C1(M1) 2p")
