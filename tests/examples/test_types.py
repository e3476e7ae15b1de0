"""Type checkers accept the examples and a script of a user, in strict mode."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: The types of packages that examples use and that the checks do not install.
STUBS = Path(__file__).with_name("stubs")
SCRIPTS = [*sorted((ROOT / "examples").rglob("*.py")), Path(__file__).with_name("user_script.py")]


def run(*command):
    types = os.pathsep.join([str(ROOT / "src"), str(STUBS)])
    environment = os.environ | {"MYPYPATH": types, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, env=environment
    )


@pytest.mark.slow
def test_mypy_accepts_them(tmp_path):
    options = ["--strict", "--config-file=", "--follow-imports=silent", f"--cache-dir={tmp_path}"]
    checked = run("-m", "mypy", *options, "--scripts-are-modules", *map(str, SCRIPTS))
    assert checked.returncode == 0, checked.stdout


@pytest.mark.slow
def test_pyright_accepts_them(tmp_path):
    config = {
        "typeCheckingMode": "strict",
        "include": [os.path.relpath(script, tmp_path) for script in SCRIPTS],
        "extraPaths": [str(ROOT / "src"), str(ROOT / "examples" / "learned_bot")],
        "stubPath": str(STUBS),
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config), encoding="utf-8")
    checked = run("-m", "basedpyright", "--project", str(tmp_path), "--pythonpath", sys.executable)
    assert checked.returncode == 0, checked.stdout


def test_the_package_is_marked_as_typed():
    assert (ROOT / "src" / "hegemon" / "py.typed").is_file()


def test_the_script_of_a_user_runs():
    ran = run(str(Path(__file__).with_name("user_script.py")))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "Result(ending=Ending." in ran.stdout


def test_examples_and_documentation_import_only_public_packages():
    """`hegemon` itself, and the packages that the documentation describes."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    for file in (*SCRIPTS, *pages):
        text = file.read_text(encoding="utf-8")
        packages = re.findall(r"^(?:>>> )?(?:from|import) hegemon\b\.?(\w*)", text, re.MULTILINE)
        assert set(packages) <= {"", "arena", "bots", "client", "env"}, file
