"""Lines that are being set up: cards and markers, put down and taken away."""

from random import Random

import pytest

from hegemon.notation.arrangement import Arrangement
from hegemon.notation.errors import NotationError
from hegemon.notation.problems import problems
from hegemon.notation.reading import read_position
from hegemon.notation.writing import write_position
from hegemon.play.game import Game

LINE = "M112e1u33R1(E1S2)/Ce2(R1) 1e - - 1>2S M1R11E2 M1S12 3.2* standard"
EMPTY = "()/() - - - - - - - -"


def test_every_position_is_an_arrangement():
    for line in (LINE, "(M1E1C1)[M1]/(M1R1E1)[S1]/(R1S1C1)[E1] 1d - - - - - 0 standard"):
        assert str(Arrangement.read(line)) == line
    game = Game(4, "draft", teams=True, seed=1)
    while not game.over:
        line = write_position(game.position)
        assert str(Arrangement.read(line)) == line
        game.play(game.choices[-1])


def test_a_line_that_the_rules_could_not_continue_can_be_arranged():
    line = "()/() 1p XY h9 - - - what pl,teams"
    assert str(Arrangement.read(line)) == line
    assert str(Arrangement.read("()/()")) == EMPTY


@pytest.mark.parametrize("line", ["", "M9()/()", "()/() @1", "M1(?)/()"])
def test_a_line_without_a_table_cannot(line):
    with pytest.raises(NotationError):
        Arrangement.read(line)


PUT = [
    ("M1", "hand1", "(M1)/()"),
    ("M1", "area2S", "()/M1()"),
    ("U3", "area1", "U3()/()"),
    ("S2", "kept2", "()/()[S2]"),
    ("S2", "center", "()/()|S2"),
    ("e2", "area1C", "Ce2()/()"),
    ("u3", "area2M", "()/Mu3()"),
    ("e2", "hand1", "()/()"),
    ("e2", "area1", "()/()"),
    ("R3", "hand1", "()/()"),
    ("", "hand1", "()/()"),
    ("M1", "embargo1M", "()/()"),
    ("M1", "hand9", "()/()"),
]


@pytest.mark.parametrize(("what", "where", "table"), PUT)
def test_cards_and_markers_are_put_down(what, where, table):
    arrangement = Arrangement.read(EMPTY)
    arrangement.put(what, where)
    assert str(arrangement) == EMPTY.replace("()/()", table)


TAKEN = [
    ("hand1S2", "M112e1u33R1(E1)/Ce2(R1)"),
    ("area1M2", "M11e1u33R1(E1S2)/Ce2(R1)"),
    ("embargo2C2", "M112e1u33R1(E1S2)/(R1)"),
    ("democracy1M3", "M112e1u3R1(E1S2)/Ce2(R1)"),
    *(
        (nothing, "M112e1u33R1(E1S2)/Ce2(R1)")
        for nothing in ("hand1S1", "embargo1C1", "democracy1C3", "deck9", "hand1", "hand1S", "kept1S1", "", "deckM1")
    ),
]  # fmt: skip


@pytest.mark.parametrize(("where", "table"), TAKEN)
def test_cards_and_markers_are_taken_away(where, table):
    arrangement = Arrangement.read(LINE)
    arrangement.take(where)
    assert str(arrangement).split()[0] == table
    assert str(arrangement).split()[1:] == LINE.split()[1:]


def test_the_pile_and_the_deck_from_its_top():
    arrangement = Arrangement.read(LINE)
    arrangement.take("pileS1")
    arrangement.take("deck2")
    arrangement.put("C1", "deck")
    assert str(arrangement).split()[5:7] == ["C1M1R1E2", "M1S2"]
    for _ in range(200):
        for kind in ("M1", "M2", "M3", "R1", "R2", "C1", "E1", "E2", "E3", "S1", "S2", "S3"):
            arrangement.put(kind, "deck")
    assert arrangement.places.deck_size == 104
    assert str(Arrangement.read(str(arrangement))) == str(arrangement)


def test_no_place_takes_more_than_a_line_can_have():
    arrangement = Arrangement.read(EMPTY)
    for _ in range(40):
        arrangement.put("M1", "hand1")
    assert str(arrangement).startswith(f"(M{'1' * 15})/()")


def test_seats_can_be_added_and_removed():
    arrangement = Arrangement.read("(M1)/(R1)/M1(S1)/(E1) 4p - - 1>3S - - 3 pl,teams")
    arrangement.set_players(3)
    assert str(arrangement) == "(M1)/(R1)/M1(S1) 1p - - 1>3S - - 3 pl"
    arrangement.set_players(2)
    assert str(arrangement) == "(M1)/(R1) 1p - - - - - 3 pl"
    arrangement.set_players(4)
    assert str(arrangement) == "(M1)/(R1)/()/() 1p - - - - - 3 pl"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_rest_of_the_cards_goes_to_the_deck(players):
    hands = "/".join(("(M1R1E1)", "(S1C1M1)", "(R1E1S1)", "(C1M1R1)")[:players])
    arrangement = Arrangement.read(f"{hands} 1p - - - U3 - 1*")
    arrangement.fill_deck(Random(1))
    assert problems(read_position(str(arrangement))) == []
    arrangement.fill_deck(Random(2))
    assert problems(read_position(str(arrangement))) == []
