"""The visitor behind a request: token, language and settings, all from cookies."""

from dataclasses import dataclass
from typing import Any, Final

from litestar import Request
from litestar.datastructures import Cookie

from hegemon.server.language import preferred_language
from hegemon.server.security import tokens
from hegemon.server.tables.table import Table

#: The settings of the page, with their values; the first one is the default.
SETTINGS: Final = {
    "theme": ("auto", "light", "dark"),
    "animation_speed": ("normal", "slow", "fast", "none"),
    "sound": ("off", "on"),
    "confirm": ("off", "on"),
    "passing": ("on", "off"),
    "memory": ("on", "off"),
}

#: The cookie of a table with the authors that its reader has muted.
MUTED: Final = "muted"
MAX_MUTED: Final = 20

_YEAR: Final = 365 * 24 * 3600


@dataclass(frozen=True)
class Visitor:
    owner: str | None
    language: str
    settings: dict[str, str]
    path: str = "/"
    muted: frozenset[str] = frozenset()
    """The authors whose chat messages this visitor does not see at this table."""
    undecided: frozenset[str] = frozenset()
    """The settings that this visitor has never chosen."""

    def seats_at(self, table: Table) -> tuple[int, ...]:
        return table.seats_of(self.owner or "")


def visitor_of(request: Request[Any, Any, Any]) -> Visitor:
    settings = {
        name: value if (value := request.cookies.get(name, "")) in values else values[0]
        for name, values in SETTINGS.items()
    }
    # A path that can be loaded again: a change of the language after a rejected form returns to the table.
    can_reload = request.method == "GET"
    path = request.url.path
    if not can_reload and path.startswith("/games/"):
        path = "/".join(path.split("/")[:3])
    query = f"?{request.url.query}" if can_reload and request.url.query else ""
    muted = frozenset(request.cookies.get(MUTED, "").split("-")[:MAX_MUTED])
    owner = tokens.owner_of(request.cookies.get(tokens.COOKIE))
    undecided = frozenset(SETTINGS.keys() - request.cookies.keys())
    return Visitor(owner, preferred_language(request), settings, path + query, muted, undecided)


def cookie(name: str, value: str, *, secure: bool) -> Cookie:
    """A cookie that other sites cannot send and scripts cannot read."""
    return Cookie(
        key=name, value=value, max_age=_YEAR, httponly=True, samesite="lax", path="/", secure=secure
    )
