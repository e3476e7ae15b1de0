"""The checks of a setup, and the position after the deal."""

import re

import pytest

from hegemon.notation.cards import read_deck
from hegemon.notation.setup import SetupError, check_players, read_variant, setup_position
from hegemon.notation.writing import write_position
from hegemon.rules.rulings import STANDARD
from hegemon.rules.setup import BASIC, Variant

# All 104 cards, each Age in the order of the Domains.
FOUR = read_deck(
    "M11111111R11111111E1111S1111C1111M22222222R22222222E2222S22222222C2222M3333E33333333S33333333C33333333U"
    + "3" * 16
)
# Without three Military cards of each Age.
TWO = [*FOUR[3:28], *FOUR[31:60], *FOUR[63:]]


def refusal(players=2, variant=BASIC, teams=False, kinds=TWO):
    with pytest.raises(SetupError) as caught:
        setup_position(players, variant, teams, STANDARD, list(kinds))
    return str(caught.value)


def test_a_basic_game_is_set_up():
    line = write_position(setup_position(2, BASIC, False, STANDARD, TWO))
    assert line.startswith("(M111)/(M11R1) 1p - - - R1111111E1111S1111C1111M22222R")


def test_a_draft_game_is_set_up():
    line = write_position(setup_position(4, Variant.DRAFT, True, STANDARD, FOUR))
    assert line.startswith("(M1111)/(M1111)/(R1111)/(R1111) 1d - - - E1111S1111C1111M2")
    assert line.endswith(" - 0 standard,teams")


@pytest.mark.parametrize("players", [-1, 0, 1, 5, 2**70])
def test_two_three_or_four_can_play(players):
    assert refusal(players) == f"Two, three or four can play, not {players}."


@pytest.mark.parametrize("players", [2, 3])
def test_teams_are_two_against_two(players):
    with pytest.raises(SetupError, match=f"Teams are two against two, so four must play, not {players}"):
        check_players(players, teams=True)
    check_players(players, teams=False)
    check_players(4, teams=True)


def test_cards_are_dealt_basic_or_draft():
    assert (read_variant("basic"), read_variant("draft")) == (Variant.BASIC, Variant.DRAFT)
    with pytest.raises(
        SetupError,
        match=re.escape('The variants are basic and draft; there is no "Basic\N{REPLACEMENT CHARACTER}".'),
    ):
        read_variant("Basic\x1b")


def test_a_deck_has_the_right_number_of_cards():
    assert refusal(kinds=TWO[1:]) == "A deck for 2 players has 95 cards, not 94."
    assert refusal(3, kinds=FOUR) == "A deck for 3 players has 95 cards, not 104."
    assert refusal(4, kinds=[]) == "A deck for 4 players has 104 cards, not 0."


def test_a_deck_has_the_right_number_of_each_age():
    assert refusal(kinds=FOUR[:95]) == (
        "A deck for 2 players has 25 cards of Age I, as 3 of each Age stay in the box, not 28."
    )
    assert refusal(4, kinds=[*FOUR[1:], FOUR[-1]]) == "A deck for 4 players has 28 cards of Age I, not 27."


def test_a_deck_lies_in_the_order_of_the_ages():
    swapped = [*TWO[:24], TWO[25], TWO[24], *TWO[26:]]
    assert refusal(kinds=swapped) == (
        "Age I is on top, then II, then III; card 26 of the deck is out of order."
    )


def test_a_deck_has_no_card_that_the_game_does_not_have():
    assert refusal(kinds=read_deck("M111111111") + TWO[9:]) == "The game has 8 cards M1, and the deck has 9."
    for kind in (0, 4, 99, -1):
        assert refusal(kinds=[TWO[0], kind, *TWO[2:]]) == (
            "Card 2 of the deck is not one of the 15 kinds of cards, M1 to U3."
        )
