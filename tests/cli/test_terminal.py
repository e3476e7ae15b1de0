"""The commands in a real terminal: input, screen, Ctrl-C and resuming."""

import os
import re
import signal
import sys
from pathlib import Path

import pexpect
import pytest
from waiting import WAIT_TIMEOUT

from hegemon import Game, read_record, write_record

pytestmark = pytest.mark.slow  # each test starts the command in a terminal

FIRST = "Step 1: play a card from your hand."
KEYS = "q save and quit"


@pytest.fixture
def start_command(tmp_path):
    """Start the command in a terminal of 80 by 24."""
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
            codec_errors="replace",  # at Ctrl-C a terminal discards what it has not shown yet, perhaps half a character
            timeout=WAIT_TIMEOUT,
        )
        children.append(child)
        return child

    yield start
    for child in children:
        child.close(force=True)


def choose(child, text):
    child.expect_exact(KEYS)
    child.expect_exact("> ")
    child.sendline(text)


def exit_status(child):
    """The exit status, when the program has ended."""
    child.expect(pexpect.EOF)
    child.wait()
    return child.exitstatus


def saved_at(child):
    child.expect(r"Saved: (\S+)\r\n")
    return child.match[1]


def record_at(path):
    return read_record(Path(path).read_text(encoding="utf-8"))


def moves_in(path):
    return Game.from_record(record_at(path)).moves


def test_moves_help_and_undo(start_command):
    child = start_command("play", "--seed", "3")
    child.expect_exact("1 Guest (you)")
    child.expect_exact(FIRST)
    choose(child, "1")
    child.expect_exact("You played Military I.")
    choose(child, "?")
    child.expect_exact("7 cards of one Domain in play")
    child.expect_exact("Democracy")
    child.sendline("? mE")
    child.expect_exact("Not possible now:")
    child.sendline("u")
    child.expect_exact("You undid “M”")
    choose(child, "R")
    child.expect_exact("You played Religion I.")
    choose(child, ".")
    child.expect_exact("Zenobia played")
    choose(child, "u")
    child.expect_exact("[y/N]")
    child.sendline("y")
    child.expect_exact("You are back where you chose “.”.")
    choose(child, "q")
    path = saved_at(child)
    assert exit_status(child) == 0
    assert moves_in(path) == ("R",)


def test_ctrl_c_saves_and_the_game_is_resumed(start_command):
    child = start_command("play", "--seed", "3", "--players", "2")
    choose(child, "1")
    child.expect_exact(KEYS)
    child.sendintr()
    path = saved_at(child)
    child.expect_exact("play --resume")
    assert exit_status(child) == 130
    before = moves_in(path)

    child = start_command("play", "--resume")
    child.expect_exact("Step 2")
    choose(child, ".")
    child.expect_exact(KEYS)
    child.sendeof()
    assert saved_at(child) == path
    assert exit_status(child) == 0
    assert moves_in(path)[: len(before) + 1] == (*before, ".")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_terminating_signal_saves_too(start_command, tmp_path, number):
    child = start_command("play", "--seed", "3")
    choose(child, "1")
    child.expect_exact(KEYS)
    child.kill(number)
    assert exit_status(child) == 130
    (path,) = (tmp_path / "data" / "hegemon" / "games").glob("*.toml")
    assert moves_in(path) == ("M",)


def test_a_closed_terminal_saves_too(start_command, tmp_path):
    child = start_command("play", "--seed", "3")
    choose(child, "1")
    child.expect_exact(KEYS)
    child.expect_exact("> ")
    child.ptyproc.fileobj.close()
    assert child.wait() == 130
    (path,) = (tmp_path / "data" / "hegemon" / "games").glob("*.toml")
    assert moves_in(path) == ("M",)


@pytest.mark.slow
def test_a_whole_game_by_first_choices(start_command):
    child = start_command(
        "play", "--seed", "11", "--players", "2", "--bots", "chance", size=(30, 90), colors=True
    )
    while child.expect([r"Saved: (\S+)\r\n", re.escape(KEYS)]) == 1:
        child.sendline("1")
    path = child.match[1]
    child.expect_exact("replay")
    assert exit_status(child) == 0
    assert record_at(path).result is not None


def test_a_replay_is_stepped_through(start_command, tmp_path):
    game = Game(2, seed=3, names=["Ada", "Bo"])
    for choice in ("M", ".", "R", "."):
        game.play(choice if choice in game.choices else game.choices[0])
    path = tmp_path / "game.toml"
    path.write_text(write_record(game.record()), encoding="utf-8")
    child = start_command("replay", str(path))
    child.expect_exact("all hands are visible here")
    child.expect_exact("Move 0 of 4")
    for typed, ply in (
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
        child.expect_exact(f"Move {ply} of 4")
    child.sendline("99")
    child.expect_exact("type a number from 0 to 4")
    child.sendline("q")
    assert exit_status(child) == 0


def test_watching_stops_at_ctrl_c(start_command):
    child = start_command("watch", "--seed", "3", "--delay", "0.01")
    child.expect_exact("Ctrl-C stops")
    child.expect_exact("Zenobia played")
    child.sendintr()
    child.expect(r"Stopped after [0-9]+ moves?\.")
    assert exit_status(child) == 130


def test_a_watched_game_ends(start_command):
    child = start_command(
        "watch", "--seed", "57", "--players", "2", "--bots", "greedy,chance", "--delay", "0.001"
    )
    child.expect_exact("game over")
    assert exit_status(child) == 0
