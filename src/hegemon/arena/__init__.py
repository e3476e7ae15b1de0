"""The arena: bots against bots over many deals, and what the games say about them."""

from hegemon.arena.journal import Journal
from hegemon.arena.playing import BotFailed, GamePlayed, play_deal
from hegemon.arena.running import Progress, Run
from hegemon.arena.standings import Standings
from hegemon.arena.tournament import Deal, Tournament
from hegemon.arena.workers import cluster, processes, threads

__all__ = [
    "BotFailed",
    "Deal",
    "GamePlayed",
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
