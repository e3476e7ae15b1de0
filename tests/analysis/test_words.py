"""Reasons in words: only what the rules prove, in every language."""

import pytest

from hegemon import Game
from hegemon.analysis import Decision
from hegemon.analysis.words import reason, wording
from hegemon.prose.translator import LANGUAGES, get_translator

NAMES = ("Ashoka", "Boudica", "Cyrus")
CHANCE = "As far as Ashoka could know, it wins 50% of such games, and what was chosen 20%."

#: Seat 2 has six of seven Science cards in play, and one in hand.
THREAT = "M12E1S1U3(R11E1)/S111222(E1S3C1)/C1(M1R1E1) 1e - - - M1R11E1"


def decided(position, moves, best, *line, certain=False):
    """A game from a position, and the analysis of its first choice, to which another one is preferable."""
    game = Game.from_position(position, NAMES, moves=moves)
    return game, Decision(1, game.movers[0], game.moves[0], best, 0.2, 0.3, (best, *line), certain)


def told(*decision, **facts):
    return reason(*decided(*decision, **facts), get_translator("en"))


def test_the_reason_names_a_missed_win():
    missed = "M112223(M3R1)/E1(S1)/C1(R1) 1p", "R", "M", "."
    text = "It would have won the game that turn, by Hegemony in Military, whatever the other players held."
    assert told(*missed) == told(*missed, certain=True) == text


def test_the_reason_names_a_missed_win_by_majority():
    last_turn = "M1(R1)/E1(S1)/S1(R1S1) 3p", "R", "S", "."
    assert told(*last_turn, certain=True) == (
        "It would have won the game that turn, by Majority, whatever the other players held."
    )


def test_the_reason_names_an_attack_that_would_have_delayed_the_winner():
    assert told(THREAT, ". S .", "mS", ".") == (
        "Boudica needed one more card in Science for Hegemony, and after it would have needed 2. "
        "Boudica won by Hegemony in Science before Ashoka was to move again. " + CHANCE
    )


def test_the_reason_names_an_embargo_that_would_have_stopped_the_winner():
    assert "could not have played any there next turn. Boudica won" in told(THREAT, ". S .", "e+1", "S", ".")


def test_an_opponent_who_did_not_win_is_not_called_a_winner():
    assert told(THREAT, ". E .", "u+1", "S", ".") == (
        "Boudica needed one more card in Science for Hegemony, and after it would have needed 2. " + CHANCE
    )


def test_the_reason_counts_the_cards_short_of_hegemony():
    assert told("M1122(M3R1)/E1(S1)/C1(R1) 1p - - - M1R11", "R .", "M", ".") == (
        "Ashoka would have ended the turn 2 cards short of Hegemony in Military, instead of 3. " + CHANCE
    )


def test_near_the_end_the_reason_counts_the_domains_led():
    assert told("M1(S1R1)/M1R11(S1)/C1(R1) 1p - - - M1R11", "R .", "S", ".") == (
        "Ashoka would have ended the turn with 2 Domains led or shared, instead of 1. " + CHANCE
    )


def test_the_reason_counts_the_cards_left_in_play():
    early = "R1(M1R1E1)/E1(S1)/C1(R1) 1e - - - M1112223R111222"
    assert told(early, "r+1", ".") == (
        "Ashoka would have ended the turn with one card in play, instead of 0. " + CHANCE
    )


def test_the_reason_counts_the_cards_in_hand():
    early = "R111(M1R1E1)/E1(S1)/C1(R1) 1e - - - M1112223R111222"
    assert told(early, ".", "R+", ".") == (
        "Ashoka would have ended the turn with 5 cards in hand, instead of 3. " + CHANCE
    )


def test_where_nothing_is_proved_only_the_chances_are_compared():
    assert told("(M1R1E1)/E1(S1)/C1(R1) 1p - - - M1112223R111222", "M .", "R", ".") == CHANCE
    assert told("(M1R1E1S1)/(M1R1E1S1)/(M1R1E1S1) 1d - - - M1112223R111222", "M1", "R1") == CHANCE


def test_the_best_choice_needs_no_reason():
    game, decision = decided(THREAT, ". S .", ".")
    assert reason(game, decision, get_translator("en")) == ""


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_decision_is_described_in_every_language(code):
    tr = get_translator(code)
    words = wording(*decided(THREAT, ". S .", "mS", "."), tr, ("A", "B", "C"))
    assert tr.domains[3][:4] in words.best  # it may be inflected
    assert len(words.line) == 2
    assert words.choice == words.line[1]
    assert " B " in f" {words.reason} "
    assert "50" in words.reason
