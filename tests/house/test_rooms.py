"""The rooms are entered lightly: what is slow to import comes only when it is needed."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import hegemon

PACKAGE = Path(hegemon.__file__).parent
ROOMS = sorted({path.parent.name for path in PACKAGE.glob("*/__init__.py")} - {"kernels"})


@pytest.mark.parametrize("room", ["", *ROOMS])
def test_a_room_opens_without_numba(room):
    name = f"hegemon.{room}".rstrip(".")
    code = f"import sys, {name}; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0, f"{name} imports numba"


def test_the_rules_need_nothing_but_the_standard_library():
    """The import contract forbids the packages we know of; this forbids all others."""
    for path in (PACKAGE / "rules").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module]
            for name in names:
                assert name.startswith("hegemon.rules") or name.split(".")[0] in sys.stdlib_module_names, path
