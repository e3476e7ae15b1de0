"""Mutation testing: change the rules on purpose, one place at a time, and see whether the rulebook's tests notice.

    .venv/bin/python tests/house/mutants.py

mutmut leaves functions that bear a decorator alone, and every rule bears one. So it works on a copy of the house, in
build/mutants, in which the marks are gone. `mutmut results` and `mutmut show` in that folder tell of the survivors.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
COPY = ROOT / "build" / "mutants"

# mutmut 3.8 asks every test for a name that pytest 9.2 no longer keeps.
BRIDGE = """

def pytest_collection_modifyitems(items):
    for item in items:
        item._nodeid = item.nodeid
"""


def copy_house():
    """The package, the rulebook's tests and the settings; no rule bears its mark there."""
    shutil.rmtree(COPY, ignore_errors=True)
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src", COPY / "src", ignore=ignore)
    shutil.copytree(ROOT / "tests" / "rulebook", COPY / "tests" / "rulebook", ignore=ignore)
    shutil.copytree(ROOT / "tests" / "house", COPY / "tests" / "house", ignore=ignore)
    shutil.copy(ROOT / "pyproject.toml", COPY)
    for path in (COPY / "src" / "hegemon" / "rules").rglob("*.py"):
        path.write_text(re.sub(r"^@rule\n", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE))
    conftest = (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")
    (COPY / "tests" / "conftest.py").write_text(conftest + BRIDGE, encoding="utf-8")


def main():
    """Make the copy, run mutmut in it, and name the survivors."""
    copy_house()
    mutmut = [sys.executable, "-m", "mutmut"]
    status = subprocess.run([*mutmut, "run", *sys.argv[1:]], cwd=COPY, check=False).returncode
    subprocess.run([*mutmut, "results"], cwd=COPY, check=False)
    return status


if __name__ == "__main__":
    sys.exit(main())
