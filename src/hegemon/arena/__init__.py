"""Tournaments of bots over many deals, their standings and reports."""

from hegemon.arena.games import BotFailed, GameResult, play_deal
from hegemon.arena.journal import Journal
from hegemon.arena.runner import Progress, Run
from hegemon.arena.standings import Standings
from hegemon.arena.tournament import Deal, Tournament
from hegemon.arena.workers import cluster, processes, threads

__all__ = [
    "BotFailed",
    "Deal",
    "GameResult",
    "Journal",
    "Progress",
    "Run",
    "Standings",
    "Tournament",
    "cluster",
    "play_deal",
    "processes",
    "threads",
]
