"""Bots. A bot is a `Player`: it gets a view, a memory and the legal choices, and nothing else."""

from hegemon.bots.chance import Chance
from hegemon.bots.greedy import Greedy
from hegemon.bots.learned import Learned, LearnedSearch, load_network
from hegemon.bots.program import Program, ProgramError
from hegemon.bots.registry import BOTS, LEVELS, bot_names, make_bot, seconds_a_turn, warm_up
from hegemon.bots.search import Opinion, Search, Thoughts

__all__ = [
    "BOTS",
    "LEVELS",
    "Chance",
    "Greedy",
    "Learned",
    "LearnedSearch",
    "Opinion",
    "Program",
    "ProgramError",
    "Search",
    "Thoughts",
    "bot_names",
    "load_network",
    "make_bot",
    "seconds_a_turn",
    "warm_up",
]
