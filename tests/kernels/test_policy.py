"""The compiled policy's arithmetic on actions, which must agree with the table of the 64 actions."""

from random import Random

import pytest

from hegemon.kernels.heuristic import gain, majority_weight, threat, threat_reduction
from hegemon.kernels.policy import (
    WORTHWHILE,
    best_democracy,
    lowest_pick,
    permanent_action,
    pick_gain,
    swap_pays,
)
from hegemon.rules.actions import ACTIONS, FIRST_COPY, FIRST_DEMOCRACY, FIRST_PERMANENT, ActionKind
from hegemon.rules.cards import COUNT, DOMAINS, UTOPIA
from hegemon.rules.engine import legal
from hegemon.rules.picks import asks_for_cards, pickable
from hegemon.rules.position import EFFECTS, Position
from hegemon.rules.victory import side_of
from random_games import new_game, random_choice, seat_to_move


def test_a_permanent_effect_is_found_by_its_domain():
    actions = [action for action in ACTIONS if action.kind in (ActionKind.PERMANENT, ActionKind.COPY)]
    assert [action.code for action in actions] == list(range(FIRST_PERMANENT, FIRST_PERMANENT + 20))
    for action in actions:
        assert permanent_action(1 << action.code, action.domain) == action.code
        assert permanent_action(1 << action.code, (action.domain + 1) % 4) == -1


def test_the_stronger_level_comes_first_and_an_own_effect_before_a_copy():
    for domain in {action.domain for action in ACTIONS if action.level}:
        own = [a.code for a in ACTIONS if a.kind is ActionKind.PERMANENT and a.domain is domain]
        both = sum(1 << code | 1 << code - FIRST_PERMANENT + FIRST_COPY for code in own)
        assert permanent_action(both, domain) == own[1]
        assert permanent_action(both & ~(1 << own[1]), domain) == own[0]


# ------------------------------------------------------------------ shortcuts, compared with what they replace


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_relief_of_every_column_is_the_difference_of_two_threats(players):
    position = Position(players=players)
    for position.embargoes[1][0] in (0, 1):
        for position.democracies[1][0] in (0, 1, 2):
            for cards in range(1, 9):
                difference = threat(position, 1, 0, cards) - threat(position, 1, 0, cards - 1)
                assert threat_reduction(position, 1, 0, cards) == difference  # to the last bit


def plain_lowest_pick(position, weight):
    """Card by card, each time the best of all."""
    picked = [0] * DOMAINS
    for _ in range(position.left):
        there = [d for d in range(position.floor, DOMAINS) if pickable(position, d) > picked[d]]
        best = max(there, key=lambda domain: pick_gain(position, domain, picked[domain], weight))
        picked[best] += 1
    return next(domain for domain in range(DOMAINS) if picked[domain])


def plain_democracy(position, weight):
    best, most = -1, WORTHWHILE
    for distance in range(1, position.players):
        other = (position.seat + distance) % position.players
        for domain in range(DOMAINS):
            cards = position.areas[other][domain] & COUNT
            if cards and side_of(position, other) != side_of(position, position.seat):
                value = threat_reduction(position, other, domain, cards)
                if value > most:
                    best, most = FIRST_DEMOCRACY + distance, value
    return best if most + gain(position, UTOPIA, -1, 0, weight) > WORTHWHILE else -1


def plain_swap(position, kept, weight):
    seat = position.seat
    played = [d for d in range(DOMAINS) if position.hands[seat][d] and not position.embargoes[seat][d]]
    given = [d for d in range(DOMAINS) if position.areas[seat][d]]
    if not played or not given:
        return False
    best = max(gain(position, domain, 1, -1, weight) for domain in played)
    return max(gain(position, domain, -1, kept, weight) for domain in given) + best > WORTHWHILE


@pytest.mark.parametrize("number", range(0, 96, 3))
def test_shortcuts_decide_as_the_full_evaluation_does(number):
    game, chance = new_game(number), Random(number)
    while not game.over:
        position = game.position
        weight = majority_weight(position)
        choices = legal(position)
        if asks_for_cards(position) and position.left > 1:
            assert lowest_pick(position, choices, weight) == plain_lowest_pick(position, weight)
        if position.question == EFFECTS:
            for kept in (0, 1):
                assert swap_pays(position, kept, weight) == plain_swap(position, kept, weight)
            if position.areas[position.seat][UTOPIA]:
                everyone = 15 << FIRST_DEMOCRACY
                assert best_democracy(position, everyone, weight) == plain_democracy(position, weight)
        game.play(random_choice(game, seat := seat_to_move(game, chance), chance, calm=False), seat)
