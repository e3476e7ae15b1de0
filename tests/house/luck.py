"""The same luck for all: whoever asks for no seed gets an ordinary deal, and no test fails when a rare one comes."""

import secrets

#: The seed of every game that asks for none: all hands of two, three and four players begin with three Domains.
LUCK = 5


def same_luck() -> None:
    """From now on, chance is always the same in this process. Tokens and salts still differ."""
    secrets.randbelow = lambda below: LUCK % below
    secrets.randbits = lambda bits: LUCK % 2**bits
