"""`hegemon compile`: afterward, nothing is left to compile."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import hegemon as package
from hegemon.bots import compilation
from hegemon.cli.commands import compile as command

SOURCE = Path(package.__file__).parent

# Runs every part and prints the functions that Numba looked for on the disk, whether it found them there or not.
ASKED = """
import json
from hegemon.kernels import compiler

asked, DiskCache = [], compiler._disk_cache()
load = DiskCache.load_overload


def load_overload(self, signature, target):
    asked.append(self._name.split()[1])  # "<function NAME at ...>"
    return load(self, signature, target)


DiskCache.load_overload = load_overload
from hegemon.bots.compilation import compile_all

parts = [name for name, seconds in compile_all()]
print(json.dumps([parts, asked]))
"""


def functions_to_compile():
    """The names of all functions that the package has compiled somewhere."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        # What the benchmark compiles is measured there.
        if "compiler import" in text and path.name != "benchmark.py":
            for call in (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)):
                name = (
                    call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
                )
                if name in ("compiled", "entry", "loop"):
                    found |= {node.id for node in ast.walk(call.args[0]) if isinstance(node, ast.Name)}
    return found - {"function", "loop", "seating", "self"}


@pytest.mark.slow
def test_every_loop_is_compiled():
    environment = {**os.environ, "PYTHONPATH": str(SOURCE.parent)}
    done = subprocess.run(
        [sys.executable, "-c", ASKED], capture_output=True, check=True, text=True, env=environment
    )
    parts, asked = json.loads(done.stdout)
    assert parts == list(compilation.PARTS)
    assert len(functions_to_compile()) > 10
    assert set(asked) == functions_to_compile()


@pytest.mark.slow
def test_every_part_takes_some_time():
    taken = dict(compilation.compile_all())
    assert list(taken) == list(compilation.PARTS)
    assert all(seconds >= 0 for seconds in taken.values())


@pytest.fixture
def quick(monkeypatch):
    """Compile nothing, for tests of what is printed."""
    monkeypatch.setattr(compilation, "PARTS", dict.fromkeys(compilation.PARTS, lambda: None))


def test_it_prints_what_it_has_compiled(hegemon, quick):
    run = hegemon("compile")
    assert run.status == 0
    assert "search with a network: 0.0 s" in run.out
    assert "Everything is compiled, in " in run.out


def test_it_prints_json(hegemon, quick):
    data = hegemon("compile", "--json").json()
    assert list(data["seconds"]) == list(compilation.PARTS)
    assert Path(data["folder"]).is_dir()


def test_without_numba_it_says_what_to_install(hegemon, monkeypatch):
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    run = hegemon("compile")
    assert (run.status, run.out) == (1, "")
    assert "pip install 'hegemon[speed]'" in run.err


def test_without_a_folder_it_says_how_to_name_one(hegemon, monkeypatch):
    from hegemon.kernels import compiler

    monkeypatch.setattr(compiler, "code_folder", lambda: None)
    run = hegemon("compile")
    assert (run.status, run.out) == (1, "")
    assert "HEGEMON_CACHE" in run.err
