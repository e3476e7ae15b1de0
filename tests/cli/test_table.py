"""The drawn table fits every terminal and shows only what its viewer may know."""

import io
import re
from random import Random

import pytest
from rich.cells import cell_len
from rich.console import Console

from hegemon import Game, determinize, read_position
from hegemon.bots import Greedy
from hegemon.cli.seats import display_name
from hegemon.cli.terminal.console import THEME
from hegemon.cli.terminal.screen import Screen
from hegemon.cli.terminal.table import TerminalRenderer, signs_of
from hegemon.rules.view import view
from hegemon.views import position_table, view_table

NAMES = ("Guest", "Zenobia (bot greedy)", "Ashoka (bot greedy)", "Livia (bot greedy)")


def console_of(width, height, **options):
    return Console(
        file=io.StringIO(), width=width, height=height, theme=THEME, highlight=False, force_terminal=True, **options
    )  # fmt: skip


def rendered(part, width=80, height=24):
    console = console_of(width, height, color_system=None)
    console.print(part)
    return console.file.getvalue()


def drawn(table, width=80, height=24, **options):
    return rendered(TerminalRenderer(width, height).table(table, **options), width, height)


def a_game(players, moves, **setup):
    game = Game(players, seed=12, names=NAMES[:players], **setup)
    chance, bot = Random(4), Greedy(4)
    while len(game.moves) < moves and not game.over:
        seat = game.seat
        choices = game.choices_of(seat)
        game.play(
            chance.choice(choices)
            if chance.random() < 0.5
            else bot.choose(game.view(seat), game.memory(seat), choices)
        )
    return game


def table_of(game, seat=0, memory=None):
    return view_table(game.view(seat), [display_name(name) for name in game.names], memory=memory)


def position_of(line):
    return position_table(read_position(line), ("Ada", "Bo"))


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("width", [40, 60, 80, 100, 140, 200])
def test_no_line_is_wider_than_the_terminal(players, width):
    for moves in (0, 20, 60, 120):
        game = a_game(players, moves, teams=players == 4)
        table = table_of(game, memory=game.memory(0))
        for height in (24, 50):
            text = drawn(table, width, height)
            assert max(map(cell_len, text.splitlines())) <= width
            for seat in range(players):
                assert f"{seat + 1} {NAMES[seat].partition(' ')[0]}" in text


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_question_fits_into_80_by_24(players):
    for moves in range(0, 130, 13):
        game = a_game(players, moves)
        if game.over:
            break
        screen = Screen(console_of(80, 24, color_system=None))
        table = table_of(game, game.seat, game.memory(game.seat))
        news = [["Zenobia played Military I.", "Zenobia drew a card."]] * 12
        assert len(screen.part(screen.question(table, news))) <= 23 + (len(game.choices) > 14)


def test_a_large_terminal_has_large_cards():
    table = table_of(a_game(3, 0))
    large = drawn(table, 120, 50)
    assert "╭────────╮╭────────╮╭────────╮" in large
    assert "Military 0/7" in large
    assert "Military 0/7" not in drawn(table)


def test_markers_are_drawn_and_described():
    line = "M1e1u33R11(E1S2)/C11(S1) 1e - - 2>1R M1 - 3.2"
    text = drawn(position_of(line))
    assert "Embargo on Ada’s Military" in text
    assert "Democracy in Ada’s Military: Hegemony there takes 10." in text
    assert "The Culture coin is on Ada’s Religion, copied by Bo." in text
    assert "No one has drawn for 2 rounds; after 10 the game ends." in text
    assert "1/10★" in text
    own = drawn(view_table(view(read_position(line), 0), ("Ada", "Bo")))
    assert "Embargo on your Military" in own
    assert "Democracy in your Military" in own
    assert "The Culture coin" not in drawn(position_of(line), brief=True)


def test_an_own_embargo_applies_to_the_next_turn():
    position = read_position("M1(E1S2)/C11(S1) 1e eM1 - - M1 - 3 en")
    text = drawn(view_table(view(position, 0), ("Ada", "Bo")))
    assert "Your own Embargo on Military applies to your next turn." in text


def test_ties_of_majorities_are_shown():
    assert "Ada (2), Bo (2); Bo would win the tie." in drawn(position_of("M1C1(E1)/U3E1(S1) 1e"))
    assert "Ada (1), Bo (1); a complete tie." in drawn(position_of("M1(E1)/M1(S1) 1e"))


def test_the_draft_shows_packets_and_kept_cards():
    game = a_game(3, 4, variant="draft")
    text = drawn(table_of(game, memory=game.memory(0)))
    assert "You kept" in text
    assert re.search("packet ( 1 +)+kept 1|packet 1+ kept 1", text)


def test_known_cards_in_other_hands_are_face_up():
    game = a_game(3, 80)
    known = [seat for seat in (1, 2) if any(game.memory(0).known(seat))]
    table, forgetful = table_of(game, memory=game.memory(0)), table_of(game)
    assert known
    assert all(card[0] == "?" for seat in (1, 2) for card in forgetful.hand_of(seat))
    assert all(any(card[0] != "?" for card in table.hand_of(seat)) for seat in known)
    assert [len(table.hand_of(seat)) for seat in range(3)] == [
        len(forgetful.hand_of(seat)) for seat in range(3)
    ]


def test_where_backs_are_hidden_cards_are_only_counted():
    table = table_of(Game(3, seed=1, rulings="standard!show-backs"))
    assert table.hand_of(1) == ("?", "?", "?")
    assert " ? " in drawn(table)


@pytest.mark.parametrize("setup", [{}, {"variant": "draft"}, {"rulings": "standard!show-backs"}])
def test_the_screen_does_not_depend_on_hidden_cards(setup):
    chance = Random(1)
    for moves in range(0, 60, 6):
        game = a_game(3, moves, **setup)
        seen, memory = game.view(game.seat), game.memory(game.seat)
        other = view(determinize(seen, memory, chance), game.seat)
        screens = [
            rendered(Screen(console_of(80, 24)).question(view_table(each, NAMES, memory=memory), []))
            for each in (seen, other)
        ]
        assert screens[0] == screens[1]


def test_domains_differ_not_only_by_color():
    console = console_of(80, 24, color_system="truecolor")
    console.print(TerminalRenderer.of(console).table(position_of("M1R1E1S1C1U3(E1)/(S1) 1e")))
    text = console.file.getvalue()
    assert "\x1b[" in text
    for sign in signs_of(console).domains:
        assert sign in text
    assert len(set(signs_of(console).domains)) == 6
