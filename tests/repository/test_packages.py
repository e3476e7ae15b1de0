"""Imports stay cheap: Numba is imported by the code that compiles, not by the packages."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import hegemon

ROOT = Path(hegemon.__file__).parent
PACKAGES = sorted({path.parent.name for path in ROOT.glob("*/__init__.py")} - {"kernels"})


@pytest.mark.parametrize("package", ["", *PACKAGES])
def test_importing_a_package_does_not_import_numba(package):
    name = f"hegemon.{package}".rstrip(".")
    code = f"import sys, {name}; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0, f"{name} imports numba"


def test_the_rules_import_only_the_standard_library():
    """The import contract forbids the packages we know of; this forbids all others."""
    for path in (ROOT / "rules").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module]
            for name in names:
                assert name.startswith("hegemon.rules") or name.split(".")[0] in sys.stdlib_module_names, path
