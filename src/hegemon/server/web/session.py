"""The visitor behind a request: owner, language and settings, from cookies or from the profile."""

from dataclasses import dataclass, replace
from typing import Any, Final

from litestar import Request
from litestar.datastructures import Cookie

from hegemon.prose.translator import languages
from hegemon.server.db.profiles import Profile
from hegemon.server.dependencies import provide_base_url
from hegemon.server.identity.requests import owner_in_cookie, session_in
from hegemon.server.language import accepted_language, preferred_language
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
    """The page to return to after changing the language; empty on a page that is shown once, which cannot change it."""
    muted: frozenset[str] = frozenset()
    """The authors whose chat messages this visitor does not see at this table."""
    undecided: frozenset[str] = frozenset()
    """The settings that this visitor has never chosen."""
    base: str = ""
    """The URL of this server, without a trailing slash."""
    profile: Profile | None = None
    session: int | None = None
    """The session of the device; None if it has a key, or nothing yet."""

    @property
    def tag(self) -> str:
        """A value that tells a browser only that another person uses it now; empty without an owner."""
        return tokens.derived_token(self.owner, "reader")[:8] if self.owner is not None else ""

    @property
    def name(self) -> str:
        """The name that this visitor has chosen; empty for none."""
        return self.profile.name if self.profile is not None else ""

    @property
    def color(self) -> int | None:
        return self.profile.color if self.profile is not None else None

    def seats_at(self, table: Table) -> tuple[int, ...]:
        return table.seats_of(self.owner or "")


def anonymous_visitor(language: str, base: str = "") -> Visitor:
    """A visitor without a token, with the default settings."""
    return Visitor(None, language, {name: values[0] for name, values in SETTINGS.items()}, base=base)


def anonymous_reader(request: Request[Any, Any, Any], language: str) -> Visitor:
    """A visitor whose cookies are ignored, with that language or one that the browser accepts."""
    accepted = accepted_language(request.headers.get("accept-language", ""))
    base = provide_base_url(request, request.app.state.config)
    return anonymous_visitor(language if language in languages() else accepted, base)


def visitor_of(request: Request[Any, Any, Any]) -> Visitor:
    settings = {
        name: value if (value := request.cookies.get(name, "")) in values else values[0]
        for name, values in SETTINGS.items()
    }
    # The path must be one that can be reloaded: after a rejected form, that of the table or /me.
    can_reload = request.method == "GET"
    path = request.url.path
    if not can_reload and path.startswith("/games/"):
        path = "/".join(path.split("/")[:3])
    if not can_reload and path.startswith("/me/"):
        path = "/me"
    query = f"?{request.url.query}" if can_reload and request.url.query else ""
    muted = frozenset(request.cookies.get(MUTED, "").split("-")[:MAX_MUTED])
    session = session_in(request)
    return Visitor(
        owner_in_cookie(request),
        preferred_language(request),
        settings,
        path + query,
        muted,
        undecided=frozenset(SETTINGS.keys() - request.cookies.keys()),
        base=provide_base_url(request, request.app.state.config),
        session=session.id if session is not None else None,
    )


def without_return_path(visitor: Visitor) -> Visitor:
    """The visitor of a page that shows a secret only once, so that no form on it returns there."""
    return replace(visitor, path="")


ANONYMOUS: Final = Visitor(None, "en", {})


def with_profile(visitor: Visitor, profile: Profile | None) -> Visitor:
    """The visitor with the language and the settings of their profile, chosen on any of their devices."""
    if profile is None:
        return visitor
    chosen = {name: value for name, value in profile.settings.items() if value in SETTINGS.get(name, ())}
    return replace(
        visitor,
        profile=profile,
        language=profile.language if profile.language in languages() else visitor.language,
        settings=visitor.settings | chosen,
        undecided=visitor.undecided - chosen.keys(),
    )


def cookie(name: str, value: str, *, secure: bool, max_age: int = _YEAR) -> Cookie:
    """A cookie that other sites cannot send and scripts cannot read."""
    return Cookie(
        key=name, value=value, max_age=max_age, httponly=True, samesite="lax", path="/", secure=secure
    )
