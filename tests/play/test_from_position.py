"""Games that start at a position: the same rules and events, without a deal."""

import dataclasses
import pickle

import pytest

from hegemon.notation.choices import read_choice
from hegemon.notation.errors import NotationError
from hegemon.notation.reading import read_position
from hegemon.notation.record import read_record, write_record
from hegemon.notation.setup import SetupError
from hegemon.notation.writing import write_position
from hegemon.play.events import Played, Revealed
from hegemon.play.game import Game
from hegemon.play.legality import IllegalMoveError
from hegemon.play.memory import Memory
from hegemon.prose.narration import Narrator
from hegemon.rules.position import Position
from hegemon.views.story import flights

LINE = "M11(S1C1)/R1(E1) 1p - - - M1R1 - 3 standard"
NAMES = ("Ada", "Zenobia")


def test_it_starts_at_the_position_and_continues_by_the_rules():
    game = Game.from_position(LINE, NAMES)
    assert write_position(game.position) == LINE
    assert game.choices == ("S", "C")
    game.play("S")
    assert [type(event) for event in game.events] == [Played]
    with pytest.raises(IllegalMoveError):
        game.play("C")


def test_the_game_and_the_given_position_are_independent():
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


def test_it_has_a_record_and_no_commitment():
    game = Game.from_position(LINE, NAMES, moves="1:S .")
    record = game.record()
    assert record.position == LINE
    assert record.moves == tuple(zip(game.movers, map(read_choice, game.moves), strict=True))
    assert read_record(write_record(record)) == record
    again = Game.from_record(write_record(record), speed="interpreted")
    assert again == game
    assert not again.dealt
    with pytest.raises(TypeError, match="no commitment"):
        _ = game.commitment


def test_a_comment_is_part_of_its_text_and_of_its_pickle():
    record = dataclasses.replace(Game.from_position(LINE, NAMES, moves="S").record(), comments={1: "Why?"})
    game = Game.from_record(record)
    for again in (eval(repr(game), {"Game": Game}), pickle.loads(pickle.dumps(game))):
        assert again.record() == record
    assert game.at(0) == Game.from_position(LINE, NAMES)


def test_its_text_and_its_pickle_give_the_same_game():
    game = Game.from_position(LINE, NAMES, moves="1:S .")
    assert game.moves == ("S", ".")
    for again in (eval(repr(game), {"Game": Game}), pickle.loads(pickle.dumps(game))):
        assert again == game
        assert again.position == game.position
        assert again.events == game.events
    assert Game.from_position(LINE, NAMES) != game


def test_it_can_be_played_compiled():
    game, same = (Game.from_position(LINE, NAMES, speed=speed) for speed in ("compiled", "interpreted"))
    for study in (game, same):
        study.play("S")
    assert game.position == same.position
    assert "speed=" not in repr(same)
    for again in (eval(repr(game), {"Game": Game}), pickle.loads(pickle.dumps(game)), game.copy()):
        assert again == game
        assert repr(again) == repr(game)


def test_it_knows_whether_it_began_with_a_deal():
    assert not Game.from_position(LINE).dealt
    assert Game(players=2).dealt


# ------------------------------------------------------------------ the draft

DRAFT = "(M1E1C1)[M1]/(M1R1E1)[S1]/(R1S1C1)[E1] 1d"
BEGUN = "(E1C1)[M11]/(M1R1E1)[S1]/(R1S1C1)[E1] 2d"


def test_in_the_draft_a_seat_remembers_the_packet_that_it_holds():
    game = Game.from_position(DRAFT)
    assert game.memory(0) == Memory(0, 3, "packet:M1E1C1")
    assert game.memory(-1) == Memory(-1, 3)
    game.play("M1")
    assert game.memory(0) == Memory(0, 3, "packet:E1C1")


@pytest.mark.parametrize("line", [DRAFT, BEGUN])
def test_a_draft_can_be_continued_and_what_is_remembered_is_true(line):
    game = Game.from_position(line)
    while game.position.round == 0:
        for seat in range(-1, 3):
            for other in range(3):
                known = game.memory(seat).known(other)
                held = [
                    *game.position.hand(other),
                    *map(str, game.position.kept[other] and game.view(other).kept),
                ]
                assert all(held.count(card) >= known.count(card.domain, card.age) for card in known)
        game.play(game.choices[0])
    assert game.memory(0).known(1)
    assert len(game.moves) == {DRAFT: 9, BEGUN: 8}[line]


def test_packets_of_a_study_may_have_any_size():
    game = Game.from_position("(M11R1E11C1)/(M1R1E1S1C11) 1d")
    while game.position.round == 0:
        memories = [game.memory(seat) for seat in range(-1, 2)]
        game.play(game.choices[0])
    (revealed,) = (event for event in game.events if isinstance(event, Revealed))
    assert len(revealed.cards) == 2
    assert len(revealed.center) == 6
    assert "".join(revealed.cards) == "".join(revealed.center)
    assert [memory.viewer for memory in memories] == [-1, 0, 1]
    assert "The cards in the center were revealed: " in " ".join(
        Narrator(["Ada", "Ben"]).narrate(game.events)
    )
    assert sum(flight.target == "center" for flight in flights(revealed, 0)) == 6


def test_a_pick_from_before_the_start_cannot_be_undone():
    game = Game.from_position(BEGUN)
    game.play("M1", 1)
    assert game.undoable(0) is None
    assert game.undoable(1) == 0
    with pytest.raises(IllegalMoveError, match="no choice to undo"):
        game.undo(0)


# ------------------------------------------------------------------ wrong input


@pytest.mark.parametrize(
    ("position", "error", "sentence"),
    [
        ("M11(S1C1)/R1(E1) 3p", NotationError, "expected a seat from 1 to 2"),
        (Position(players=7), NotationError, "table"),
        (Game(players=2, seed=1).view(0), SetupError, "A game starts at a position, and this is a View"),
        (None, SetupError, "A game starts at a position, and this is a NoneType"),
    ],
)
def test_a_game_cannot_start_at_anything_else(position, error, sentence):
    with pytest.raises(error, match=sentence):
        Game.from_position(position)


@pytest.mark.parametrize("moves", ["x:S", "0:S", "1:", "1:S:C", "99999999999999999999999:S"])
def test_moves_that_cannot_be_read_are_explained(moves):
    with pytest.raises(
        ValueError, match=r"A move is a choice|There is no seat|expected one of the 64 choices"
    ):
        Game.from_position(LINE, moves=moves)
