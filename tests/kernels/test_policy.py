"""The compiled policy's arithmetic on actions, which must agree with the table of the 64 actions."""

from hegemon.kernels.policy import permanent_action
from hegemon.rules.actions import ACTIONS, FIRST_COPY, FIRST_PERMANENT, ActionKind


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
