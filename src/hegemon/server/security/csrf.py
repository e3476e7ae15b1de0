"""Protection against cross-site request forgery, by the origin of a request."""

from typing import Any, Final
from urllib.parse import urlsplit

from litestar import Request
from litestar.exceptions import HTTPException

from hegemon.server.texts import REJECTIONS

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}

#: A scheme, a host and a port.
Origin = tuple[str, str, int]


def reject_cross_site(request: Request[Any, Any, Any]) -> None:
    """Raise 403 for a request from another site that could change something."""
    if request.method not in ("GET", "HEAD", "OPTIONS") and is_cross_site(request):
        raise HTTPException(REJECTIONS["foreign"], status_code=403)


def is_cross_site(request: Request[Any, Any, Any]) -> bool:
    """Whether the browser reports that a page of another site, or one without an origin, sent the request.

    Browsers send the origin, and on encrypted connections also how it relates to ours; no page can change either.
    Other programs send neither, and have no cookies to abuse.
    """
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site", "none")
    if site not in ("same-origin", "none"):
        return True
    if origin is None:
        return False
    source = read_origin(origin)
    return source is None or (site != "same-origin" and source not in own_origins(request))


def own_origins(request: Request[Any, Any, Any]) -> tuple[Origin | None, Origin | None]:
    """The origins of our pages; behind a proxy, the Host header may differ from the public one."""
    requested = f"{request.scope['scheme']}://{request.headers.get('host', '')}"
    return read_origin(requested), read_origin(request.app.state.config.base_url)


def read_origin(url: str) -> Origin | None:
    """The origin of a URL; None if it has no host, such as `null`."""
    try:
        parts = urlsplit(url)
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    return (parts.scheme, parts.hostname, port) if parts.hostname and port else None
