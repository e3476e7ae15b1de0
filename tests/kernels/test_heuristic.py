"""The heuristic's terms: their values, computed by hand, and gains, which are differences of values."""

from random import Random

import pytest

from hegemon import read_position
from hegemon.kernels.heuristic import (
    WON,
    domain_value,
    drafted_gain,
    gain,
    gift_cost,
    majority_chance,
    majority_weight,
    most_cards,
    progress,
    threat,
    threat_reduction,
)
from hegemon.kernels.policy import domain_for_marker, pick_action
from hegemon.rules.cards import CULTURE, DOMAINS, ECONOMY, MILITARY, RELIGION, SCIENCE, card_of_age
from hegemon.rules.engine import legal
from hegemon.rules.position import Question
from random_games import new_game, random_choice, seat_to_move


def test_progress_grows_with_the_third_power_up_to_hegemony():
    assert progress(7, 0, 7) == pytest.approx(100)
    assert progress(4, 0, 8) == pytest.approx(100 / 8)
    assert progress(0, 20, 9) == pytest.approx(100)  # a card in hand counts 0.45
    assert progress(3, 2, 7) == pytest.approx(100 * (3.9 / 7) ** 3)
    assert progress(12, 3, 7) == progress(7, 0, 7)


def test_a_lead_is_safer_the_larger_it_is():
    assert [majority_chance(own, 3) for own in range(7)] == [0, 0.1, 0.35, 0.65, 0.85, 1, 1]


def test_majorities_count_more_the_fewer_cards_are_left():
    position = read_position("(M1)/(M1) 1e")
    weights = []
    for position.deck_size in (104, 52, 0):
        weights.append(majority_weight(position))
    assert weights == pytest.approx([1.2, 12 * (0.1 + 0.9 / 4), 12])


def test_the_most_cards_of_opponents_and_of_teammates():
    position = read_position("M1()/M11()/M111()/() 1e - - - - - 5 standard,teams")
    assert most_cards(position, MILITARY, False) == 2
    assert most_cards(position, MILITARY, True) == 3


def test_threats_of_columns_that_are_nearly_full():
    position = read_position("()/S112222R1()/S11222() 1e")
    assert threat(position, 1, SCIENCE, 6) == pytest.approx(0.5 * 100 * (6 / 7) ** 3 / 2 + 60)
    assert threat(position, 2, SCIENCE, 5) == pytest.approx(0.5 * 100 * (5 / 7) ** 3 / 2 + 15)
    assert threat_reduction(position, 1, SCIENCE, 6) == pytest.approx(
        threat(position, 1, SCIENCE, 6) - threat(position, 2, SCIENCE, 5)
    )
    position.embargoes[1][SCIENCE] = card_of_age(1)
    assert threat(position, 1, SCIENCE, 6) == pytest.approx(0.5 * 100 * (6 / 7) ** 3 / 2)


def test_gifts_cost_what_they_help_opponents_and_help_teammates():
    position = read_position("()/E1()/E1()/() 1e - - - - - 5 standard,teams")
    cost = 0.3 * 0.5 * 100 * (8 - 1) / 343 / 3
    assert gift_cost(position, 1, ECONOMY) == pytest.approx(cost)
    assert gift_cost(position, 2, ECONOMY) == pytest.approx(-cost)


def test_drafted_cards_count_by_progress_and_by_the_effect_they_promise():
    position = read_position("R1()/()/() 1e")
    assert drafted_gain(position, RELIGION, 1, 0) == pytest.approx(100 * (8 / 343 - 1 / 343) + 0.1 * 3)
    assert drafted_gain(position, CULTURE, 0, 1) == pytest.approx(100 * (0.45 / 7) ** 3)


def test_the_value_of_a_domain_by_hand():
    position = read_position("M111(M1)/M11()/M1() 1e")
    own = 100 * (3.45 / 7) ** 3 + 0.5  # the column, and one level of the permanent effect
    others = 0.5 * 100 * (8 + 1) / 343 / 2
    assert domain_value(position, MILITARY, 2.0) == pytest.approx(own - others + 2.0 * 0.85)
    position = read_position("M1111111()/()/() 1e")
    assert domain_value(position, MILITARY, 2.0) == pytest.approx(100 + WON + 2 * 0.5 + 2.0)


@pytest.mark.parametrize("number", range(0, 96, 4))
def test_a_gain_is_the_difference_of_two_values(number):
    game, chance = new_game(number), Random(number)
    compared = 0
    while not game.over and compared < 60:
        game.play(random_choice(game, seat := seat_to_move(game, chance), chance, calm=False), seat)
        position = game.position.copy()
        weight = majority_weight(position)
        for domain in range(DOMAINS):
            before = domain_value(position, domain, weight)
            for played, drawn in ((1, -1), (-1, 0), (0, 1), (-1, 1), (2, 0)):
                after = position.copy()
                area, hand = after.areas[after.seat], after.hands[after.seat]
                if area[domain] + played < 0 or hand[domain] + drawn < 0:
                    continue
                area[domain] += played  # cards of Age III
                hand[domain] += drawn
                difference = domain_value(after, domain, weight) - before
                assert gain(position, domain, played, drawn, weight) == pytest.approx(difference)
                compared += 1


def test_picks_that_are_best_together_are_named_from_the_lowest_domain_on():
    position = read_position("R1S1111(M1S11U3)/C1(S1E1M1)/C1(S1E1M1) 1e M h2 - S1")
    assert pick_action(position, legal(position)) == MILITARY


def test_a_marker_goes_where_it_hinders_the_target_most():
    position = read_position("E1(R1S1)/M111S112222(S1E1M1)/C1(S1E1M1) 1e e e>2 - S111R111")
    assert position.question == Question.EMBARGO
    assert domain_for_marker(position, legal(position)) == SCIENCE
