"""Rows of cards and decks as text."""

import pytest

from hegemon.notation.cards import read_deck, write_cards, write_piles
from hegemon.notation.errors import NotationError
from hegemon.rules.cards import AGE_I, AGE_II, AGE_III, KINDS


def test_a_deck_is_written_from_its_top_card_down():
    kinds = read_deck("M1R11M2U3")
    assert kinds == [1, 5, 5, 2, 23]
    assert write_cards(kinds) == "M1R11M2U3"


def test_every_kind_of_card_has_a_name():
    text = "M123R12E123S123C123U3"
    assert tuple(read_deck(text)) == KINDS
    assert write_cards(list(KINDS)) == text


def test_a_deck_may_be_empty_as_far_as_its_text_goes():
    assert read_deck("") == []
    assert write_cards([]) == ""


def test_piles_are_written_by_domain_and_age():
    assert write_piles([2 * AGE_I + AGE_III, 0, AGE_II, 0, 0, AGE_III]) == "M113E2U3"


@pytest.mark.parametrize(
    ("text", "character", "problem"),
    [
        ("M1R1 E1", 5, 'expected a card such as M1, found " "'),
        ("1M", 1, 'expected a card such as M1, found "1"'),
        ("M1R", 4, 'expected an Age (1, 2 or 3) after "R", found the end'),
        ("M1R0", 4, 'expected an Age (1, 2 or 3) after "R", found "0"'),
        ("M1U2", 4, "there is no Utopia card of Age II"),
        ("M1" * 105, 210, "expected at most 104 cards"),
    ],
)
def test_an_error_in_a_deck_names_the_character(text, character, problem):
    with pytest.raises(NotationError) as caught:
        read_deck(text)
    assert (caught.value.what, caught.value.place + 1, caught.value.problem) == ("deck", character, problem)
