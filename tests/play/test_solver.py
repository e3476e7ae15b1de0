"""Turns that can be won for certain, and those that cannot."""

import pytest

from hegemon.notation.choices import read_choice
from hegemon.notation.reading import read_position
from hegemon.play.game import Game
from hegemon.play.solver import (
    TurnTooLarge,
    _with_step,
    after_choice,
    position_to_solve,
    shortest_win,
    solve,
)
from hegemon.rules.position import Question
from hegemon.rules.view import view as look


def solved(line, **facts):
    position = read_position(line)
    return solve(look(position, position.seat), **facts)


def test_one_card_is_enough_where_one_is_missing():
    outlook = solved("M111122(M2R2)/R1(E1)/R1(E1) 1p - - - M1R1 - 12 standard")
    assert outlook.wins
    assert outlook.choices == ("M",)
    assert outlook.line == ("M", ".")


def test_effects_play_what_is_missing():
    outlook = solved("M22222E112(M22)/R1(E1)/R1(E1) 1p - - - M1R1 - 12 standard")
    assert outlook.line == ("M", "E+", "E", "M", ".")
    assert 0 < outlook.chance < 0.2


def test_where_too_much_is_missing_nothing_wins():
    outlook = solved("M2222E112(M22)/R1(E1)/R1(E1) 1p - - - M1R1 - 12 standard")
    assert not outlook.wins
    assert outlook.choices == outlook.line == ()
    assert outlook.chance == 0


def test_a_democracy_must_be_overcome():
    assert not solved("M111122u3(M2R2)/R1(E1)/R1(E1) 1p - - - M1R1 - 12 standard").wins


def test_hidden_cards_count_for_nothing():
    """Zenobia holds the card, and a Breakthrough would draw it, but that is hidden."""
    line = "M11112R2S2{}(R2)/R1(M2)/R1(E1) 1p - - - M1R1 - 12 standard"
    assert not solved(line.format("")).wins
    worlds = ["M1R1", "M1M1"]
    outlooks = [
        solved(f"M111112S2(M2)/R1({hidden})/R1(E1) 1p - - - {hidden} - 12 standard") for hidden in worlds
    ]
    assert outlooks[0] == outlooks[1]


def test_the_last_turn_can_be_won_by_majority():
    line = "M22(E1)/R22(E1)/S22C2(C2M2) 3p - - - - M1 9* standard"
    outlook = solved(line)
    assert outlook.wins
    assert not solved(line.replace("- - - - M1", "- - - M11111111 M1")).wins, "the Age deck is not out"


def test_a_solution_wins_in_the_game():
    line = "M22222E112(M22)/R1(E1)/R1(E1) 1p - - - M1R1 - 12 standard"
    study = Game.from_position(line, ("Ada", "Zenobia", "Ashoka"))
    for choice in solved(line).line:
        study.play(choice)
    assert study.result.winners == (0,)


def test_a_turn_with_too_many_positions_raises_an_error():
    with pytest.raises(TurnTooLarge, match="more than"):
        solved("M22222E112(M22)/R1(E1)/R1(E1) 1p - - - M1R1 - 12 standard", max_positions=10)


def test_drawing_the_last_card_may_end_the_game():
    """The last seat is ahead: it wins if the Age deck goes out in its turn, whatever it draws."""
    line = "M22(E1)/R22(E1)/S22{}C2(C2M2) 3p - - - {} M1 9 standard"
    assert solved(line.format("", "M11")).line == ("M", "."), "two cards are drawn"
    assert not solved(line.format("", "M11111111")).wins
    assert solved(line.format("2", "M1111111")).line == ("M", "sS", "."), "a Breakthrough draws five more"


def test_the_cards_of_a_breakthrough_are_not_played():
    """An unknown card does not count as Military, though Military is missing and Experiment could play it."""
    assert not solved("M111112S1111(R2)/R1(E1)/R1(E1) 1p - - - M2222222 - 12 standard").wins


def test_the_ways_to_win_differ_in_what_is_played_and_applied():
    line = "M22222E112{}(M22)/R1(E1)/R1(E1) 1p - - - M1R1 - 12 standard"
    assert solved(line.format("")).ways == {("E+", "M", "M")}
    assert solved(line.format("S111")).ways == {("E+", "M", "M"), ("M", "M", "S+")}


WINNABLE = "M22222E112(M22)/R1(E1)/R1(E1) 1p - - - M1R1 - 12 standard"


def shortest(line, **facts):
    position = read_position(line)
    return shortest_win(look(position, position.seat), **facts)


@pytest.mark.parametrize(
    ("line", "win"),
    [
        ("M111122(M2R2)/R1(E1)/R1(E1) 1p - - - M1R1 - 12 standard", ("M", ".")),
        (WINNABLE, ("M", "E+", "E", "M", ".")),
        (WINNABLE.replace("M22222", "M2222"), ()),
        ("M22(E1)/R22(E1)/S22C2(C2M2) 3p - - - - M1 9* standard", ("M", ".")),
        ("M111122(M2R2)/R1(E1)/R1(E1) 2p - - - M1R1 - 12 standard", ()),
    ],
)
def test_a_shortest_win_is_found_without_searching_the_whole_turn(line, win):
    assert shortest(line) == win


def test_a_win_beyond_the_limit_of_positions_is_not_found():
    assert shortest(WINNABLE, max_positions=1) == ()
    assert 1 < next(number for number in range(1, 200) if shortest(WINNABLE, max_positions=number)) < 100


@pytest.mark.parametrize("choice", ["sM", "sS", "sU"])
def test_what_a_breakthrough_draws_is_what_it_discards(choice):
    real = read_position("M1S1U3(R2)/R1(E1)/R1(E1) 1e - - - M1R11E11S1C1 - 12 pl")
    position = position_to_solve(look(real, 0))
    hand = list(position.hands[0])
    after = after_choice(position, read_choice(choice))
    assert (list(after.hands[0]), after.question) == (hand, Question.EFFECTS)
    assert after.deck_size == position.deck_size - 5


def test_the_same_letter_is_another_step_where_it_plays_no_card():
    assert _with_step(("S",), Question.PLAY, "M") == ("M", "S")
    assert _with_step(("S",), Question.PLAY_MORE, "M") == ("M", "S")
    assert _with_step(("S",), Question.FETCH, "M") == (f"{Question.FETCH}:M", "S")
