"""Set-up: the cards, the Age deck, and the Basic deal."""

from collections import Counter

import pytest

from hegemon.notation.setup import SetupError, check_players
from hegemon.rules.cards import DOMAINS, LETTERS, age_of, kind_of
from hegemon.rules.position import Position
from hegemon.rules.setup import cards_removed
from hegemon.rules.shuffle import deck_shuffled_by
from rulebook import given, ruling, shuffled, with_deck

ALL_CARDS = Counter(
    M1=8, M2=8, M3=4, R1=8, R2=8, E1=4, E2=4, E3=8, S1=4, S2=8, S3=8, C1=4, C2=4, C3=8, U3=16
)  # fmt: skip


def ages(table):
    return "".join(card[1] for card in table.deck)


def box(table):
    return ALL_CARDS - Counter(table.deck)


def test_there_are_104_cards_in_six_domains_and_three_ages():
    assert Counter(shuffled(players=4).deck) == ALL_CARDS
    assert len(shuffled(players=4).deck) == 104
    assert len(Position().deck) == 104


def test_there_are_fifteen_kinds_of_card():
    packet = "M123R12E123S123C123U3"
    with_deck(packet, players=4).deal("draft").then("(M123R1)/(R2E123)/(S123C1)/(C23U3) 1d")
    given(f"({packet})/(R1111) 1d").offers_only("M1 M2 M3 R1 R2 E1 E2 E3 S1 S2 S3 C1 C2 C3 U3")


def test_with_two_or_three_players_three_cards_of_each_age_go_to_the_box():
    assert len(shuffled(players=2).deck) == len(shuffled(players=3).deck) == 95
    assert sorted(card[1] for card in box(shuffled(players=2)).elements()) == [*"111222333"]
    assert sorted(card[1] for card in box(shuffled(players=3)).elements()) == [*"111222333"]


def test_with_four_players_every_card_is_used():
    assert not box(shuffled(players=4))


def test_age_one_lies_on_top_and_age_three_at_the_bottom():
    assert ages(shuffled(players=2)) == "1" * 25 + "2" * 29 + "3" * 41
    assert ages(shuffled(players=3)) == "1" * 25 + "2" * 29 + "3" * 41
    assert ages(shuffled(players=4)) == "1" * 28 + "2" * 32 + "3" * 44


@ruling("D52")
def test_each_age_is_shuffled_separately_before_cards_go_to_the_box():
    tables = [shuffled(players=2, seed=seed) for seed in range(300)]
    assert {table.deck[0] for table in tables} == {"M1", "R1", "E1", "S1", "C1"}
    assert {table.deck[24] for table in tables} == {"M1", "R1", "E1", "S1", "C1"}
    assert {table.deck[-1] for table in tables} == {"M3", "E3", "S3", "C3", "U3"}
    assert set().union(*(box(table) for table in tables)) == set(ALL_CARDS)


def test_every_place_in_an_age_is_as_likely_for_every_card():
    decks = [shuffled(players=4, seed=seed, game=game).deck for seed in range(40) for game in range(40)]
    military = [sum(deck[place] == "M1" for deck in decks) for place in range(28)]
    assert sum(military) == 8 * 1600
    assert min(military) > 457 - 90
    assert max(military) < 457 + 90


def test_the_same_seed_gives_the_same_deck():
    assert str(shuffled(players=4, seed=7)) == str(shuffled(players=4, seed=7))
    assert "".join(shuffled(players=2, seed=0).deck[:20]) == "R1C1E1R1R1C1R1E1S1M1M1M1E1S1C1S1E1S1C1M1"
    assert (
        "".join(shuffled(players=3, seed=2**63 - 1, game=2**63 - 1).deck[:20])
        == "E1C1R1M1R1E1M1R1R1M1E1M1M1R1M1M1S1C1C1R1"
    )
    assert (
        "".join(shuffled(players=4, seed=2**40 + 5, game=2**35 + 3).deck[:20])
        == "M1R1S1S1R1C1E1R1R1C1E1R1R1E1M1M1M1R1R1M1"
    )


@ruling("D58")
def test_the_table_chooses_basic_or_draft():
    deck = "M1111R1111E1111S1111"
    with_deck(deck, players=2).deal("basic").then("(M111)/(M1R11) 1p")
    with_deck(deck, players=2).deal("draft").then("(M1111)/(R1111) 1d")
    with_deck(deck, players=4).deal("basic").then("(M111)/(M1R11)/(R11E1)/(E111) 1p")
    with_deck(deck, players=4).deal("draft").then("(M1111)/(R1111)/(E1111)/(S1111) 1d")


@ruling("D59")
def test_basic_deals_three_cards_from_the_top_to_each_player():
    with_deck("M1R1E1S1C1M1R2E2", players=2).deal("basic").then("(M1R1E1)/(M1S1C1) 1p - - - R2E2 - 1")
    assert ages(shuffled(players=2).deal("basic")) == "1" * 19 + "2" * 29 + "3" * 41
    assert ages(shuffled(players=3).deal("basic")) == "1" * 16 + "2" * 29 + "3" * 41
    assert ages(shuffled(players=4).deal("basic")) == "1" * 16 + "2" * 32 + "3" * 44


@ruling("A10")
def test_cards_are_dealt_in_blocks_clockwise_from_the_first_player():
    deck = "M1R1E1S1C1M2R2E2S2C2M3E3"
    with_deck(deck, players=3).deal("basic").then("(M1R1E1)/(M2S1C1)/(R2E2S2) 1p - - - C2M3E3")
    with_deck(deck, players=3).deal("draft").then("(M1R1E1S1)/(M2R2E2C1)/(M3E3S2C2) 1d - - - -")


@ruling("A11")
def test_cards_go_to_the_box_before_any_are_dealt():
    assert len(shuffled(players=2).deal("draft").deck) == 87
    assert len(shuffled(players=3).deal("draft").deck) == 83
    assert len(shuffled(players=4).deal("draft").deck) == 88


@ruling("A13")
def test_playing_later_is_not_compensated():
    with_deck("M111R111S111", players=3).deal("basic").then("(M111)/(R111)/(S111) 1p").waits_for(1)
    draft = with_deck("M1111R1111S1111", players=3).deal("draft")
    draft.when("M1 R1 S1 S1 M1 R1 R1 S1 M1 M1 R1 S1").then("S1(M1R1S1)/R1(M1R1S1)/M1(M1R1S1) 1p").waits_for(1)


@ruling("A14")
def test_one_player_or_five_are_rejected():
    with pytest.raises(SetupError, match="Two, three or four can play, not 1"):
        check_players(1, teams=False)
    with pytest.raises(SetupError, match="Two, three or four can play, not 5"):
        check_players(5, teams=False)


def test_the_coin_starts_beside_the_deck_and_the_discard_pile_empty():
    with_deck("M111R111E1", players=2).deal("basic").then("(M111)/(R111) 1p - - - E1 - 1 standard")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_deck_can_be_shuffled_by_another_source_of_randomness(players):
    """Each Age is shuffled separately, loses the cards that go back to the box, and lies on the next one."""
    shuffled_ages, expected = [], []

    def reverse(cards):
        shuffled_ages.append({age_of(kind) for kind in cards})
        cards.reverse()

    for age in (1, 2, 3):
        cards = [
            kind_of(domain, age)
            for domain in range(DOMAINS)
            for _ in range(ALL_CARDS[f"{LETTERS[domain]}{age}"])
        ]
        expected += cards[::-1][cards_removed(players) :]
    assert deck_shuffled_by(reverse, players) == tuple(expected)
    assert shuffled_ages == [{1}, {2}, {3}]
