"""The public API of the library: `hegemon.__all__`, each name documented, imported on first use."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hegemon


def names_for_the_type_checker():
    """Name and module of each import under `if TYPE_CHECKING` in `hegemon/__init__.py`."""
    [checked] = [
        node for node in ast.parse(Path(hegemon.__file__).read_text()).body if isinstance(node, ast.If)
    ]
    return {
        name.name: found.module.removeprefix("hegemon.") for found in checked.body for name in found.names
    }


def test_every_public_name_comes_from_its_module():
    assert names_for_the_type_checker() == hegemon._MODULE_OF
    assert set(hegemon.__all__) == set(hegemon._MODULE_OF)
    assert all(getattr(hegemon, name) is not None for name in hegemon.__all__)
    assert set(hegemon.__all__) <= set(dir(hegemon))


def test_every_public_name_is_documented():
    page = (Path(__file__).parents[2] / "docs" / "reference" / "library.md").read_text(encoding="utf-8")
    assert [name for name in hegemon.__all__ if not re.search(rf"`{name}\b", page)] == []


def test_an_unknown_name_raises_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Chess'"):
        hegemon.Chess  # noqa: B018  # asking is the test


def test_importing_hegemon_imports_no_other_module():
    program = (
        "import sys, hegemon; print(*(m for m in sys.modules if m.startswith(('hegemon', 'numpy', 'numba'))))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["hegemon"]
