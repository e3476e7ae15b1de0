"""The language of a request, from its cookie or its Accept-Language header."""

import re
from typing import Any, Final

from litestar.connection import ASGIConnection

from hegemon.prose.translator import languages

COOKIE: Final = "language"

_MAX_HEADER_LENGTH: Final = 500

#: A language with its weight, as in RFC 9110: spaces may surround the semicolon.
_RANGE: Final = re.compile(r"(?P<code>[A-Za-z]{2})(-[\w-]+)?(\s*;\s*[Qq]=(?P<weight>[01](\.\d*)?))?")


def preferred_language(request: ASGIConnection[Any, Any, Any, Any]) -> str:
    chosen = request.cookies.get(COOKIE, "")
    return chosen if chosen in languages() else accepted_language(request.headers.get("accept-language", ""))


def accepted_language(header: str) -> str:
    """The supported language with the highest weight in an Accept-Language header; English if none is supported."""
    weighted = []
    for index, entry in enumerate(header[:_MAX_HEADER_LENGTH].split(",")):
        if (match := _RANGE.fullmatch(entry.strip())) and (weight := float(match["weight"] or 1)):
            weighted.append((-weight, index, match["code"].lower()))
    return next((code for _, _, code in sorted(weighted) if code in languages()), "en")
