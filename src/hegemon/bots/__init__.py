"""Bots. A bot is a `Player`: it chooses from a view, a memory and the legal choices alone."""

from hegemon.bots.chance import Chance
from hegemon.bots.greedy import Greedy
from hegemon.bots.learned import Learned, LearnedSearch, load_network
from hegemon.bots.program import Program, ProgramError
from hegemon.bots.registry import BOTS, LEVELS, bot_names, make_bot, seconds_per_turn, warm_up
from hegemon.bots.search import Evaluation, Search, SearchResult

__all__ = [
    "BOTS",
    "LEVELS",
    "Chance",
    "Evaluation",
    "Greedy",
    "Learned",
    "LearnedSearch",
    "Program",
    "ProgramError",
    "Search",
    "SearchResult",
    "bot_names",
    "load_network",
    "make_bot",
    "seconds_per_turn",
    "warm_up",
]
