"""The choices, positions, views, rulings and records on the page about the notation can be read."""

import re
from pathlib import Path

import pytest

from hegemon.notation.cards import read_kind
from hegemon.notation.errors import Scanner
from hegemon.notation.reading import read_position, read_view
from hegemon.notation.record import read_record, write_record
from hegemon.notation.rulings import read_rulings
from hegemon.notation.writing import write_position, write_view
from hegemon.play.game import Game
from hegemon.rules.actions import CHOICES
from hegemon.rules.cards import KINDS, LETTERS

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "notation.md").read_text(encoding="utf-8")


def blocks(kind):
    """The fenced blocks of a kind."""
    found = re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found
    return found


def lines(kind):
    return [line for block in blocks(kind) for line in block.splitlines()]


def inline():
    """The code between backticks within the prose."""
    return re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", PAGE, flags=re.MULTILINE | re.DOTALL))


def test_the_page_has_every_choice_in_its_order():
    rows = re.findall(r"^\| (\d+) \| `([^`]+)` \| [^|]+ \| [^|]+ \|$", PAGE, re.MULTILINE)
    assert [(int(action), choice) for action, choice in rows] == list(enumerate(CHOICES))


def test_the_page_has_every_card():
    rows = re.findall(r"^\| `([MRESCU])` \| \w+ \| ([123, ]+) \|$", PAGE, re.MULTILINE)
    kinds = [
        read_kind(Scanner("card", age), LETTERS.index(letter))
        for letter, ages in rows
        for age in ages.split(", ")
    ]
    assert tuple(kinds) == KINDS


@pytest.mark.parametrize("line", lines("position"))
def test_positions_on_the_page_can_be_read(line):
    canonical = write_position(read_position(line))
    assert canonical.startswith(line.rstrip(" -"))


@pytest.mark.parametrize("line", lines("view"))
def test_views_on_the_page_can_be_read(line):
    assert write_view(read_view(line)) == line


@pytest.mark.parametrize("text", [text for text in inline() if "(" in text and ")/" in text])
def test_lines_within_the_prose_can_be_read(text):
    if "@" in text:
        read_view(text)
    else:
        read_position(text)


@pytest.mark.parametrize("asked", re.findall(r"^\| `([hatpfgeu]\d?\S*\d)` \| .* \|$", PAGE, re.MULTILINE))
def test_questions_on_the_page_can_be_read(asked):
    line = f"M11E1U3(R11S11)/M1(R1) 1e Seru {asked} - - M11 1 standard"
    assert write_position(read_position(line)) == line.replace("Seru", "Sreu")


def test_rulings_on_the_page_can_be_read():
    named = [text for text in inline() if re.fullmatch(r"(standard|en|el|de|hu|pl)([+!].*)?", text)]
    assert len(named) > 10
    for text in named:
        read_rulings(text)


@pytest.mark.parametrize("text", blocks("toml"))
def test_records_on_the_page_replay_and_are_in_canonical_form(text):
    assert write_record(read_record(text)) == text


def test_the_digest_of_the_shuffle_can_be_checked_with_the_lines_on_the_page(tmp_path, monkeypatch, capsys):
    (lines,) = (block for block in blocks("python") if "sha256" in block)
    assert len(lines.splitlines()) <= 6
    game = Game(players=3)
    (tmp_path / "game.toml").write_text(write_record(game.record()), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    exec(lines, {})
    assert capsys.readouterr().out.strip() == game.commitment
