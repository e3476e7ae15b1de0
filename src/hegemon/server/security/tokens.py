"""Tokens instead of accounts: a random token in a cookie, of which the server stores a digest.

The digest of a key identifies a person, its owner. A device that has signed in has a session token instead, whose owner
the database knows.
"""

import base64
import hashlib
import hmac
import re
import secrets
from typing import Final

COOKIE: Final = "hegemon"

_SESSION: Final = "s."

#: How an owner begins whom no key opens; digests have no such letter.
_KEYLESS: Final = "x"

_FORM: Final = re.compile(r"[A-Za-z0-9_-]{43}")


def new_token() -> str:
    return secrets.token_urlsafe(32)


def derived_token(secret: str, purpose: str) -> str:
    """The token for a purpose that belongs to a secret: always the same, and it tells nothing about any other."""
    digest = hmac.digest(secret.encode(), purpose.encode(), "sha256")
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def new_session_token() -> str:
    return _SESSION + new_token()


def is_session(token: str | None) -> bool:
    """Whether a token is that of a session, so that only the database knows its owner."""
    return token is not None and token.startswith(_SESSION) and bool(_FORM.fullmatch(token[len(_SESSION) :]))


def owner_of(token: str | None) -> str | None:
    """The digest of a key, which identifies its owner; None for a malformed one and for a session token."""
    return digest(token) if token is not None and _FORM.fullmatch(token) else None


def keyless_owner() -> str:
    """A new owner whom no key opens, only sessions, passkeys and the recovery code."""
    return _KEYLESS + secrets.token_hex(31)


def has_key(owner: str) -> bool:
    return not owner.startswith(_KEYLESS)


def digest(secret: str) -> str:
    """What the server stores instead of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()
