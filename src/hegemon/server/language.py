"""The language of a request: its cookie, or else what the browser or program accepts."""

from typing import Any, Final

from litestar.connection import ASGIConnection

from hegemon.prose.translator import languages

COOKIE: Final = "language"

_MAX_HEADER_LENGTH: Final = 500


def preferred_language(request: ASGIConnection[Any, Any, Any, Any]) -> str:
    chosen = request.cookies.get(COOKIE, "")
    return chosen if chosen in languages() else accepted_language(request.headers.get("accept-language", ""))


def accepted_language(header: str) -> str:
    """The language of an Accept-Language header with the highest weight; English if we have none of them."""
    weighted = []
    for place, entry in enumerate(header[:_MAX_HEADER_LENGTH].split(",")):
        code, _, weight = entry.strip().partition(";q=")
        try:
            weighted.append((-float(weight or 1), place, code.strip().lower()[:2]))
        except ValueError:
            continue
    return next((code for _, _, code in sorted(weighted) if code in languages()), "en")
