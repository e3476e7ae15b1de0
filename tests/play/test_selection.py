"""Several cards in one choice: any order, all or nothing, one undo."""

import pickle

import pytest

from hegemon import Cards, Game, IllegalMoveError, NotationError, Selection, write_position
from hegemon.play.selection import text_of_choice

#: Purge with M M R E in hand: two cards to discard.
PURGE = "M11111(M11R1E1)/(S1) 1e M h2"


def test_a_selection_names_the_cards_and_how_many_are_to_be_chosen():
    assert Game.from_position(PURGE).selection() == Selection(2, Cards("M11R1E1"))


@pytest.mark.parametrize("cards", ["R,M", "M,R", "R1,M1", "M,R1"])
def test_cards_are_chosen_together_in_any_order(cards):
    game = Game.from_position(PURGE)
    game.play(cards)
    assert game.moves == ("M", "R")
    assert write_position(game.position).startswith("M11111(M1E1)/(S1) 1e M - - - M1R1")


def test_cards_may_be_a_list():
    game = Game.from_position(PURGE)
    game.play(["E1", "R1"], 0)
    assert game.moves == ("R", "E")


def test_a_single_card_is_a_set_of_one():
    game = Game.from_position("M111(M12R1)/(S1) 1e M h1")
    game.play(["M1"])
    assert game.moves == ("M",)


@pytest.mark.parametrize(
    ("position", "number", "cards"),
    [
        ("M1(M12R1)/(S1) 1p", 1, "M1R1"),  # a card is played in step 1
        ("E11111M12(R1)/(S1) 1e E a2p2", 2, "M12E11"),  # Monopoly
        ("S11111M12(R1)/(S1) 1e S t2p2", 2, "M12S11"),  # Research
        ("U33333(R1)/(S1) 1e U f2 - - M11122R1E1", 2, "M11R1E1"),  # Republic
        ("S1111Ee1(R1E1)/(S1) 1e - h2", 2, "R1E1"),  # an Embargo forbids playing, not discarding
        ("M11111(R1E1S1)/(S1) 1e M h1:E", 1, "E1S1"),  # a first card was chosen alone
    ],
)
def test_every_question_for_cards_has_a_selection(position, number, cards):
    assert Game.from_position(position).selection(0) == Selection(number, Cards(cards))


@pytest.mark.parametrize("position", ["M1(R1)/(S1) 1e", "E1(R1)/M1(S1) 1e e e>2"])
def test_other_questions_have_none(position):
    assert Game.from_position(position).selection() is None


def test_other_seats_have_none():
    game = Game.from_position(PURGE)
    assert (game.selection(1), game.selection(-1), game.selection(4)) == (None, None, None)
    assert Game(2, "draft", seed=1).selection() is None


def test_one_undo_takes_the_whole_set_back():
    game = Game.from_position(PURGE)
    before = game.position
    game.play("R,M")
    assert game.undoable() == game.first_of_choice(1) == 0
    assert game.undo() == "M,R"
    assert (game.position, game.moves) == (before, ())


def test_cards_that_were_chosen_one_by_one_are_undone_one_by_one():
    game = Game.from_position(PURGE, moves="1:M 1:R")
    assert [game.undo(), game.undo()] == ["R", "M"]


def test_a_copy_undoes_the_set_too():
    game = Game.from_position(PURGE)
    game.play("R,M")
    assert game.copy().undo() == "M,R"
    assert game.at(1).undo() == "M"


def test_what_another_player_got_is_not_undone():
    game = Game.from_position("R1(M1)/(S1E1) 1e", moves="1:r+1")
    assert game.selection() == Selection(2, Cards("M1E1S1"))
    game.play("S,M")
    assert game.undoable() is None
    assert game.first_of_choice(2) == 1


def test_the_moves_of_a_set_are_those_of_a_sequence():
    game, one_by_one = Game.from_position(PURGE), Game.from_position(PURGE, moves="1:M 1:R")
    game.play("R,M")
    assert game == one_by_one == pickle.loads(pickle.dumps(game))
    assert game.events == one_by_one.events


# ------------------------------------------------------------------ what is rejected


@pytest.mark.parametrize(
    ("position", "seat", "cards", "code"),
    [
        (PURGE, 0, "M", "wrong-number"),
        (PURGE, 0, "M,R,E", "wrong-number"),
        (PURGE, 0, "M,S", "none-there"),
        (PURGE, 0, "R,R", "none-there"),
        (PURGE, 1, "M,R", "not-to-move"),
        (PURGE, 2, "M,R", "no-such-seat"),
        ("M11111(M12R1)/(S1) 1e M h2", 0, "M2,R1", "oldest-first"),
        ("M11111(M12R1)/(S1) 1e M h2", 0, "M2,M2", "oldest-first"),
        ("M11111(R1E1S1)/(S1) 1e M h2:E", 0, "R,S", "one-order"),
        ("E11111M1Me1(M1R1E1)/(S1) 1e E p2", 0, "M,R", "embargo"),
        ("M1(R1)/(S1) 1e", 0, "M,R", "not-together"),
        ("M11111111(R1)/(S1) 1x", 0, "M,R", "over"),
    ],
)
def test_an_illegal_set_changes_nothing_and_says_why(position, seat, cards, code):
    game = Game.from_position(position)
    before = game.position
    with pytest.raises(IllegalMoveError) as error:
        game.play(cards.split(","), seat)
    assert error.value.reason.code == code
    assert (game.position, game.moves) == (before, ())
    if 0 <= seat < 2:
        assert error.value.choices == game.choices_of(seat)


def test_nothing_is_not_a_set():
    with pytest.raises(IllegalMoveError, match=r"Cards to choose: 2\. Cards chosen: 0\. Open now: M R"):
        Game.from_position(PURGE).play([])


@pytest.mark.parametrize("text", ["M,mE", "M,.", "M,", "M,U1", "M R", "X,Y"])
def test_what_is_not_a_card_is_not_read(text):
    with pytest.raises(NotationError):
        Game.from_position(PURGE).play(text)


def test_a_set_has_one_text():
    assert text_of_choice(["R1", "M", "M2"]) == text_of_choice("M1,M1,R") == "M,M,R"
    assert text_of_choice("mE") == "mE"
