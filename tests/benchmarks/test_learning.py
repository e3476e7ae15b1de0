"""The benchmark of learning measures every part of the games, and leaves the trainer as it was."""

import runpy
from pathlib import Path

from hegemon.learn import trainer
from hegemon.learn.games import CpuGames

BENCHMARK = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "learning.py"))


def test_it_measures_every_part_of_the_games():
    options = {"games": 64, "rollout_steps": 4, "minibatch_size": 128, "widths": (8, 8, 8)}
    seconds, parts = BENCHMARK["measure"](2, options)
    assert set(parts) == set(BENCHMARK["PARTS"].values())
    assert 0 < sum(parts.values()) < seconds
    assert trainer.CpuGames is CpuGames
    lines = BENCHMARK["report"](seconds, parts, 512).splitlines()
    assert len(lines) == len(parts) + 2
    assert lines[-1].endswith("100.00%")
