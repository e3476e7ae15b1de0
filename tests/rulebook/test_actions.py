"""The table of the 64 actions, and the rules' arithmetic on their codes, which must agree with it."""

import pytest

from hegemon.rules.actions import (
    ACTIONS,
    CHOICES,
    DISCARD_EFFECTS,
    PERMANENT_EFFECTS,
    ActionKind,
    Effect,
    draft_action,
    drafted_kind,
)
from hegemon.rules.cards import CULTURE, Domain, age_of, count, domain_of
from hegemon.rules.effects.board import REFERENCE_BOARD, domain_of_effect, level_of
from hegemon.rules.engine import apply
from hegemon.rules.position import Question
from rulebook import given

# Four players with four cards of each Domain: every effect could be applied by the first player.
RICH = given(
    "M1111R1111E1111S1111C1111U3333(M1)/M2222R2222E2222S2222C222U3333(R1)/"
    "M3333R1122E3333S3333C333U3333(R1)/M1122R1122E1122S1122C112U333(R1) 1e - - - M1R1E1S1C1M1R1 M1R1"
)


def of_kind(*kinds):
    return [pytest.param(action, id=action.text) for action in ACTIONS if action.kind in kinds]


def applied(action):
    position = RICH.position.copy()
    apply(position, action.code)
    return position


def areas_lost(position, domain):
    return [
        count(before[domain]) - count(after[domain])
        for before, after in zip(RICH.position.areas, position.areas, strict=True)
    ]


def decoded(choice):
    action = ACTIONS[CHOICES.index(choice)]
    return action.effect, action.domain, action.age, action.level, action.copied, action.distance


def test_an_action_is_its_place_in_the_table():
    assert [action.code for action in ACTIONS] == list(range(64))
    assert tuple(action.text for action in ACTIONS) == CHOICES


def test_an_action_has_what_its_text_names():
    assert decoded("E") == (None, Domain.ECONOMY, None, 0, False, None)
    assert decoded("S2") == (None, Domain.SCIENCE, 2, 0, False, None)
    assert decoded("M+") == (Effect.ASSASSINATION, Domain.MILITARY, None, 1, False, None)
    assert decoded("cU++") == (Effect.REPUBLIC, Domain.UTOPIA, None, 2, True, None)
    assert decoded("mC") == (Effect.ATTACK, Domain.CULTURE, None, 0, False, None)
    assert decoded("r+3") == (Effect.INQUISITION, None, None, 0, False, 3)
    assert decoded("e+0") == (Effect.EMBARGO, None, None, 0, False, 0)
    assert decoded("u+1") == (Effect.DEMOCRACY, None, None, 0, False, 1)
    assert decoded("sU") == (Effect.BREAKTHROUGH, Domain.UTOPIA, None, 0, False, None)
    assert decoded(".") == (None, None, None, 0, False, None)


def test_an_effect_has_its_domain_and_level():
    assert [(effect.domain.letter, effect.level) for effect in Effect] == [
        ("M", 1), ("M", 2), ("R", 1), ("R", 2), ("E", 1), ("E", 2), ("S", 1), ("S", 2), ("U", 1), ("U", 2),
        ("M", 0), ("R", 0), ("E", 0), ("S", 0), ("U", 0), ("C", 0),
    ]  # fmt: skip
    assert [len(PERMANENT_EFFECTS), len(DISCARD_EFFECTS)] == [10, 5]
    for effect in PERMANENT_EFFECTS:
        assert (domain_of_effect(effect), level_of(effect)) == (effect.domain, effect.level)


@pytest.mark.parametrize("action", of_kind(ActionKind.CARD))
def test_a_card_is_played_by_its_domain(action):
    table = given("M1(M1R1E1S1C1U3)/() 1p").when(action.text)
    assert count(table.position.areas[0][action.domain]) == 1 + (action.domain is Domain.MILITARY)


@pytest.mark.parametrize("action", of_kind(ActionKind.DRAFT))
def test_a_card_is_drafted_by_its_domain_and_age(action):
    kind = drafted_kind(action.code)
    assert (domain_of(kind), age_of(kind)) == (action.domain, action.age)
    assert draft_action(kind) == action.code


@pytest.mark.parametrize("action", of_kind(ActionKind.PERMANENT, ActionKind.COPY))
def test_a_permanent_effect_uses_up_its_domain_and_asks_for_its_cards(action):
    position = applied(action)
    assert position.used == 1 << action.domain | action.copied << CULTURE
    assert (position.question, position.left, position.plays) == REFERENCE_BOARD[action.effect]
    assert (position.coin_owner, position.coin_domain) == ((1, action.domain) if action.copied else (0, 0))
    assert position.hand_size == (3 + 2 * action.level if action.domain is Domain.RELIGION else 3)


@pytest.mark.parametrize("action", of_kind(ActionKind.ATTACK))
def test_an_attack_hits_the_domain_it_names(action):
    position = applied(action)
    assert position.used == 1 << 6 + Domain.MILITARY
    hit = [2 if action.domain is Domain.MILITARY else 1, 1, 1, 1]
    assert areas_lost(position, action.domain) == hit


@pytest.mark.parametrize("action", of_kind(ActionKind.INQUISITION, ActionKind.EMBARGO, ActionKind.DEMOCRACY))
def test_an_aimed_effect_names_a_player_by_the_places_to_the_left(action):
    position = applied(action)
    assert position.used == 1 << 6 + action.effect.domain
    assert position.target == action.distance
    question = Question.GIVE if action.kind is ActionKind.INQUISITION else Question[action.kind.name]
    assert position.question == question


@pytest.mark.parametrize("action", of_kind(ActionKind.BREAKTHROUGH))
def test_a_breakthrough_is_paid_with_the_domain_it_names(action):
    position = applied(action)
    assert position.used == 1 << 6 + Domain.SCIENCE
    assert areas_lost(position, action.domain) == [1, 0, 0, 0]
    assert (position.question, position.left) == (Question.DISCARD_FROM_HAND, 5)


@pytest.mark.parametrize("action", of_kind(ActionKind.END))
def test_the_last_action_ends_the_turn(action):
    position = applied(action)
    assert (position.seat, position.question) == (1, Question.PLAY)
