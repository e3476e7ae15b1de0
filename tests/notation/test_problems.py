"""Problems for positions that cannot occur in a game, and none for those that can."""

import pytest

from hegemon.notation.problems import number_of_kind, problems
from hegemon.notation.reading import read_position
from hegemon.rules.cards import KINDS, NUMBER_OF_CARDS, age_of, card_of_age, domain_of
from hegemon.rules.position import Position, Question
from hegemon.rules.setup import cards_removed


def completed(line, deck="in order"):
    """The position of a line with the rest of the cards in the deck, or all of them in the discard pile."""
    position = read_position(line)
    rest = []
    for age in (3, 2, 1):
        missing = [
            kind
            for kind in KINDS
            if age_of(kind) == age
            for _ in range(NUMBER_OF_CARDS[domain_of(kind)][age - 1] - number_of_kind(position, kind))
        ]
        rest += missing[cards_removed(position.players) :]
    if deck == "out":
        for kind in rest:
            position.discard_piles[domain_of(kind)] += card_of_age(age_of(kind))
    else:
        position.deck_size = len(rest)
        position.deck[: len(rest)] = rest
    return position


POSSIBLE = [
    "(M11R1)/(R11S1) 1p",
    "M1(M1R1)/(R11S1) 1e",
    "M1e1C1(M11R1)/(R11S1) 1p - - 1>2M - - 7.3*",
    "(M11R1E1)/(S11C11) 1d",
    "(M1R1)[E1S1]/(S1)[R1C11] 1d",
    "()[M11R1]/()[S11C1]|E11 2c",
    "()[M11R1]/E1()[S11C1]|E1 1c",
    "M1(M1R1)/(R11S1) 1e R+ - - - - 3*",
    "M1(M1R1C1)/() 1e r g3>2 - - - 3*",
    "C1(M1R1E1)/C1(R11S1) 1e - - 1>2M - - 3* pl",
    "E1(M11R1E1)/(R11S1) 1e eE1 - - - - 2 en",
    "M11E1(R1)/M1(R11S1) 1e e e>1 - - - 2 en",
    "M1U3(M11)/M1(R11S1) 1e u u>1 - - - 2 en",
    "M1U3(M11)/(R11S1)/M1(E111)/(S111) 1e u u>3 - - - 2 standard,teams",
    "M11111111(R1)/(R11S1) 1e",
    "M11111111(R111)/(R11S1) 1x",
]  # fmt: skip


@pytest.mark.parametrize("line", POSSIBLE)
def test_a_position_that_could_be_real_has_no_problems(line):
    assert problems(completed(line)) == []


@pytest.mark.parametrize("line", ["(M1)/() 2e - - - - - 30*", "(M1)/() 2m - - - - - 30"])
def test_hands_run_short_in_the_last_round(line):
    assert problems(completed(line, deck="out")) == []


def test_a_stalled_game_could_be_real():
    assert problems(completed("(M111R111)/(S11R11C11) 2s - - - - - 12.10")) == []


IMPOSSIBLE = [
    # ------------------------------------------------ hands
    (
        "(M11)/(R11S1) 1p",
        "Seat 1 should have at least 3 cards in hand between its turns.",
    ),
    (
        "(M11R1)/(R1) 1e",
        "Seat 2 should have at least 3 cards in hand between its turns.",
    ),
    (
        "(M11R1)/(R11)/(M111) 1e R+ - - - - 3*",
        "Seat 2 should have at least 3 cards in hand between its turns.",
    ),
    (
        "(M11R1)/(R11S1)|M1 1p",
        "There are kept cards and a center only in the draft.",
    ),
    (
        "(M11R1)/(R11S1)[M1] 1p",
        "There are kept cards and a center only in the draft.",
    ),
    # ------------------------------------------------ the draft
    (
        "(M1111E1)/(R1111) 1d",
        "Seat 1 should have 0 kept, 4 in its packet and 0 in play, not 0, 5, 0.",
    ),
    (
        "E1(M111)[E1]/(R1111) 2d",
        "Seat 1 should have 1 kept, 3 in its packet and 0 in play, not 1, 3, 1.",
    ),
    (
        "()[M111]/()[R11]|M1R1 2c",
        "Seat 2 should have 3 kept, 0 in its packet and 0 in play, not 2, 0, 0.",
    ),
    (
        "()[M111]/()[R111]|M1R1 1c",
        "Seat 2 should have 3 kept, 0 in its packet and 1 in play, not 3, 0, 0.",
        "The center should have 1 card.",
    ),
    (
        "(M1111)/(R1111)|E1 1d",
        "The center should have 0 cards.",
    ),
    (
        "(M1111)/(R1111) 1d - - - - M2",
        "In the draft there is no discard pile and no marker, and the Culture coin is by the deck.",
    ),
    (
        "Me1(M1111)/(R1111) 1d",
        "In the draft there is no discard pile and no marker, and the Culture coin is by the deck.",
    ),
    (
        "Mu3(M1111)/(R1111) 1d",
        "In the draft there is no discard pile and no marker, and the Culture coin is by the deck.",
    ),
    (
        "(M1111)/(R1111) 1d - - 1>2M - - 0 pl",
        "In the draft there is no discard pile and no marker, and the Culture coin is by the deck.",
    ),
    # ------------------------------------------------ questions
    (
        "M1(M11R1)/(R11S1) 1e - h1",
        "No effect that was used this turn asks for that.",
    ),
    (
        "M1(M11R1)/(R11S1) 1e MSmesu f1 - - M1",
        "No effect that was used this turn asks for that.",
    ),
    (
        "M1E1(M11)/M1(R11S1) 1e e e>1",
        "Under these rulings players cannot put an Embargo on themselves.",
    ),
    (
        "M1U3(M11)/M1(R11S1) 1e u u>1 - - - - pl",
        "Under these rulings players cannot put a Democracy on themselves.",
    ),
    (
        "M1U3(M11)/(R11S1)/M1(E111)/(S111) 1e u u>3 - - - - pl,teams",
        "Under these rulings players cannot put a Democracy on a teammate.",
    ),
    # ------------------------------------------------ markers
    (
        "M1e11(M11R1)/(R11S1) 1p",
        "Seat 1 has 2 Embargoes, but at most one per player is possible.",
    ),
    (
        "M1e11Re2(M11R1S1)/(R11S1) 1p - - - - - - en",
        "Seat 1 has 3 Embargoes, but at most one per player is possible.",
    ),
    (
        "M1(M11R1)/(R11S1) 1e eM1",
        "Under these rulings players cannot put an Embargo on themselves.",
    ),
    (
        "C1(M11R1)/C1(R11S1) 1p - - 2>1M",
        "Seat 2 does not have the most Culture, so the Culture coin should be by the deck.",
    ),
    (
        "C11(M11R1)/C1(R11S1) 1p - - 2>1M - - - pl",
        "Seat 2 does not have the most Culture, so the Culture coin should be by the deck.",
    ),
    # ------------------------------------------------ time
    (
        "(M11R1)/(R11S1) 1p - - - - - 0",
        "Rounds are counted from 1; only the draft is round 0.",
    ),
    (
        "(M1111)/(R1111) 1d - - - - - 1",
        "Rounds are counted from 1; only the draft is round 0.",
    ),
    (
        "(M11R1)/(R11S1) 1p - - - - - 3.4",
        "There was no time for that many rounds without a draw, or for drawing.",
    ),
    (
        "(M1111)/(R1111) 1d - - - - - 0*",
        "There was no time for that many rounds without a draw, or for drawing.",
    ),
    (
        "(M11R1)/(R11S1) 2s - - - - - 12.9",
        "The game stalls after 10 rounds without a draw, and not before.",
    ),
    # ------------------------------------------------ victory
    (
        "M11111111(R111)/(R11S1) 2p",
        "Seat 1 has Hegemony and would have won.",
    ),
    (
        "M11111111(R111)/(R11S1) 1p",
        "Seat 1 has Hegemony and would have won.",
    ),
    (
        "M1111111(R111)/R2222222(M222)/(S111)/() 1x",
        "Seat 2 has Hegemony and would have won.",
    ),
    (
        "(M11R1)/(R11S1) 2m",
        "A game ends by Majority when the Age deck is empty, and stalls only before that.",
    ),
    (
        "(M11R1)/(R11S1) 1s - - - - - 10.10",
        "By Majority or by the stall rule, a game ends after the turn of the last seat.",
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", IMPOSSIBLE, ids=[case[0] for case in IMPOSSIBLE])
def test_a_position_that_no_game_can_reach_has_a_problem(case):
    line, *expected = case
    assert problems(completed(line)) == expected


def test_a_deck_that_is_out_ends_the_game_with_its_round():
    sentence = "The Age deck is empty and no player drew this round, so the game should be over."
    assert problems(completed("(M11R1)/(R11S1) 1p", deck="out")) == [sentence]


def test_a_game_does_not_stall_without_a_deck():
    sentence = "A game ends by Majority when the Age deck is empty, and stalls only before that."
    assert problems(completed("(M11R1)/(R11S1) 2s - - - - - 10.10", deck="out")) == [sentence]


def test_a_deck_lies_in_the_order_of_the_ages():
    position = completed("(M11R1)/(R11S1) 1p")
    top = position.deck_size - 1
    position.deck[0], position.deck[top] = position.deck[top], position.deck[0]
    assert problems(position) == ["The Age deck is out of order: III is at the bottom, I on top."]


def test_cards_are_counted():
    position = completed("(M11R1)/(R11S1) 1p")
    position.deck[position.deck_size - 1] = 0
    position.deck_size -= 1
    assert problems(position) == ["There is 1 card of Age I too few on the table."]
    position.discard_piles[1] += 8 * card_of_age(2)
    assert problems(position) == [
        "There are 16 cards R2, and the game has 8.",
        "There is 1 card of Age I too few on the table.",
        "There are 8 cards of Age II too many on the table.",
    ]


def test_markers_are_cards_too():
    position = read_position("M1e12Ru33(E3)/Ue3(U3) 1e eM2 - - E1U3 E2")
    counted = {name: number_of_kind(position, 4 * domain + age) for name, domain, age in [
        ("E1", 2, 1), ("E2", 2, 2), ("E3", 2, 3), ("U3", 5, 3), ("M1", 0, 1), ("R1", 1, 1),
    ]}  # fmt: skip
    assert counted == {"E1": 2, "E2": 3, "E3": 2, "U3": 4, "M1": 1, "R1": 0}


def test_an_empty_table_has_many_problems():
    assert len(problems(Position(question=Question.PLAY))) >= 6
