"""Cards as values: read, iterated, counted and compared."""

import pytest

from hegemon.rules.cards import AGE_I, AGE_II, AGE_III, Domain
from hegemon.rules.piles import Card, Cards
from hegemon.rules.view import SPECTATOR, view
from rulebook import given


def test_cards_are_counted_by_domain_and_age():
    cards = Cards("M1123R2U33")
    assert len(cards) == 7
    assert [cards.count(domain) for domain in Domain] == [4, 1, 0, 0, 0, 2]
    assert [cards.count(Domain.MILITARY, age) for age in (1, 2, 3)] == [2, 1, 1]
    assert [cards.count(Domain.UTOPIA, age) for age in (1, 2, 3)] == [0, 0, 2]
    assert cards.piles == (2 * AGE_I + AGE_II + AGE_III, AGE_II, 0, 0, 0, 2 * AGE_III)


def test_cards_are_iterated_in_order_of_domain_and_age():
    assert list(Cards("R2M21M1")) == ["M1", "M1", "M2", "R2"]
    assert [(card.domain, card.age) for card in Cards("S3E1")] == [(Domain.ECONOMY, 1), (Domain.SCIENCE, 3)]
    assert not list(Cards())


def test_a_card_is_in_cards_or_not():
    assert "M2" in Cards("M12")
    assert Card("M2") in Cards("M12")
    assert "M3" not in Cards("M12")
    assert 2 not in Cards("M12")


def test_cards_are_equal_whatever_the_order_they_were_written_in():
    assert (
        Cards("R1M2M1") == Cards(["M1", "M2", "R1"]) == Cards.from_piles([AGE_I + AGE_II, AGE_I, 0, 0, 0, 0])
    )
    assert hash(Cards("R1M2M1")) == hash(Cards("M12R1"))
    assert Cards("M1") != Cards("M2")
    assert Cards("M1") != "M1"


def test_cards_have_one_text():
    assert str(Cards("R1M2M1")) == "M12R1"
    assert repr(Cards("R1M2M1")) == "Cards('M12R1')"
    assert repr(Cards()) == "Cards('')"
    assert bool(Cards("M1")) is not bool(Cards())


@pytest.mark.parametrize("text", ["M", "1", "X1", "M4", "R3", "U1", "M1 R1", "m1", "M1\n"])
def test_what_is_not_a_card_is_rejected(text):
    with pytest.raises(ValueError, match="is not a row of cards such as M12R1"):
        Cards(text)
    with pytest.raises(ValueError, match="is not a card: a Domain and an Age, such as M1"):
        Card(text)


def test_a_place_holds_as_many_cards_as_its_piles_can_count():
    assert Cards("U" + "3" * 31).count(Domain.UTOPIA) == 31
    assert Cards("M" + "1" * 15 + "2" * 15).count(Domain.MILITARY, 2) == 15
    for text in ("U" + "3" * 32, "M" + "1" * 16, "M" + "2" * 16, "M" + "1" * 15 + "2" * 15 + "33"):
        with pytest.raises(ValueError, match="at most 31 cards of a Domain, and 15 of them of Age I or II"):
            Cards(text)


def test_positions_give_their_cards():
    position = given("M12(S1)/R1(E2C1) 1p - - - - U3").position
    assert (position.hand(1), position.area(0)) == (Cards("E2C1"), Cards("M12"))
    assert (position.discard_pile, position.center) == (Cards("U3"), Cards())
    assert given("R1()[M111]/()[E111]|M1E1 2c").position.center == Cards("M1E1")


def test_views_give_their_cards():
    seen = view(given("M12(S1)/R1(E2C1) 1p - - - - U3").position, 0)
    assert (seen.hand, seen.area(1), seen.discard_pile) == (Cards("S1"), Cards("R1"), Cards("U3"))
    assert view(given("R1()[M111]/()[E111]|M1E1 2c").position, 0).center == Cards("M1E1")
    draft = given("(M1R1E1)[S1]/(E1C1R1)[S1] 1d").position
    assert (view(draft, 0).hand, view(draft, 0).kept) == (Cards("M1R1E1"), Cards("S1"))
    assert (view(draft, SPECTATOR).hand, view(draft, SPECTATOR).kept) == (Cards(), Cards())
