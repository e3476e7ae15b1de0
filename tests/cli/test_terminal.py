"""At a real terminal: a person types, the screen is drawn, Ctrl-C saves, and the game goes on."""

import os
import re
import signal
import sys
from pathlib import Path

import pexpect
import pytest

from hegemon import Game, read_record, write_record

FIRST = "Step 1: play a card from your hand."
KEYS = "q save and quit"


@pytest.fixture
def sit_down(tmp_path):
    """Start the command at a terminal of 80 by 24."""
    children = []

    def start(*arguments, size=(24, 80), colors=False):
        environment = {
            **os.environ,
            "TERM": "xterm-256color" if colors else "dumb",
            "XDG_DATA_HOME": str(tmp_path / "data"),
        }
        for name in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR"):
            environment.pop(name, None)
        child = pexpect.spawn(
            sys.executable,
            ["-c", "from hegemon.cli import main; main()", *arguments],
            env=environment,
            dimensions=size,
            encoding="utf-8",
            codec_errors="replace",  # at Ctrl-C a terminal throws away what it has not shown yet, also half a letter
            timeout=60,
        )
        children.append(child)
        return child

    yield start
    for child in children:
        child.close(force=True)


def answer(child, text):
    child.expect_exact(KEYS)
    child.expect_exact("> ")
    child.sendline(text)


def leave(child):
    """The status, when the program has ended by itself."""
    child.expect(pexpect.EOF)
    child.wait()
    return child.exitstatus


def saved_at(child):
    child.expect(r"Saved: (\S+)\r\n")
    return child.match[1]


def record_at(path):
    return read_record(Path(path).read_text(encoding="utf-8"))


def words(path):
    return Game.from_record(record_at(path)).moves


def test_a_few_moves_a_look_around_and_back_again(sit_down):
    child = sit_down("play", "--seed", "3")
    child.expect_exact("1 Guest (you)")
    child.expect_exact(FIRST)
    answer(child, "1")
    child.expect_exact("You played Military I.")
    answer(child, "?")
    child.expect_exact("7 cards of one Domain in play")
    child.expect_exact("Democracy")
    child.sendline("? mE")
    child.expect_exact("Not now:")
    child.sendline("u")
    child.expect_exact("You took back “M”")
    answer(child, "R")
    child.expect_exact("You played Religion I.")
    answer(child, ".")
    child.expect_exact("Zenobia played")
    answer(child, "u")
    child.expect_exact("[y/N]")
    child.sendline("y")
    child.expect_exact("You went back to where you chose “.”.")
    answer(child, "q")
    path = saved_at(child)
    assert leave(child) == 0
    assert words(path) == ("R",)


def test_ctrl_c_saves_and_the_game_goes_on(sit_down):
    child = sit_down("play", "--seed", "3", "--players", "2")
    answer(child, "1")
    child.expect_exact(KEYS)
    child.sendintr()
    path = saved_at(child)
    child.expect_exact("play --resume")
    assert leave(child) == 130
    before = words(path)

    child = sit_down("play", "--resume")
    child.expect_exact("Step 2")
    answer(child, ".")
    child.expect_exact(KEYS)
    child.sendeof()
    assert saved_at(child) == path
    assert leave(child) == 0
    assert words(path)[: len(before) + 1] == (*before, ".")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_system_that_ends_saves_too(sit_down, tmp_path, number):
    child = sit_down("play", "--seed", "3")
    answer(child, "1")
    child.expect_exact(KEYS)
    child.kill(number)
    assert leave(child) == 130
    (path,) = (tmp_path / "data" / "hegemon" / "games").glob("*.toml")
    assert words(path) == ("M",)


def test_a_terminal_that_is_closed_costs_nothing(sit_down, tmp_path):
    child = sit_down("play", "--seed", "3")
    answer(child, "1")
    child.expect_exact(KEYS)
    child.expect_exact("> ")
    child.ptyproc.fileobj.close()
    assert child.wait() == 130
    (path,) = (tmp_path / "data" / "hegemon" / "games").glob("*.toml")
    assert words(path) == ("M",)


def test_a_whole_game_by_always_choosing_1(sit_down):
    child = sit_down("play", "--seed", "11", "--players", "2", "--bots", "chance", size=(30, 90), colors=True)
    while child.expect([r"Saved: (\S+)\r\n", re.escape(KEYS)]) == 1:
        child.sendline("1")
    path = child.match[1]
    child.expect_exact("replay")
    assert leave(child) == 0
    assert record_at(path).result is not None


def test_a_replay_goes_step_by_step(sit_down, tmp_path):
    game = Game(2, seed=3, names=["Ada", "Bo"])
    for word in ("M", ".", "R", "."):
        game.play(word if word in game.choices else game.choices[0])
    path = tmp_path / "game.toml"
    path.write_text(write_record(game.record()), encoding="utf-8")
    child = sit_down("replay", str(path))
    child.expect_exact("all hands lie open")
    child.expect_exact("Choice 0 of 4")
    for typed, place in (
        ("", 1),
        ("n", 2),
        ("b", 1),
        ("t", 2),
        ("e", 4),
        ("", 4),
        ("3", 3),
        ("0", 0),
        ("b", 0),
    ):
        child.sendline(typed)
        child.expect_exact(f"Choice {place} of 4")
    child.sendline("99")
    child.expect_exact("type a number from 0 to 4")
    child.sendline("q")
    assert leave(child) == 0


def test_watching_goes_at_its_pace_and_stops_at_ctrl_c(sit_down):
    child = sit_down("watch", "--seed", "3", "--delay", "0.01")
    child.expect_exact("Ctrl-C stops")
    child.expect_exact("Zenobia played")
    child.sendintr()
    child.expect("Stopped after [0-9]+ choices.")
    assert leave(child) == 130


def test_a_watched_game_comes_to_its_end(sit_down):
    child = sit_down("watch", "--seed", "57", "--players", "2", "--bots", "greedy,chance", "--delay", "0.001")
    child.expect_exact("the game is over")
    assert leave(child) == 0
