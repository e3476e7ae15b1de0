"""The `hegemon` command, run in the process of the tests."""

import io
import json
import sys
from types import SimpleNamespace

import pytest

from hegemon.cli.app import app
from hegemon.cli.errors import run_command


@pytest.fixture(autouse=True)
def _own_data_folder(tmp_path, monkeypatch):
    """Use an empty data folder."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("FORCE_COLOR", raising=False)


@pytest.fixture
def games(tmp_path):
    return tmp_path / "data" / "hegemon" / "games"


@pytest.fixture
def hegemon(capsys, monkeypatch):
    """Run the command: `hegemon("show", LINE)` has a status, its output, and the JSON in it."""

    def run(*arguments, typed=""):
        monkeypatch.setattr(sys, "argv", ["hegemon", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        capsys.readouterr()
        status = run_command(lambda: app([*map(str, arguments)], prog_name="hegemon", standalone_mode=False))
        out, err = capsys.readouterr()
        return SimpleNamespace(status=status, out=out, err=err, json=lambda: json.loads(out))

    return run
