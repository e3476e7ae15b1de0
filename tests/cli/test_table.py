"""The table fits every terminal, and shows no more than its viewer may know."""

import io
import re
from random import Random

import pytest
from rich.cells import cell_len
from rich.console import Console

from hegemon import Game, imagine, read_position
from hegemon.bots import Greedy
from hegemon.cli.terminal.console import THEME
from hegemon.cli.terminal.screen import Screen
from hegemon.cli.terminal.table import TableRenderer, scene_of_position, scene_of_view, signs_of
from hegemon.rules.view import view

NAMES = ("Guest", "Zenobia (bot greedy)", "Ashoka (bot greedy)", "Livia (bot greedy)")


def console_of(width, height, **options):
    return Console(
        file=io.StringIO(), width=width, height=height, theme=THEME, highlight=False, force_terminal=True, **options
    )  # fmt: skip


def drawn(part, width=80, height=24):
    console = console_of(width, height, color_system=None)
    console.print(part)
    return console.file.getvalue()


def a_game(players, choices, **table):
    game = Game(players, seed=12, names=NAMES[:players], **table)
    chance, bot = Random(4), Greedy(4)
    while len(game.moves) < choices and not game.over:
        seat = game.seat
        words = game.choices_of(seat)
        game.play(
            chance.choice(words)
            if chance.random() < 0.5
            else bot.choose(game.view(seat), game.memory(seat), words)
        )
    return game


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("width", [40, 60, 80, 100, 140, 200])
def test_no_line_is_wider_than_the_terminal(players, width):
    for choices in (0, 20, 60, 120):
        game = a_game(players, choices, teams=players == 4)
        scene = scene_of_view(game.view(0), game.names, game.memory(0))
        for height in (24, 50):
            text = drawn(TableRenderer(width, height).table(scene), width, height)
            assert max(map(cell_len, text.splitlines())) <= width
            for seat in range(players):
                assert f"{seat + 1} {NAMES[seat].partition(' ')[0]}" in text


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_question_fits_into_80_by_24(players):
    for choices in range(0, 130, 13):
        game = a_game(players, choices)
        if game.over:
            break
        seat = game.seat
        screen = Screen(console_of(80, 24, color_system=None))
        scene = scene_of_view(game.view(seat), game.names, game.memory(seat))
        news = [["Zenobia played Military I.", "Zenobia drew a card."]] * 12
        assert len(screen.part(screen.question(scene, news, game.choices))) <= 23 + (len(game.choices) > 14)


def test_a_large_terminal_gets_large_cards_and_air():
    game = a_game(3, 0)
    scene = scene_of_view(game.view(0), game.names)
    large = drawn(TableRenderer(120, 50).table(scene), 120, 50)
    assert "╭────────╮╭────────╮╭────────╮" in large
    assert "Military 0/7" in large
    small = drawn(TableRenderer(80, 24).table(scene))
    assert "Military 0/7" not in small


def test_a_player_under_markers():
    position = read_position("M1e1u33R11(E1S2)/C11(S1) 1e - - 2>1R M1 - 3.2")
    text = drawn(TableRenderer(80, 24).table(scene_of_position(position, ("Ada", "Bo"))))
    assert "Embargo on the Military of Ada" in text
    assert "Democracy in the Military of Ada: Hegemony there takes 10." in text
    assert "The coin lies by the Religion of Ada, copied by Bo." in text
    assert "Nobody has drawn for 2 rounds; after 10 the game ends." in text
    assert "1/10★" in text
    own = drawn(TableRenderer(80, 24).table(scene_of_view(view(position, 0), ("Ada", "Bo"))))
    assert "Embargo on your Military" in own
    assert "Democracy in your Military" in own
    brief = drawn(TableRenderer(80, 24).table(scene_of_position(position, ("Ada", "Bo")), brief=True))
    assert "The coin lies" not in brief


def test_an_embargo_of_ones_own_binds_the_next_turn():
    position = read_position("M1(E1S2)/C11(S1) 1e eM1 - - M1 - 3 en")
    assert "Your own Embargo on Military binds your next turn." in drawn(
        TableRenderer(80, 24).table(scene_of_view(view(position, 0), ("Ada", "Bo")))
    )


def test_ties_of_majorities_are_told():
    artist = TableRenderer(80, 24)
    tie = scene_of_position(read_position("M1C1(E1)/U3E1(S1) 1e"), ("Ada", "Bo"))
    assert "2 for Ada, 2 for Bo; the tie goes to Bo." in drawn(artist.table(tie))
    full = scene_of_position(read_position("M1(E1)/M1(S1) 1e"), ("Ada", "Bo"))
    assert "1 for Ada, 1 for Bo; a full tie." in drawn(artist.table(full))


def test_the_draft_shows_packets_and_what_was_kept():
    game = a_game(3, 4, variant="draft")
    text = drawn(TableRenderer(80, 24).table(scene_of_view(game.view(0), game.names, game.memory(0))))
    assert "You kept" in text
    assert "packet" in text
    assert re.search("packet ( 1 +)+kept 1|packet 1+ kept 1", text)


def test_known_cards_in_other_hands_lie_open():
    game = a_game(3, 80)
    known = [seat for seat in (1, 2) if any(game.memory(0).known(seat))]
    scene = scene_of_view(game.view(0), game.names, game.memory(0))
    forgetful = scene_of_view(game.view(0), game.names)
    assert all(card[0] == "?" for seat in (1, 2) for card in forgetful.hands[seat])
    assert all(any(card[0] != "?" for card in scene.hands[seat]) for seat in known)
    assert [len(hand) for hand in scene.hands] == [len(hand) for hand in forgetful.hands]


def test_hidden_backs_are_only_counted():
    game = Game(3, seed=1, rulings="standard!show-backs")
    assert scene_of_view(game.view(0), game.names).hands[1] == ("?", "?", "?")
    assert " ? " in drawn(TableRenderer(80, 24).table(scene_of_view(game.view(0), game.names)))


@pytest.mark.parametrize("table", [{}, {"variant": "draft"}, {"rulings": "standard!show-backs"}])
def test_the_screen_is_the_same_in_worlds_that_differ_in_hidden_cards(table):
    chance = Random(1)
    for choices in range(0, 60, 6):
        game = a_game(3, choices, **table)
        seen, memory = game.view(game.seat), game.memory(game.seat)
        world = view(imagine(seen, memory, chance), game.seat)
        pictures = [
            drawn(Screen(console_of(80, 24)).question(scene_of_view(v, game.names, memory), [], game.choices))
            for v in (seen, world)
        ]
        assert pictures[0] == pictures[1]


def test_colors_are_never_the_only_difference():
    console = console_of(80, 24, color_system="truecolor")
    scene = scene_of_position(read_position("M1R1E1S1C1U3(E1)/(S1) 1e"), ("Ada", "Bo"))
    console.print(TableRenderer.of(console).table(scene))
    text = console.file.getvalue()
    assert "\x1b[" in text
    for sign in signs_of(console).domains:
        assert sign in text
    assert len(set(signs_of(console).domains)) == 6
