"""What a browser brings along: who it is, the language it reads, and how it likes the page."""

from dataclasses import dataclass
from typing import Any, Final

from litestar import Request
from litestar.datastructures import Cookie

from hegemon.server.language import preferred_language
from hegemon.server.security import tokens as identity

#: What a reader may set, with the values it may have; the first is the default.
SETTINGS: Final = {
    "theme": ("auto", "light", "dark"),
    "pace": ("normal", "slow", "fast", "none"),
    "sound": ("off", "on"),
    "confirm": ("off", "on"),
    "memory": ("on", "off"),
}
#: Nobody can want to hear more people less.
MAX_MUTED: Final = 20

_YEAR: Final = 365 * 24 * 3600


@dataclass(frozen=True)
class Visitor:
    """Somebody at a browser."""

    owner: str | None
    language: str
    settings: dict[str, str]
    path: str = "/"
    muted: frozenset[str] = frozenset()
    """Whom this reader does not want to hear at this table."""


#: The cookie of a table that says whom its reader does not want to hear.
MUTED: Final = "muted"


def visitor_of(request: Request[Any, Any, Any]) -> Visitor:
    """The visitor who sent a request."""
    settings = {
        name: value if (value := request.cookies.get(name, "")) in values else values[0]
        for name, values in SETTINGS.items()
    }
    # Only what can be visited: whoever changes the language after a refused form comes back to a page.
    visited = request.method == "GET"
    path = request.url.path
    if not visited and path.startswith("/games/"):
        path = "/".join(path.split("/")[:3])
    muted = frozenset(request.cookies.get(MUTED, "").split("-")[:MAX_MUTED])
    query = f"?{request.url.query}" if visited and request.url.query else ""
    owner = identity.owner_of(request.cookies.get(identity.COOKIE))
    return Visitor(owner, preferred_language(request), settings, path + query, muted)


def cookie(name: str, value: str, *, secure: bool) -> Cookie:
    """A cookie that other sites cannot send along and scripts cannot read."""
    return Cookie(
        key=name, value=value, max_age=_YEAR, httponly=True, samesite="lax", path="/", secure=secure
    )
