"""docs/reference/env.md matches the code."""

import re
import subprocess
import sys
from pathlib import Path

from hegemon.env.spec import spec_table
from hegemon.kernels import FEATURES, OBSERVATION_VERSION

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "env.md"


def test_the_page_shows_the_table_of_pieces():
    shown = re.search(r"<!-- spec -->\n(.*)<!-- /spec -->", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert shown is not None
    assert shown[1] == spec_table(), "python -m hegemon.env.spec prints the current table"


def test_the_page_states_the_version_and_the_length():
    text = PAGE.read_text(encoding="utf-8")
    versions = re.findall(r"^\| (\d+) \| \w", text.partition("### Versions")[2], re.MULTILINE)
    assert versions == [str(version) for version in range(1, OBSERVATION_VERSION + 1)]
    assert f"{FEATURES} bytes" in text


def test_the_command_line_prints_the_table():
    written = subprocess.run(
        [sys.executable, "-m", "hegemon.env.spec"], capture_output=True, check=True, text=True
    )
    assert written.stdout == spec_table()
