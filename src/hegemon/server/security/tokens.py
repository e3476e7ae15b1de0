"""Who is at the browser: no accounts, only a random token in a cookie, of which the server keeps a digest."""

import hashlib
import re
import secrets
from typing import Final

#: The cookie that holds a browser's token.
COOKIE: Final = "hegemon"

_FORM: Final = re.compile(r"[A-Za-z0-9_-]{43}")


def new_token() -> str:
    """A token that nobody can guess."""
    return secrets.token_urlsafe(32)


def owner_of(token: str | None) -> str | None:
    """The digest under which a token's seats are kept; None for what cannot be a token of ours."""
    if token is None or not _FORM.fullmatch(token):
        return None
    return hashlib.sha256(token.encode()).hexdigest()
