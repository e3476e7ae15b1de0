"""Tokens instead of accounts: a random token in a cookie, of which the server stores a digest."""

import base64
import hashlib
import hmac
import re
import secrets
from typing import Final

COOKIE: Final = "hegemon"

_FORM: Final = re.compile(r"[A-Za-z0-9_-]{43}")


def new_token() -> str:
    return secrets.token_urlsafe(32)


def derived_token(secret: str, purpose: str) -> str:
    """The token for a purpose that belongs to a secret: always the same, and it tells nothing about any other."""
    digest = hmac.digest(secret.encode(), purpose.encode(), "sha256")
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def owner_of(token: str | None) -> str | None:
    """The digest of a token, which identifies its owner; None for a malformed token."""
    if token is None or not _FORM.fullmatch(token):
        return None
    return hashlib.sha256(token.encode()).hexdigest()
