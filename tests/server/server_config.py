"""The configuration of servers in tests: random values are the same in each run."""

from analyses import analyzed_at_once

from hegemon.bots import make_bot
from hegemon.server.config import ServerConfig

#: The seed of each deal and each bot: all hands of two, three and four players begin with three Domains.
SEED = 5


def make_same_bot(level: str):
    return make_bot(level, SEED)


def config_at(database: str, **changes) -> ServerConfig:
    same = {"new_seed": lambda: SEED, "make_bot": make_same_bot, "analyze": analyzed_at_once}
    return ServerConfig(database, **same | changes)
