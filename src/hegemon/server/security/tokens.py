"""Tokens instead of accounts: a random token in a cookie, whose digest the server stores.

The digest of a key identifies a person, its owner. A device that has signed in has a session token instead, whose owner
is stored in the database.
"""

import base64
import hashlib
import hmac
import re
import secrets
from typing import Final

COOKIE: Final = "hegemon"

_SESSION_PREFIX: Final = "s."

#: The prefix of owners without a key; no digest begins with it, as digests are hexadecimal.
_KEYLESS_PREFIX: Final = "x"

_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}")


def new_token() -> str:
    return secrets.token_urlsafe(32)


def derived_token(secret: str, purpose: str) -> str:
    """The token derived from a secret for a purpose; it is always the same, and reveals nothing about the secret."""
    digest = hmac.digest(secret.encode(), purpose.encode(), "sha256")
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def new_session_token() -> str:
    return _SESSION_PREFIX + new_token()


def is_session(token: str | None) -> bool:
    """Whether a token is a session token, whose owner is stored in the database."""
    return (
        token is not None
        and token.startswith(_SESSION_PREFIX)
        and bool(_TOKEN.fullmatch(token.removeprefix(_SESSION_PREFIX)))
    )


def owner_of(token: str | None) -> str | None:
    """The digest of a key, which identifies its owner; None for a malformed key or a session token."""
    return digest(token) if token is not None and _TOKEN.fullmatch(token) else None


def keyless_owner() -> str:
    """A new owner without a key, accessible only by sessions, passkeys and the recovery code."""
    return _KEYLESS_PREFIX + secrets.token_hex(31)


def has_key(owner: str) -> bool:
    return not owner.startswith(_KEYLESS_PREFIX)


def digest(secret: str) -> str:
    """The SHA-256 digest of a secret, which the server stores in its place."""
    return hashlib.sha256(secret.encode()).hexdigest()
