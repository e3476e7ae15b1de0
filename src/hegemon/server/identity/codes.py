"""Recovery codes: 100 random bits in letters and digits that are hard to confuse when printed."""

import secrets
from typing import Final

from hegemon.server.security import tokens

#: Crockford's base 32.
_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

_READ_AS: Final = str.maketrans("OIL", "011")

_GROUPS: Final = 5
_GROUP_LENGTH: Final = 4


def new_code() -> str:
    """A new code, such as `7K3M-9QTR-04XA-…`."""
    groups = ("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP_LENGTH)) for _ in range(_GROUPS))
    return "-".join(groups)


def code_digest(typed: str) -> str:
    """The digest of a code for storage, regardless of case, of spaces, and of O typed for 0."""
    letters = "".join(letter for letter in typed.upper() if letter.isalnum())
    return tokens.digest(letters.translate(_READ_AS))
