"""Names of browsers and systems, from the User-Agent header."""

from collections.abc import Mapping
from typing import Final

#: Names by a part of the header. Browsers pretend to be those further down, so the first match counts.
_BROWSERS: Final = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser/": "Samsung Internet",
    "FxiOS/": "Firefox",
    "Firefox/": "Firefox",
    "CriOS/": "Chrome",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
}

_SYSTEMS: Final = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "Macintosh": "Mac",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}


def browser_of(user_agent: str) -> str:
    """The name of a browser; empty if unknown."""
    return _first_match(_BROWSERS, user_agent)


def system_of(user_agent: str) -> str:
    """The kind of device, or its system; empty if unknown."""
    return _first_match(_SYSTEMS, user_agent)


def _first_match(names: Mapping[str, str], user_agent: str) -> str:
    return next((name for part, name in names.items() if part in user_agent), "")
