"""CSRF protection and security headers."""

from typing import Any, Final
from urllib.parse import urlsplit

from litestar import Request, Response
from litestar.exceptions import HTTPException

from hegemon.server.security.rate_limit import check_limits
from hegemon.server.texts import REJECTIONS

#: Nothing is fetched from other origins, nothing runs inline, and no other site may frame a page.
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


async def guard(request: Request[Any, Any, Any]) -> None:
    """Apply rate limits, and reject requests that a page of another site has made a browser send.

    Browsers send the origin; other programs do not, and have no cookies to abuse.
    """
    check_limits(request)
    if request.method in ("GET", "HEAD", "OPTIONS"):
        return
    origin = request.headers.get("origin")
    site = request.headers.get("sec-fetch-site")
    foreign = origin is not None and urlsplit(origin).netloc not in own_hosts(request)
    if foreign or site in ("cross-site", "same-site"):
        raise HTTPException(REJECTIONS["foreign"], status_code=403)


def own_hosts(request: Request[Any, Any, Any]) -> tuple[str | None, str]:
    """The hosts of our own pages: a proxy may use another name than browsers do."""
    return request.headers.get("host"), urlsplit(request.app.state.config.base_url).netloc


async def security_headers(response: Response[Any]) -> Response[Any]:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response
