"""Games that start at a position: the same rules and events, without a record."""

import pickle

import pytest

from hegemon.notation.reading import read_position
from hegemon.notation.setup import SetupError
from hegemon.notation.writing import write_position
from hegemon.play.events import Played
from hegemon.play.game import Game
from hegemon.play.legality import IllegalMoveError

LINE = "M11(S1C1)/R1(E1) 1p - - - M1R1 - 3 standard"
NAMES = ("Ada", "Zenobia")


def test_it_starts_at_the_position_and_goes_on_by_the_rules():
    game = Game.from_position(LINE, NAMES)
    assert write_position(game.position) == LINE
    assert game.choices == ("S", "C")
    game.play("S")
    assert [type(event) for event in game.events] == [Played]
    with pytest.raises(IllegalMoveError):
        game.play("C")


def test_the_position_that_was_given_stays_the_callers():
    position = read_position(LINE)
    game = Game.from_position(position)
    game.play("S")
    assert write_position(position) == LINE
    assert game.names == ("Player 1", "Player 2")
    position.hands[0][0] += 1
    assert write_position(game.at(0).position) == LINE


def test_it_can_be_copied_and_undone():
    game = Game.from_position(LINE, NAMES)
    game.play("C")
    other = game.copy()
    assert other.events == game.events
    assert game.undo() == "C"
    assert write_position(game.position) == LINE
    assert other.moves == ("C",)


def test_it_needs_a_name_for_every_seat():
    with pytest.raises(SetupError):
        Game.from_position(LINE, ("Ada",))


def test_it_has_no_record_and_no_commitment():
    game = Game.from_position(LINE, NAMES)
    with pytest.raises(TypeError, match="has no deal"):
        game.record()
    with pytest.raises(TypeError, match="no commitment"):
        _ = game.commitment


def test_its_text_and_its_pickle_give_the_same_game():
    game = Game.from_position(LINE, NAMES, moves="1:S .")
    assert game.moves == ("S", ".")
    for again in (eval(repr(game), {"Game": Game}), pickle.loads(pickle.dumps(game))):
        assert again == game
        assert again.position == game.position
        assert again.events == game.events
    assert Game.from_position(LINE, NAMES) != game
