"""What the papers say about the command is what the command does."""

import re
import shlex
from pathlib import Path

import pytest

from hegemon.cli.app import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TERMINAL = (ROOT / "docs" / "terminal.md").read_text(encoding="utf-8")
COMMANDS = {command.callback.__name__ for command in app.registered_commands}


def test_the_readme_names_every_command():
    assert set(re.findall(r"^\| `hegemon ([a-z]+)", README, re.MULTILINE)) == COMMANDS


def test_ten_lines_play_a_whole_game():
    lines = re.search(r"<!-- ten lines -->\n```python\n(.*?)```", README, re.DOTALL)[1].splitlines()
    typed = [line for line in lines if line.startswith((">>>", "..."))]
    assert len(typed) <= 10
    assert ">>> from hegemon import Game" in typed


def commands_of(paper):
    for block in re.findall(r"```sh\n(.*?)```", paper, re.DOTALL):
        for line in block.splitlines():
            if line.startswith("hegemon "):
                yield line


@pytest.mark.parametrize("line", [*commands_of(README), *commands_of(TERMINAL)])
def test_every_option_in_the_papers_exists(hegemon, line):
    words = shlex.split(line.partition(" | ")[0], comments=True)[1:]
    told = hegemon(words[0], "--help").out
    for option in [word for word in words if word.startswith("--")]:
        assert option in told


@pytest.mark.parametrize(
    "line", [line for line in commands_of(TERMINAL) if re.match("hegemon (show|rulings)", line)]
)
def test_the_examples_of_positions_run(hegemon, line):
    assert hegemon(*shlex.split(line, comments=True)[1:]).status == 0
