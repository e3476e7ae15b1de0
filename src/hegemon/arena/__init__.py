"""Tournaments of bots over many deals, their standings and reports."""

from hegemon.arena.bootstrap import Score
from hegemon.arena.code import Code
from hegemon.arena.games import BotFailed, GameResult, play_deal
from hegemon.arena.journal import Journal
from hegemon.arena.ratings import Rating
from hegemon.arena.runner import Progress, Run
from hegemon.arena.standings import Standings
from hegemon.arena.tournament import Deal, Tournament
from hegemon.arena.workers import cluster, processes, threads

__all__ = [
    "BotFailed",
    "Code",
    "Deal",
    "GameResult",
    "Journal",
    "Progress",
    "Rating",
    "Run",
    "Score",
    "Standings",
    "Tournament",
    "cluster",
    "play_deal",
    "processes",
    "threads",
]
