"""Drawings for notebooks: complete, self-contained, and without a card that the viewer may not see."""

import re
from random import Random
from xml.etree import ElementTree as ET

import pytest

from hegemon import SPECTATOR, Game, read_position, write_position, write_view
from hegemon.views.drawing import draw_bars
from random_games import new_game, play_by_chance


def texts(drawing):
    """The texts of a drawing, which is read as XML."""
    root = ET.fromstring(drawing)
    return [element.text for element in root.iter() if element.tag.endswith("}text")]


def cards(drawing):
    """The face-up cards that are drawn, such as `M II`."""
    return sorted(text for text in texts(drawing) if re.fullmatch("[MRESCU] I{1,3}", text))


def test_a_game_is_drawn_with_all_hands_the_names_and_the_choices():
    game = Game(players=3, seed=4, names=["Ada", "Ben", "Cleo"])
    drawn = texts(game._repr_html_())
    assert {"▶ 1 Ada", "2 Ben", "3 Cleo", "deck", "Round 1. Step 1: Ada has to play a card."} <= {*drawn}
    assert f"Choices: {' '.join(game.choices)}" in drawn
    assert len(cards(game._repr_html_())) == 9
    assert write_position(game.position) in game._repr_html_()


def test_a_position_is_drawn_with_its_markers_and_piles():
    drawing = read_position("M112e1u33R1(E1S2)/Ce2(R1)/(M1R1E1) 1e - - 2>1M - S112M11")._repr_html_()
    assert [drawing.count(f"#hegemon-{mark}") for mark in ("embargo", "democracy", "coin")] == [2, 2, 1]
    assert {"3/9★", "empty", "discard pile", "×2"} <= {*texts(drawing)}
    assert cards(drawing).count("M I") == 4  # two in play, one in a hand, and the pile shows each kind once


def test_a_view_shows_own_cards_and_backs():
    game = Game(players=2, seed=4)
    drawing = game.view(1)._repr_html_()
    assert len(cards(drawing)) == 3
    assert texts(drawing).count("I") == 3 + 1  # the other hand, and the deck
    assert "viewer · 0 points" in texts(drawing)
    assert write_view(game.view(1)) in drawing
    assert cards(game.view(SPECTATOR)._repr_html_()) == []


def test_hidden_backs_have_no_age():
    drawing = Game(players=2, seed=4, rulings="standard!show-backs").view(0)._repr_html_()
    assert texts(drawing).count("?") == 3


def test_the_end_is_drawn():
    game = Game(players=2, seed=7)
    chance = Random(1)
    while not game.over:
        game.play(chance.choice(game.choices))
    drawn = texts(game._repr_html_())
    winner = game.result.winners[0]
    assert f"★ {winner + 1} Player {winner + 1}" in drawn
    assert any("won" in text or "share" in text for text in drawn)


def test_names_are_escaped_and_shortened():
    game = Game(players=2, seed=1, names=["<script>alert(1)</script>", "A & B"])
    drawing = game._repr_html_()
    assert "<script" not in drawing
    assert "▶ 1 <script>alert(1)</s…" in texts(drawing)
    assert "2 A & B" in texts(drawing)


@pytest.mark.parametrize("number", range(0, 96, 7))
def test_every_moment_can_be_drawn_and_needs_nothing_from_elsewhere(number):
    game = new_game(number)
    for ply, _ in enumerate(play_by_chance(game, Random(number))):
        if ply % 9 == 0 or game.over:
            for shown in (game, game.position, game.view(ply % game.players)):
                drawing = shown._repr_html_()
                root = ET.fromstring(drawing)
                width, height = map(float, root.get("viewBox").split()[2:])
                boxes = [element for element in root.iter() if element.tag.endswith("}rect")]
                assert all(float(box.get("x", 0)) + float(box.get("width")) <= width for box in boxes)
                assert all(float(box.get("y", 0)) + float(box.get("height")) <= height for box in boxes)
                links = {value for element in root.iter() for key, value in element.items() if key == "href"}
                assert all(link.startswith("#hegemon-") for link in links)
                assert drawing.count("http") == 1  # the name of the SVG namespace


def test_opinions_are_drawn_as_bars():
    drawing = draw_bars([("mE", 0.5, "7 visits"), ("<", 0.25, "1 visit")], "8 iterations. Expected: mE .")
    assert texts(drawing) == ["mE", "50 %  7 visits", "<", "25 %  1 visit", "8 iterations. Expected: mE ."]
    bars = [rect.get("width") for rect in ET.fromstring(drawing).iter() if rect.get("fill") == "#7a2e1d"]
    assert bars == ["120", "60"]
