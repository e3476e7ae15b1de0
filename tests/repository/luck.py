"""The same luck for all: whoever asks for no seed gets an ordinary deal, and no test fails when a rare one comes."""

import os
import secrets
from pathlib import Path

#: The seed of every game that asks for none: all hands of two, three and four players begin with three Domains.
LUCK = 5


def same_luck() -> None:
    """From now on, games and bots without a seed are the same in this process. Tokens and salts still differ."""
    secrets.randbelow = lambda below: LUCK % below
    secrets.randbits = lambda bits: LUCK % 2**bits


def lucky_environment() -> dict[str, str]:
    """The environment of a program that is to find this module."""
    path = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH")]))
    return os.environ | {"PYTHONPATH": path}
