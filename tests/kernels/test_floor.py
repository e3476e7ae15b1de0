"""The floor in C plays exactly the games that the compiled rules play."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FLOOR = Path(__file__).parents[2] / "benchmarks" / "floor" / "run.py"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler here")
def test_the_floor_in_c_plays_the_same_games():
    command = [sys.executable, FLOOR, "--games", "3000", "--rounds", "2"]
    answer = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert answer["games"] == 6000
    assert answer["c"] > 0
    assert answer["numba"] > 0
