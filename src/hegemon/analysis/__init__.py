"""Analysis of finished games: what each choice cost, what was luck, and how the chances went."""

from hegemon.analysis.judge import ITERATIONS, analyze, judge, judge_all
from hegemon.analysis.report import (
    MISTAKE,
    NOISE,
    Analysis,
    AnalysisError,
    Chances,
    Decision,
    Item,
    Luck,
    accuracy_of,
)

__all__ = [
    "ITERATIONS",
    "MISTAKE",
    "NOISE",
    "Analysis",
    "AnalysisError",
    "Chances",
    "Decision",
    "Item",
    "Luck",
    "accuracy_of",
    "analyze",
    "judge",
    "judge_all",
]
