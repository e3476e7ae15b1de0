"""The `hegemon` command, run in the process of the tests."""

import io
import json
import sys
from functools import cache
from types import SimpleNamespace

import pytest

from hegemon.cli import app
from hegemon.cli.errors import run_command
from hegemon.cli.prose import translator, use_language

build_command = app.build_command


@cache
def command_in(_language):
    """The command with its translated help, built once, because building it takes Typer longer than most tests."""
    return build_command()


@pytest.fixture(autouse=True)
def _own_data_folder(tmp_path, monkeypatch):
    """Use an empty data folder, and English."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    yield
    use_language("en")


@pytest.fixture
def games(tmp_path):
    return tmp_path / "data" / "hegemon" / "games"


@pytest.fixture
def hegemon(capsys, monkeypatch):
    """Run the command: `hegemon("show", LINE)` has a status, its output, and the JSON in it."""

    def run(*arguments, typed=""):
        monkeypatch.setattr(app, "build_command", lambda: command_in(translator().code))
        monkeypatch.setattr(sys, "argv", ["hegemon", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        capsys.readouterr()
        status = run_command(lambda: app.run([*map(str, arguments)]))
        out, err = capsys.readouterr()
        return SimpleNamespace(status=status, out=out, err=err, json=lambda: json.loads(out))

    return run
