"""The programs in docs/reference/client.md play at a table."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from hegemon.client import SeatRequest

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "client.md"
PROGRAMS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
LINK = re.compile(r'"https://play\.example\.org/join/[^"]*"')


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_examples_run_as_scripts(server, tmp_path, program):
    table = server.create_table(SeatRequest("Ben", bot="greedy"), SeatRequest(open=True))
    [link] = table.links
    text, links = LINK.subn(repr(link), program)
    assert links == 1
    script = tmp_path / "example.py"
    script.write_text(text, encoding="utf-8")
    done = subprocess.run([sys.executable, script], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Result(ending=" in done.stdout
