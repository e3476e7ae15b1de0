"""Every reason against a choice, in a case that shows it, with its sentence."""

import pickle

import pytest

from hegemon import Game, IllegalMoveError, read_position
from hegemon.notation.choices import read_choice
from hegemon.play.legality import SENTENCES, Reason, reason_against

CASES = [
    ("over", "M11111111(R1)/(E1) 1x", 1, "M", "The game is over."),
    ("not-to-move", "(M1)/(R1) 1p", 2, "R", "It is seat 1’s choice, not seat 2’s."),
    ("no-such-seat", "(M1)/(R1) 1p", 3, "M", "There is no seat 3 at this table of 2."),
    ("no-such-seat", "(M1)/(R1) 1p", 0, "M", "There is no seat 0 at this table of 2."),
    (
        "kept-already",
        "(M1R1S1)[E1]/(M1R1E1C1) 2d",
        1,
        "M1",
        "Seat 1 has already kept a card and is waiting for the others.",
    ),
    (
        "draft-by-kind",
        "(M1R1E1S1)/(M1R1E1C1) 1d",
        2,
        "M",
        "In the draft a card is named by Domain and Age, such as M1.",
    ),
    ("card-not-there", "(M1R1E1S1)/(M1R1E1C1) 1d", 1, "C1", "There is no such card to draft."),
    ("card-not-there", "()[M1R1E1]/()[M1R1C1]|M1S1 2c", 2, "U3", "There is no such card to draft."),
    (
        "draft-is-over",
        "(M1)/(R1) 1p",
        1,
        "M1",
        "The draft is over: a card is named by its Domain alone.",
    ),
    (
        "card-first",
        "M111(R1)/(R1) 1p",
        1,
        "M+",
        "Step 1 comes first: a card must be played before effects are applied.",
    ),
    (
        "effect-not-done",
        "M11111(R1E1)/(S1) 1e M h2",
        1,
        ".",
        "Finish this effect before starting another: 2 more to choose.",
    ),
    (
        "domain-not-done",
        "E1(R1)/C1(S1) 1e e e>2",
        1,
        ".",
        "Finish this effect first: choose the Domain to put the card on.",
    ),
    (
        "not-a-card",
        "M1(R1)/(S1) 1e",
        1,
        "R",
        "You are not choosing a card now: choose an effect, or end the step.",
    ),
    (
        "embargo",
        "Me1(M1R1)/(S1) 1p",
        1,
        "M",
        "Military is under Embargo until the end of this turn, so you cannot play cards of that Domain (A54).",
    ),
    ("none-there", "(M1)/(S1) 1p", 1, "S", "There is no Science card there."),
    (
        "one-order",
        "M11111(R1E1S1)/(S1) 1e M h1:E",
        1,
        "R",
        (
            "One by one, cards are chosen in the order of the Domains, now from Economy on. "
            "Undo, and you can choose them together, in any order."
        ),
    ),
    (
        "too-few-left",
        "M11111(R1E1)/(S1) 1e M h2",
        1,
        "E",
        "That would leave too few cards for the 2 still to choose.",
    ),
    (
        "nothing-to-mark",
        "E1(R1)/C1(S1) 1e e e>2",
        1,
        "M",
        "A marker must go on another face-up card, and that player has none in Military (A49, A70).",
    ),
    (
        "permanent-used",
        "M111(R1E1)/(S1) 1e M",
        1,
        "M+",
        "You have already used the permanent effect of Military this turn, your own or a copied one (D04).",
    ),
    (
        "permanent-used",
        "C1(R1)/M111(S1) 1e M",
        1,
        "cM+",
        "You have already used the permanent effect of Military this turn, your own or a copied one (D04).",
    ),
    (
        "passive",
        "R111(M1)/(S1) 1e - - - M1 - 1 standard+passive-religion",
        1,
        "R+",
        "At this table Religion counts automatically when you draw, so it is not used as an effect (A40).",
    ),
    (
        "below-threshold",
        "M1(R1)/(S1) 1e",
        1,
        "M++",
        "Purge needs 5 Military cards in your play area; you have 1.",
    ),
    (
        "no-hand",
        "M11111(R1)/(S1) 1e",
        1,
        "M++",
        "Purge makes you discard 2 from your hand; you hold 1 (A20).",
    ),
    (
        "no-area",
        "C1(R1)/E11222(S1) 1e",
        1,
        "cE++",
        "Monopoly takes 2 of the face-up cards in your play area; you have 1 (A29).",
    ),
    (
        "no-pile",
        "U333(R1)/(S1) 1e",
        1,
        "U+",
        "Oligarchy takes 1 from the discard pile, which holds 0 (A20).",
    ),
    (
        "no-deck",
        "R111(M1)/(S1) 1e",
        1,
        "R+",
        "The Age deck is empty, so there is nothing to draw (A44).",
    ),
    (
        "inspired-already",
        "C1(R1)/M111E111(S1) 1e EC - 1>2E",
        1,
        "cM+",
        "Inspiration copies only one effect per turn, and you have already used it (D06).",
    ),
    (
        "no-lead",
        "C1(R1)/E111C1(S1) 1e",
        1,
        "cE+",
        "Inspiration needs more Culture cards than any other player has (D11).",
    ),
    (
        "own-effect",
        "E111C1(R1)/E111(S1) 1e",
        1,
        "cE+",
        "You have Development yourself: use it as your own (D04).",
    ),
    (
        "no-hand",
        "M111C1()/M111(S1) 1e",
        1,
        "cM+",
        "Assassination makes you discard 1 from your hand; you hold 0 (A20).",
    ),
    (
        "no-other-has-it",
        "C1(R1)/E1(S1) 1e",
        1,
        "cE++",
        "Nobody else has the 5 Economy cards that Monopoly needs (D07).",
    ),
    (
        "discard-used",
        "M11(R1)/(S1) 1e m",
        1,
        "mM",
        "You have already used the discard effect of Military this turn.",
    ),
    ("no-card", "R1(M1)/(S1) 1e", 1, "mR", "You have no Military card in your play area to pay with."),
    ("no-card", "R1(M1)/(S1) 1e", 1, "sS", "You have no Science card in your play area to pay with."),
    (
        "nothing-to-attack",
        "M1R1(M1)/(S1) 1e",
        1,
        "mM",
        "After paying, you would have no Military card to discard, so you cannot attack it (A39).",
    ),
    ("too-far", "R1(M1)/(S1) 1e", 1, "r+2", "There are only 2 players."),
    ("too-far", "E1(M1)/C1(S1)/C1(S1) 1e", 1, "e+3", "There are only 3 players."),
    (
        "not-oneself",
        "R1E1(M1)/C1(S1) 1e",
        1,
        "e+0",
        "Under these rulings you cannot put it on yourself (D01).",
    ),
    (
        "not-oneself",
        "R1U3(M1)/C1(S1) 1e",
        1,
        "u+0",
        "Under these rulings you cannot put it on yourself (D02).",
    ),
    (
        "not-teammate",
        "U3(M1)/C1(S1)/C1(S1)/C1(S1) 1e - - - - - 1 pl,teams",
        1,
        "u+2",
        "Under these rulings you cannot put a Democracy on a teammate (D02).",
    ),
    (
        "nothing-to-aim-at",
        "E1(M1)/(S1) 1e",
        1,
        "e+1",
        "There is no other face-up card in that area to put it on (A49, A70).",
    ),
    ("science-only", "M1(R1)/(S1) 1e", 1, "sM", "A Breakthrough must be paid for with a Science card (D12)."),
]


@pytest.mark.parametrize(("code", "line", "seat", "choice", "sentence"), CASES)
def test_a_reason_names_the_rule(code, line, seat, choice, sentence):
    reason = reason_against(read_position(line), seat - 1, read_choice(choice))
    assert reason.code == code
    assert str(reason) == sentence


def test_a_teammate_is_rejected_whatever_lies_there():
    line = "U3(M1)/C1(S1)/(S1)/C1(S1) 1e - - - - - 1 pl,teams"
    assert reason_against(read_position(line), 0, read_choice("u+2")).code == "not-teammate"


def test_every_reason_has_a_case():
    in_games = {"cannot-undo", "nothing-to-undo", "no-such-moment"}
    of_sets = {"not-together", "wrong-number", "oldest-first"}
    assert {code for code, *_ in CASES} | in_games | of_sets == set(SENTENCES)


def test_what_is_allowed_has_no_reason():
    assert reason_against(read_position("(M1)/(R1) 1p"), 0, read_choice("M")) is None
    assert reason_against(read_position("(M1R1E1S1)/(M1R1E1C1) 1d"), 1, read_choice("C1")) is None


def test_an_illegal_move_error_names_the_legal_choices():
    game = Game(2, seed=1)
    with pytest.raises(IllegalMoveError) as raised:
        game.play(".")
    assert raised.value.reason == Reason("card-first")
    assert raised.value.choices == game.choices
    assert str(raised.value) == f"{SENTENCES['card-first']} Open now: {' '.join(game.choices)}"


def test_the_error_for_a_seat_that_is_not_to_move_names_no_choices():
    game = Game(2, seed=1)
    with pytest.raises(IllegalMoveError) as raised:
        game.play("M", seat=1)
    assert str(raised.value) == "It is seat 1’s choice, not seat 2’s."


def test_an_illegal_move_error_can_be_pickled():
    error = IllegalMoveError(Reason("too-far", {"players": 2}), ("M", "."))
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.reason, copy.choices, str(copy)) == (error.reason, error.choices, str(error))
