"""The benchmark of strength summarizes the games that it plays, and resumes from its file."""

import runpy
from pathlib import Path

import pytest

BENCHMARK = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "strength.py"))


def test_it_saves_summarizes_and_resumes_games(tmp_path, capsys):
    run = BENCHMARK["Run"](tmp_path / "strength.json", "basic")
    games = [BENCHMARK["play_one"](2, "chance", "chance", "basic", 0, seat) for seat in range(2)]
    run.games["greedy-2p"] = games
    run.write()
    resumed = BENCHMARK["Run"](tmp_path / "strength.json", "basic")
    assert resumed.games == run.games
    assert resumed.missing("greedy-2p", 1, rotate=False) == []
    assert resumed.missing("greedy-2p", 2, rotate=True) == [("greedy-2p", 1, 1)]
    resumed.print_results()
    moves = sum(game["moves"] for game in games) / 2
    assert f"2 games   50.0%  [9.5%, 90.5%]  {moves:.0f} moves" in capsys.readouterr().out


def test_the_interval_contains_the_rate():
    low, high = BENCHMARK["interval"](30, 40)
    assert low == pytest.approx(0.598, abs=1e-3)
    assert high == pytest.approx(0.858, abs=1e-3)
