"""Reading positions: valid lines, and errors that point at the character where a line goes wrong."""

import pickle

import pytest

from hegemon.notation.errors import NotationError
from hegemon.notation.reading import read_position
from hegemon.notation.writing import write_position
from hegemon.rules.engine import legal
from hegemon.rules.position import Position


def error_message(reader, text):
    """The error of a reader: a caret under the character, and the message."""
    with pytest.raises(NotationError) as caught:
        reader(text)
    sentence, window, caret = str(caught.value).split("\n")
    assert sentence == f"{caught.value.what}, character {caught.value.place + 1}: {caught.value.problem}"
    assert window.startswith("  ")
    assert caret.endswith("^")
    return " " * caught.value.place + "^ " + caught.value.problem


LINES = [
    # ------------------------------------------------ the whole line
    (
        "",
        "^ expected a card such as M1, or the hand in parentheses ( ), found the end",
    ),
    (
        "M1(R1)/(R1)  1e",
        "            ^ expected one space between fields, and - for an empty one",
    ),
    (
        "M1(R1)/(R1) 1e ",
        "               ^ expected one space between fields, and - for an empty one",
    ),
    (
        " M1(R1)/(R1)",
        "^ expected one space between fields, and - for an empty one",
    ),
    (
        "(R1)/(R1) 1e - - - - - - - 2",
        "                           ^ expected at most 9 fields",
    ),
    (
        "(R1)/(?1) 1e",
        "      ^ a line with ? is a view; a position shows every card and has no viewer",
    ),
    (
        "(R1)/(R1) 1e - - - - - - - @1",
        "                           ^ a line with @ is a view; a position shows every card and has no viewer",
    ),
    # ------------------------------------------------ the table
    (
        "M1R1/(R1)",
        '    ^ expected a card such as M1, or the hand in parentheses ( ), found "/"',
    ),
    (
        "m1(R1)/(R1)",
        '^ expected a card such as M1, or the hand in parentheses ( ), found "m"',
    ),
    (
        "M1(R1x)/(R1)",
        '     ^ expected a card such as M1, or ")" at the end of the hand, found "x"',
    ),
    (
        "M1(R1)/(R",
        '         ^ expected an Age (1, 2 or 3) after "R", found the end',
    ),
    (
        "M(R1)/(R1)",
        ' ^ expected an Age (1, 2 or 3) after "M", or a marker e or u, found "("',
    ),
    (
        "M14(R1)/(R1)",
        '  ^ expected an Age (1, 2 or 3) after "M", found "4"',
    ),
    (
        "M1٣(R1)/(R1)",
        '  ^ expected an Age (1, 2 or 3) after "M", found "٣"',
    ),
    (
        "M1\x07(R1)/(R1)",
        "  ^ expected a card such as M1, or the hand in parentheses ( ), found the character U+0007",
    ),
    (
        "M1\ud800(R1)/(R1)",
        "  ^ expected a card such as M1, or the hand in parentheses ( ), found the character U+D800",
    ),
    (
        "M1R3(R1)/(R1)",
        "   ^ there is no Religion card of Age III",
    ),
    (
        "M1(U13)/(R1)",
        "    ^ there is no Utopia card of Age I",
    ),
    (
        "M1e(R1)/(R1)",
        '   ^ expected an Age (1, 2 or 3) after "E", found "("',
    ),
    (
        "M1u2(R1)/(R1)",
        "   ^ there is no Utopia card of Age II",
    ),
    (
        "M1(R1)",
        "      ^ expected at least two seats, with / between them",
    ),
    (
        "()/()/()/()/()",
        "           ^ expected at most 4 seats",
    ),
    (
        "(M1)[R1/(M1)",
        '       ^ expected a card such as M1, or "]" at the end of the kept cards, found "/"',
    ),
    (
        "(M1)/(M1)|x",
        '          ^ expected "/" and the next seat, or the end of the table, found "x"',
    ),
    (
        "M1111111(M1111)/(M11111)",
        "                      ^ expected at most 15 cards M1 in the whole line",
    ),
    (
        "Me1Me1Me1Me1Me1Me1Me1Me1Me1Me1Me1Me1Me1Me1Me1Me1()/()",
        "                                               ^ expected at most 15 cards E1 in the whole line",
    ),
    (
        "Mu3333333333333333Ru3333333333333333(R1)/()",
        "                                   ^ expected at most 31 Utopia cards in the whole line",
    ),
    # ------------------------------------------------ the turn
    (
        "(R1)/(R1) 3e",
        '          ^ expected a seat from 1 to 2, found "3"',
    ),
    (
        "(R1)/(R1) 1z",
        '           ^ expected a step: d, c, p or e, or x, m or s for a game that is over, found "z"',
    ),
    (
        "(R1)/(R1) 1ex",
        '            ^ expected the end of the turn, found "x"',
    ),
    (
        "(R1)/(R1) -1e",
        '           ^ expected nothing after the dash, found "1"',
    ),
    (
        "M1e1(M1)/(R1) 1p",
        "              ^ seat 1 has no card to play, so step 1 is over: write 1e",
    ),
    (
        "M1111111(M1)/(R1) 1x",
        "                  ^ seat 1 has no Hegemony in any Domain; a game can also end by m or s",
    ),
    # ------------------------------------------------ the draft
    (
        "(M11R1)[E1]/(R1S1C1M1) 1d",
        "                       ^ expected 2d, as seat 2 is the first that still has to pick",
    ),
    (
        "(M11)[E11]/(R1S1C1M1) 2d",
        "                      ^ in the draft each seat keeps 3 cards, and no seat is two ahead of another",
    ),
    (
        "(M1)[E111]/(R1)[M111] 1d",
        "                      ^ in the draft each seat keeps 3 cards, and no seat is two ahead of another",
    ),
    (
        "(M1111)/(R11) 1d",
        "^ the packet of seat 2 needs at least 3 cards and has 2",
    ),
    (
        "()[M111]/()[M11] 2d",
        "^ the packet of seat 2 needs at least 1 card and has 0",
    ),
    (
        "(M111)/(R111)|S1 1d",
        "^ the center needs at least 2 cards and would have 1",
    ),
    (
        "()[M111]/()[R111]/()[E111]|M11 3c",
        "^ the center needs at least 3 cards and would have 2",
    ),
    (
        "(M111)/()[R111]|M11 2c",
        "^ kept cards are in [ ], and ( ) is empty while cards are taken from the center",
    ),
    # ------------------------------------------------ used effects
    (
        "(R1)/(R1) 1p M",
        "             ^ only in step 2 (e) can an effect have been used",
    ),
    (
        "(R1)/(R1) 1e c",
        '             ^ expected the letter of an effect that was used, found "c"',
    ),
    (
        "(R1)/(R1) 1e MM",
        '              ^ "M" occurs twice',
    ),
    (
        "(R1)/(R1) 1e mR",
        "               ^ expected + for the Holy Book or ++ for Divine Right, found the end",
    ),
    (
        "(R1)/(R1) 1e R+ - - - - - standard+passive-religion",
        "             ^ with passive-religion, Religion is never used",
    ),
    (
        "(R1)/(R1) 1e eM",
        (
            "               ^ expected the Age of the Embargo on oneself (other capital letters come before e), "
            "found the end"
        ),
    ),
    (
        "(E111111111111111)/() 1e eM1",
        "                           ^ expected at most 15 cards E1 in the whole line",
    ),
    # ------------------------------------------------ open questions
    (
        "(R1)/(R1) 1p - h1",
        "               ^ only in step 2 (e) can an effect still ask for something",
    ),
    (
        "(R1)/(R1) 1e - x1",
        '               ^ expected h, a, t, p, f or g and a number, or e or u and a seat, found "x"',
    ),
    (
        "(R1)/(R1) 1e - h",
        "                ^ expected the number of cards to choose, found the end",
    ),
    (
        "(R1)/(R1) 1e - h105",
        "                ^ expected the number of cards to choose, at most 104, found 105",
    ),
    (
        "(R1)/(R1) 1e - h00000000000000001",
        "                ^ expected the number of cards to choose, at most 104, found 000000000000",
    ),
    (
        "(R1)/(R1) 1e - h0",
        "                ^ expected at least one card to choose",
    ),
    (
        "(R1)/(R1) 1e - h1p1",
        '                 ^ expected the end of the open question, found "p"',
    ),
    (
        "M1(R1)/(R1) 1e - a1p3",
        '                    ^ expected how many cards are played then (1 or 2), found "3"',
    ),
    (
        "(R1)/(R1) 1e - g1",
        "                 ^ expected > and a seat, found the end",
    ),
    (
        "(R1)/(R1) 1e - g1>1",
        "                  ^ players cannot give cards to themselves",
    ),
    (
        "(R1)/(R1) 1e - g1>2:M",
        '                    ^ expected the lowest Domain that may be picked, found "M"',
    ),
    (
        "(R1)/(R1) 1e - h2",
        "               ^ 2 to choose, but only 1 to choose from",
    ),
    (
        "(R1)/(R1) 1e - f1",
        "               ^ 1 to choose, but only 0 to choose from",
    ),
    (
        "(R1S1)/(R1) 1e - h2:S",
        "                 ^ 2 to choose, but only 1 to choose from (Science or later)",
    ),
    (
        "E1M1(R1)/M1(R1) 1e e e2",
        '                      ^ expected > and a seat, found "2"',
    ),
    (
        "E1M1(R1)/M1(R1) 1e - e>2",
        "                     ^ a marker is being put down, so e should be among the effects that were used",
    ),
    (
        "E1M1(R1)/M1(R1) 1e eM1 e>2",
        "                       ^ this turn's Embargo is already there, according to the effects that were used",
    ),
    (
        "M1(R1)/M1(R1) 1e e e>2",
        "                   ^ seat 1 has no Economy card in play to pay with",
    ),
    (
        "M1(R1)/M1(R1) 1e u u>2",
        "                   ^ seat 1 has no Utopia card in play to pay with",
    ),
    (
        "U3(R1)/(R1) 1e u u>2",
        "                 ^ seat 2 has no card in play that the marker could go on",
    ),
    # ------------------------------------------------ the coin
    (
        "C1(R1)/(R1) 1e - - 1>1S",
        "                     ^ players cannot copy from themselves",
    ),
    (
        "C1(R1)/(R1) 1e - - 1S",
        '                    ^ expected > and the seat whose effect was copied, found "S"',
    ),
    (
        "C1(R1)/(R1) 1e - - 1>2C",
        '                      ^ expected the copied Domain: M, R, E, S or U, found "C"',
    ),
    (
        "C1(R1)/(R1) 1e - - 1>2SS",
        '                       ^ expected the end of the coin, found "S"',
    ),
    # ------------------------------------------------ deck and discard pile
    (
        "(R1)/(R1) 1e - - - M1x",
        '                     ^ expected a card such as M1, found "x"',
    ),
    (
        "(R1)/(R1) 1e - - - - 1",
        '                     ^ expected a card such as M1, found "1"',
    ),
    # ------------------------------------------------ the round
    (
        "(R1)/(R1) 1e - - - - - x",
        '                       ^ expected the number of the round, found "x"',
    ),
    (
        "(R1)/(R1) 1e - - - - - 65536",
        "                       ^ expected the number of the round, at most 65535, found 65536",
    ),
    (
        "(R1)/(R1) 1e - - - M1 - 65516.0",
        "                        ^ expected a round of at most 65515, so that the game can end",
    ),
    (
        "(R1)/(R1) 1e - - - - - 12.10",
        "                          ^ expected the number of rounds without a draw, at most 9, found 10",
    ),
    (
        "(R1)/(R1) 1e - - - - - 12*.1",
        '                          ^ expected the end of the round, which may be as long as 3.2*, found "."',
    ),
    # ------------------------------------------------ the rules
    (
        "(R1)/(R1) 1e - - - - - - house",
        "                         ^ expected one of the presets standard, en, el, de, hu, pl",
    ),
    (
        "(R1)/(R1) 1e - - - - - - pl+coin-ties",
        "                            ^ expected a switch; did you mean coin-tie?",
    ),
    (
        "(R1)/(R1) 1e - - - - - - pl,team",
        '                            ^ expected "teams" after the comma',
    ),
    (
        "(R1)/(R1) 1e - - - - - - pl,teams",
        "                            ^ teams need 4 seats, and there are 2",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "expected"), LINES, ids=[line.encode("ascii", "replace") for line, _ in LINES]
)
def test_an_error_points_at_the_character_and_says_what_was_expected(line, expected):
    assert error_message(read_position, line) == expected


def test_a_deck_has_at_most_104_cards():
    kinds = "".join(f"{letter}{'1' * 15}{'2' * 15}" for letter in "MRE") + f"S{'1' * 14}"
    assert read_position(f"()/() 1e - - - {kinds}").deck_size == 104
    assert error_message(read_position, f"()/() 1e - - - {kinds}1").endswith("^ expected at most 104 cards")


def test_an_error_in_a_long_line_shows_only_the_part_around_it():
    with pytest.raises(NotationError) as caught:
        read_position("()/() 1e - - - " + "R1M1" * 14 + "R1Z1" + "\n" * 50)
    sentence, window, caret = str(caught.value).split("\n")
    assert sentence == 'deck, character 74: expected a card such as M1, found "Z"'
    assert window[caret.index("^")] == "Z"
    assert len(window) == 2 + 80
    assert window.endswith("\N{REPLACEMENT CHARACTER}")


CANONICAL = [
    ("()/()", "()/() 1e - - - - - 1 standard"),
    ("()/() 2e", "()/() 2e - - - - - 1 standard"),
    ("(M1)/(R1) - - - - - - - -", "(M1)/(R1) 1e - - - - - 1 standard"),
    ("C1M1(U3R1M2)/(M21) 1p", "M1C1(M2R1U3)/(M12) 1p - - - - - 1 standard"),
    ("M1M2M1(R1)/(R1)", "M112(R1)/(R1) 1e - - - - - 1 standard"),
    ("Mu3e1(R1)/Me2e1(R1)", "Me1u3(R1)/Me12(R1) 1e - - - - - 1 standard"),
    ("()/() 1e uR++eS2mM", "()/() 1e MR++meS2u - - - - 1 standard"),
    ("(R1)/() 1e - - - - - 007.00*", "(R1)/() 1e - - - - - 7* standard"),
    ("()/() 1e - - - M1M2M1R1 S1M1", "()/() 1e - - - M121R1 M1S1 1 standard"),
    ("()/() 1e - - - - - - hu!coin-tie+coin-tie", "()/() 1e - - - - - 1 standard"),
    ("(M1111)/(R1111) 1d", "(M1111)/(R1111) 1d - - - - - 0 standard"),
    ("()[M111]/()[R111]|R1M1 2c", "()[M111]/()[R111]|M1R1 2c - - - - - 0 standard"),
    ("()/() 1m - - - - - 31.10", "()/() 1m - - - - - 31.10 standard"),
    ("M11111111()/() 1x", "M11111111()/() 1x - - - - - 1 standard"),
    ("()/()/()/() 4s - - - - - 10.10 pl,teams", "()/()/()/() 4s - - - - - 10.10 pl,teams"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "canonical"), CANONICAL)
def test_reading_then_writing_gives_the_one_text_of_the_position(line, canonical):
    position = read_position(line)
    assert write_position(position) == canonical
    assert read_position(canonical) == position


ASKED = [
    ("M1(R1S1)/(R1)", "M h1", "R S"),
    ("M1(R1S1)/(R1)", "M h2", "R"),
    ("M1(R1S1)/(R1)", "M h1:E", "S"),
    ("M1S2(R1)/(R1)", "E a1p1", "M S"),
    ("M1S2(R1)/(R1)", "E a1p2:R", "S"),
    ("M1S2(R1)/(R1)", "S t2p2", "M"),
    ("M1S2(R1E1)/(R1)", "S p1", "R E"),
    ("M1Re2S2(R1E1)/(R1)", "S p1", "E"),
    ("M1S2(R1E1)/(R1)", "r g1>2", "R E"),
    ("M1E1(R1)/S1(R1)", "e e>2", "S"),
    ("M1E1(R1)/S1(R1)", "e e>1", "M"),
    ("M1E11(R1)/S1(R1)", "e e>1", "M E"),
    ("M1U3(R1)/S1(R1)", "u u>2", "S"),
]  # fmt: skip


@pytest.mark.parametrize(("table", "asked", "choices"), ASKED)
def test_what_an_effect_asks_for_can_be_read(table, asked, choices):
    line = f"{table} 1e {asked} - - - 1 standard"
    position = read_position(line)
    assert write_position(position) == line
    assert legal(position) == sum(1 << "MRESCU".index(letter) for letter in choices.split())


def test_what_is_fetched_lies_in_the_discard_pile():
    position = read_position("(R1)/(R1) 1e U f2 - - M1S12")
    assert (position.question, position.left) == (8, 2)


def test_an_empty_line_of_fields_is_an_empty_table():
    assert read_position("()/()") == Position(question=3, round=1)


def test_an_error_can_be_pickled_for_other_processes():
    with pytest.raises(NotationError) as caught:
        read_position("M")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
