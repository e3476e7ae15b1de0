"""The benchmark of the analysis evaluates marked mistakes and other decisions again."""

import re
import runpy
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

from hegemon import Game
from hegemon.analysis import Analysis, analyze_decisions

BENCHMARK = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "analysis.py"))
agreement = BENCHMARK["agreement"]


def finished_game(number):
    game = Game(3, seed=number)
    while not game.over:
        game.play(game.choices[-1])
    return game


def analyze_opening(game, iterations):
    """An analysis of the first decisions, with a costly mistake as the first."""
    first, *others = islice(analyze_decisions(game, iterations=iterations, seed=0), 4)
    return Analysis(game.names, iterations, 0, decisions=(replace(first, loss=0.2), *others))


def test_it_evaluates_marked_mistakes_and_other_decisions_again(monkeypatch, capsys):
    monkeypatch.setitem(agreement.__globals__, "play_game", finished_game)
    monkeypatch.setitem(agreement.__globals__, "Analysis", SimpleNamespace(of=analyze_opening))
    agreement(2, iterations=0, times=1, others=2)
    output = capsys.readouterr().out
    assert re.search(r"^Marked mistakes .* 1 times the iterations: \d+% of 2$", output, re.MULTILINE)
    assert re.search(r"^Other decisions that are mistakes there: \d+% of 4$", output, re.MULTILINE)
