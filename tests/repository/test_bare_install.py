"""`pip install hegemon` without extras: the library imports and plays, and what is missing is named."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

#: Packages whose import name differs from the name they are installed by.
IMPORTED_AS = {
    "open-spiel": "pyspiel",
    "cupy-cuda13x": "cupy",
    "dask": "distributed",
    "numba-cuda": "numba_cuda",
}

BARE = """
import io, json, sys

for name in json.loads(sys.argv.pop(1)):
    sys.modules[name] = None  # as if it were not installed
from contextlib import redirect_stderr, redirect_stdout

from hegemon.cli import app
from hegemon.cli.errors import run_command


def run(*arguments):
    out, err = io.StringIO(), io.StringIO()
    sys.argv[1:] = arguments
    with redirect_stdout(out), redirect_stderr(err):
        status = run_command(lambda: app.run(arguments))
    return status, out.getvalue(), err.getvalue()


"""


def packages_of_extras():
    """The names by which the packages of all extras for users are imported."""
    required = {
        re.match(r"[\w-]+", text)[0].replace("_", "-")
        for extra, texts in PROJECT["optional-dependencies"].items()
        if extra != "dev"
        for text in texts
    }
    return sorted({IMPORTED_AS.get(name, name) for name in required - {"hegemon"}} | {"llvmlite", "numba"})


@pytest.fixture
def bare(tmp_path):
    """Run a program as if only the required packages were installed; what it prints is JSON."""

    def run(program):
        done = subprocess.run(
            [sys.executable, "-c", BARE + program, json.dumps(packages_of_extras())],
            capture_output=True, check=True, text=True, cwd=tmp_path,
            env={**os.environ, "XDG_DATA_HOME": str(tmp_path), "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
        assert done.stderr == ""
        return json.loads(done.stdout)

    return run


def test_numba_is_not_required():
    required = [re.match(r"\w+", text)[0] for text in PROJECT["dependencies"]]
    assert required == ["numpy", "rich", "typer"]
    extras = PROJECT["optional-dependencies"]
    assert "numba" in re.match(r"\w+", *extras["speed"])[0]
    for extra in set(extras) - {"speed", "dev"}:
        assert "hegemon[speed]" in extras[extra]


@pytest.mark.slow
def test_the_bare_package_plays(bare):
    printed = bare("""
import hegemon
from hegemon import Batch, Game
from hegemon.bots import make_bot
from hegemon.play.match import play_match

game = Game(2, seed=1, speed="compiled")
play_match(game, [make_bot("greedy", 1), make_bot("search:3", 2)])
batch = Batch(2, seed=1)
for _ in range(10):
    batch.step(batch.random_actions())
print(json.dumps([
    game.over,
    run("watch", "--fast", "--seed", "1", "--players", "2")[0],
    run("perft", "M1(R1)/E1(S1) 1p", "2")[0],
    run("rulings")[0],
    run("play", "--help")[0],
    run("arena", "--seats", "greedy,chance", "--games", "2", "--threads", "--jobs", "1")[0],
    run("study", "--games", "1", "--jobs", "1")[0],
]))
""")
    assert printed == [True, 0, 0, 0, 0, 0, 0]


@pytest.mark.slow
def test_what_is_missing_is_named(bare):
    printed = bare("""
from hegemon.kernels import Series, play_compiled

try:
    play_compiled(Series(1))
except ImportError as error:
    raised = str(error)
print(json.dumps([raised, *(run(*line)[2] for line in (
    ["compile"], ["export"], ["serve"], ["check"], ["arena", "--seats", "chance", "--report", "r"],
    ["bench", "--plot", "a.svg"], ["train", "t"],
))]))
""")
    named = [re.search(r"hegemon\[(\w+)\]", sentence) for sentence in printed]
    assert all(named), printed
    assert [found[1] for found in named] == [
        "speed", "speed", "data", "server", "server", "arena", "bench", "learn",
    ]  # fmt: skip
