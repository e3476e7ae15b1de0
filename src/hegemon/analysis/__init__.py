"""Analysis of finished games: the loss of each choice, luck, and the chances over time."""

from hegemon.analysis.analyzer import ITERATIONS, analyze, analyze_decision, analyze_decisions
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
    "analyze_decision",
    "analyze_decisions",
]
