"""Recovery codes: 100 random bits in letters and digits that are hard to confuse when printed."""

import secrets
from typing import Final

from hegemon.server.security import tokens

#: Crockford's Base32.
_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

#: Letters that are not in the alphabet, and the digits that they are mistaken for.
_CONFUSABLE: Final = str.maketrans("OIL", "011")

_GROUPS: Final = 5
_GROUP_LENGTH: Final = 4


def new_code() -> str:
    """A new code, such as `7K3M-9QTR-04XA-…`."""
    groups = ("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP_LENGTH)) for _ in range(_GROUPS))
    return "-".join(groups)


def code_digest(code: str) -> str:
    """The digest of a code as typed, regardless of case and separators, and of O for 0 or I and L for 1."""
    characters = "".join(char for char in code.upper() if char.isalnum())
    return tokens.digest(characters.translate(_CONFUSABLE))
