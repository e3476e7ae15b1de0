"""The compiled search samples determinizations with the right probabilities, compared with all possible deals."""

from collections import Counter
from math import sqrt

import pytest

import test_odds as odds
from hegemon.kernels import compiled, to_position, to_records
from hegemon.kernels.determinization import deal_unseen
from hegemon.play.determinization import unseen_cards
from hegemon.play.memory import Bundle, Memory, Place
from hegemon.rules.position import Question
from hegemon.rules.view import view

pytestmark = pytest.mark.usefixtures("untraced")

SAMPLES = 6_000


def deal_record(base, table, unseen, state):
    table[0] = base[0]
    return deal_unseen(table[0], unseen, state)


def check_odds(position, memory):
    """Compare the determinizations of seat 0, compiled, with all possible deals."""
    lies = odds.every_lie(position, 0, memory)
    certain, unseen = unseen_cards(view(position, 0), memory)
    arrays, deal = unseen.arrays(), compiled(deal_record)
    base = to_records([certain])
    table = base.copy()
    found, state = Counter(), 20_000_000_001
    for _ in range(SAMPLES):
        state = deal(base, table, arrays, state)
        found[odds.lie_of(to_position(table[0]), 0)] += 1
    assert 3 < len(lies) < SAMPLES / 8
    assert set(found) == set(lies)
    expected = {lie: SAMPLES * number / lies.total() for lie, number in lies.items()}
    distance = sum((found[lie] - number) ** 2 / number for lie, number in expected.items())
    freedom = len(lies) - 1
    assert distance < freedom + 4 * sqrt(2 * freedom)


def test_unknown_cards_lie_anywhere():
    check_odds(odds.table("(M1)/(M1S3)/(R1)/(C3U3) 1e - - - U3S3"), Memory(0, 4))


def test_unknown_cards_lie_anywhere_where_backs_are_not_shown():
    check_odds(odds.table("(M1)/(M1)/(R2)/(C3U3) 1e - - - U3 - 1 standard!show-backs"), Memory(0, 4))


def test_the_box_holds_unknown_cards_too():
    box = "M1R1R1E2E2E2U3U3S3"
    check_odds(odds.table("(M1)/(M1U3)/(R2) 1e - - - C3", box=box), Memory(0, 3))
    check_odds(odds.table("(M1)/(M1U3) 1e - - - C3 - 1 standard!show-backs", box=box), Memory(0, 2))


def test_cards_that_are_known_stay_where_they_are():
    memory = Memory(0, 4)
    memory.certain = {Place(1): Counter(["M1"]), Place(3): Counter(["U3"])}
    check_odds(odds.table("(M1)/(M1S3)/(R1M1)/(C3U3) 1e - - - U3S3"), memory)


def test_loose_cards_lie_in_every_hand_of_their_group():
    memory = Memory(0, 4)
    memory.loose = {frozenset((1, 2)): Counter(["U3"])}
    check_odds(odds.table("(M1)/(M1U3)/(R1C3U3)/(C3U3) 1e - - - U3"), memory)
    memory.loose[frozenset((1, 2, 3))] = Counter(["C3", "M1"])
    memory.certain = {Place(2): Counter(["R1"])}
    check_odds(odds.table("(M1)/(M1U3)/(R1C3U3)/(S1S3) 1e - - - E3"), memory)


def test_loose_cards_where_backs_are_not_shown():
    memory = Memory(0, 4)
    memory.loose = {frozenset((1, 2)): Counter(["U3"]), frozenset((1, 2, 3)): Counter(["R2"])}
    check_odds(odds.table("(M1)/(R2)/(U3)/(C3) 1e - - - U3 - 1 standard!show-backs"), memory)


def test_bundles_are_divided_as_they_are_known_to_be():
    memory = Memory(0, 4)
    memory.bundles = [Bundle(Counter(["M1", "R1"]), Counter({Place(1): 1, Place(2): 1}))]
    check_odds(odds.table("(M1)/(M1C1)/(R1E1)/(C1) 1e - - - U3"), memory)


def test_packets_of_the_draft_are_divided_as_they_are_known_to_be():
    memory = Memory(0, 4)
    memory.bundles = [
        Bundle(Counter(["M1", "R1", "R1"]), Counter({Place(1): 2, Place(1, kept=True): 1})),
        Bundle(Counter(["E1", "C1"]), Counter({Place(2): 1, Place(2, kept=True): 1})),
    ]
    position = odds.table("(M1M1)[M1]/(M1R1)[R1S1]/(E1)[C1]/(E1)[C1] 1e - - - U3")
    position.question, position.left, position.round = Question.DRAFT, 2, 0
    check_odds(position, memory)
