"""The commands in the documentation are the commands of the program."""

import re
import shlex
from pathlib import Path

import pytest

from hegemon.cli.app import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [README, *(page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md"))]
COMMAND_LINE = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
COMMANDS = {
    command.name or command.callback.__name__.replace("_", "-") for command in app.registered_commands
}


def test_the_readme_names_every_command():
    assert set(re.findall(r"^\| `hegemon ([a-z-]+)", README, re.MULTILINE)) == COMMANDS


def test_ten_lines_play_a_whole_game():
    lines = re.search(r"<!-- ten lines -->\n```python\n(.*?)```", README, re.DOTALL)[1].splitlines()
    typed = [line for line in lines if line.startswith((">>>", "..."))]
    assert len(typed) <= 10
    assert ">>> from hegemon import Game" in typed


def commands_in(page):
    for block in re.findall(r"```sh\n(.*?)```", page, re.DOTALL):
        for line in block.splitlines():
            if line.startswith("hegemon "):
                yield line


@pytest.mark.parametrize("line", sorted({line for page in PAGES for line in commands_in(page)}))
def test_every_documented_option_exists(hegemon, line):
    arguments = shlex.split(line.partition(" | ")[0], comments=True)[1:]
    help_text = hegemon(arguments[0], "--help").out
    for option in [word for word in arguments if word.startswith("--")]:
        assert option in help_text


@pytest.mark.parametrize(
    "line", [line for line in commands_in(COMMAND_LINE) if re.match("hegemon (show|rulings)", line)]
)
def test_the_documented_positions_can_be_shown(hegemon, line):
    assert hegemon(*shlex.split(line, comments=True)[1:]).status == 0
