"""View lines, written and read, and errors for what no viewer sees."""

import pytest

from hegemon.notation.errors import NotationError
from hegemon.notation.reading import read_position, read_view
from hegemon.notation.writing import write_view
from hegemon.rules.position import Position
from hegemon.rules.view import SPECTATOR, view

PLAYING = "M11e1(R12E1)/Cu3(M1S2U3) 1p - - - M12R1E3 S1"
HIDDEN = f"{PLAYING} 3 standard!show-backs"

SEEN = [
    (PLAYING, 0, "M11e1(R12E1)/Cu3(?123) 1p - - - ?1123 S1 1 standard @1"),
    (PLAYING, 1, "M11e1(?112)/Cu3(M1S2U3) 1p - - - ?1123 S1 1 standard @2"),
    (PLAYING, SPECTATOR, "M11e1(?112)/Cu3(?123) 1p - - - ?1123 S1 1 standard @0"),
    (HIDDEN, 0, "M11e1(R12E1)/Cu3(???) 1p - - - ?1123 S1 3 standard!show-backs @1"),
    (HIDDEN, SPECTATOR, "M11e1(???)/Cu3(???) 1p - - - ?1123 S1 3 standard!show-backs @0"),
    ("(M111)[R1]/(R1E1S12) 2d", 0, "(M111)[R1]/(?1112) 2d - - - - - 0 standard @1"),
    ("(M111)[R1]/(R1E1S12) 2d", 1, "(?111)[?1]/(R1E1S12) 2d - - - - - 0 standard @2"),
    ("()[M111]/()[R111]|M1R1 2c", 1, "()[?111]/()[R111]|M1R1 2c - - - - - 0 standard @2"),
    ("M1(R1S1)/(R1) 1e M h1:S", 0, "M1(R1S1)/(?1) 1e M h1:S - - - 1 standard @1"),
    ("M1(R1S1)/(R1) 1e M h1:S", 1, "M1(?11)/(R1) 1e M h1 - - - 1 standard @2"),
    ("M1(R1S1)/(E1) 1e r g1>2:S", 1, "M1(?111)/() 1e r g2>2 - - - 1 standard @2"),
    ("M1(R1S1)/(E1) 1e r g1>2:S", 0, "M1(R1S1)/(?1) 1e r g1>2:S - - - 1 standard @1"),
    ("M1E1()/M1() 1e e e>2", 0, "M1E1()/M1() 1e e e>2 - - - 1 standard @1"),
    ("M11111111()/() 1x", 0, "M11111111()/() 1x - - - - - 1 standard @1"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "viewer", "seen"), SEEN)
def test_a_view_is_the_line_with_marks_for_what_is_hidden(line, viewer, seen):
    expected = view(read_position(line), viewer)
    assert write_view(expected) == seen
    assert read_view(seen) == expected


def test_a_view_knows_who_still_owes_a_pick():
    seen = read_view("(?11)[?1]/(R1E1S1)/(?11)[?1] 2d - - - - - 0 standard @2")
    assert seen.owing == (1,)
    assert read_view("(M1)/(?1) 1e - - - - - - - @1").owing == ()


def test_a_view_counts_the_deck():
    assert read_view("(M1)/(?1) 1e - - - ?11233 - - - @1").deck_size == 5


def test_a_view_is_equal_to_the_same_view_and_to_nothing_else():
    line = "(M1)/(?1) 1e - - - ?11233 - 1 standard @1"
    assert read_view(line) == read_view(line)
    assert read_view(line) != read_view(line.replace("?11233", "?1233"))
    assert read_view(line) != line
    assert read_view(line) != Position()


COMPLAINTS = [
    (
        "(M1)/(?1) 1e",
        "            ^ expected @ and the seat of the viewer, @0 for a spectator, found the end",
    ),
    (
        "(M1)/(?1) 1e - - - - - - - 1",
        '                           ^ expected @ and the seat of the viewer, @0 for a spectator, found "1"',
    ),
    (
        "(M1)/(?1) 1e - - - - - - - @3",
        '                            ^ expected a seat from 1 to 2, found "3"',
    ),
    (
        "(M1)/(?1) 1e - - - - - - - @1x",
        '                             ^ expected the end of the line, found "x"',
    ),
    (
        "(M1)/(?1) 1e - - - - - - - @1 1",
        "                              ^ expected at most 10 fields",
    ),
    (
        "(M1)/(R1) 1e - - - - - - - @1",
        "^ expected ? for the cards of seat 2, which this viewer does not see",
    ),
    (
        "(M1)/() 1e - - - - - - - @0",
        "^ expected ? for the cards of seat 1, which this viewer does not see",
    ),
    (
        "(?1)/(?1) 1e - - - - - - - @1",
        "^ expected the viewer's own cards without ?, as they are visible",
    ),
    (
        "(M1)/(?) 1e - - - - - - - @1",
        "^ expected the Ages of hidden cards, such as ?12, as backs are shown",
    ),
    (
        "(M1)/(?1) 1e - - - - - - pl!show-backs @1",
        "^ expected ? alone for a hidden card, as backs are not shown",
    ),
    (
        "(M1)/(?4) 1e - - - - - - - @1",
        '       ^ expected an Age (1, 2 or 3) of a hidden card, found "4"',
    ),
    (
        "(M1)/(?1?) 1e - - - - - - - @1",
        '        ^ expected a card such as M1, or ")" at the end of the hand, found "?"',
    ),
    (
        "(M1)/(?1) 1e - - - M1 - - - @1",
        '                   ^ expected ? and the Ages of the cards in the deck, found "M"',
    ),
    (
        "(M1)/(?1) 1e - - - ? - - - @1",
        "                    ^ expected an Age (1, 2 or 3) of a hidden card, found the end",
    ),
    (
        "(M1)/(?1) 1e - - - ?12x - - - @1",
        '                      ^ expected an Age (1, 2 or 3), found "x"',
    ),
    (
        "M1(?1)/(R1) 1e M h1:S - - - - - @2",
        "                   ^ only seat 1 sees from which Domain on it may pick, and the viewer is another seat",
    ),
    (
        "M1(?1)/(R1) 1e e e>2 - - - - - @2",
        "                 ^ seat 1 has no Economy card in play to pay with",
    ),
    (
        "M1(?1)/(R1) 1x - - - - - - - @2",
        "            ^ seat 1 has no Hegemony in any Domain; a game can also end by m or s",
    ),
    (
        "(?111)[?1]/(M1111) 1d - - - - - - - @2",
        "                   ^ expected 2d, as seat 2 is the first that still has to pick",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("line", "expected"), COMPLAINTS, ids=[line for line, _ in COMPLAINTS])
def test_a_line_with_what_no_viewer_sees_is_an_error(line, expected):
    with pytest.raises(NotationError) as caught:
        read_view(line)
    assert " " * caught.value.place + "^ " + caught.value.problem == expected


def test_no_place_hides_more_cards_than_the_game_has():
    for hidden, rules in (("?" + "1" * 105, "-"), ("?" * 105, "pl!show-backs")):
        assert len(read_view(f"(M1)/({hidden[:-1]}) 1e - - - - - - {rules} @1").backs) == 2
        with pytest.raises(NotationError, match="expected at most 104 hidden cards"):
            read_view(f"(M1)/({hidden}) 1e - - - - - - {rules} @1")
