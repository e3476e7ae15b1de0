"""Middleware for all requests, including unknown paths: security headers, HEAD, limits, malformed requests."""

import re
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from litestar.enums import ScopeType
from litestar.exceptions import HTTPException
from litestar.types import ASGIApp, HTTPResponseStartEvent, HTTPScope, Message, Receive, Scope, Send

from hegemon.server import metrics, traces
from hegemon.server.config import ServerConfig
from hegemon.server.security.rate_limit import REJECTION, OpenCounts, network_of, too_many_requests

#: Nothing is fetched from other origins, nothing runs inline, and no other site may frame a page.
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}

#: The header of a response with the id of the request, by which its lines in the log can be found.
REQUEST_ID: Final = "X-Request-Id"

_REQUEST_ID: Final = REQUEST_ID.lower().encode()

#: For a year, browsers use only encrypted connections.
_HSTS: Final = {"Strict-Transport-Security": "max-age=31536000"}

#: The only paths whose responses may be cached: all others may contain cards or tokens.
_CACHEABLE: Final = "/static/"

_UNCACHED: Final = {"Cache-Control": "no-store"}

#: Pages about people, which search engines must not list.
_UNLISTED: Final = ("/games/", "/join/", "/players/", "/me", "/study", "/admin")

_UNINDEXED: Final = {"X-Robots-Tag": "noindex"}

#: The longest head of a request: its path, query and headers.
MAX_HEAD_BYTES: Final = 16 * 1024

#: A name or an address, and perhaps a port.
_HOST: Final = re.compile(rb"([\w.-]*|\[[\da-fA-F:.]+\])(:\d{1,5})?")

#: Seconds after which a request that came while too many others were open may be repeated.
_BUSY_RETRY_SECONDS: Final = 10

#: The longest path that a route of ours can have.
_MAX_PATH_LENGTH: Final = 255

#: The methods that metrics tell apart.
_METHODS: Final = frozenset(("GET", "HEAD", "POST", "OPTIONS"))

#: A path that no route has.
_UNKNOWN: Final = "/unknown"


#: A header as in ASGI, with its name in lower case.
RawHeader = tuple[bytes, bytes]


def raw_headers(headers: Mapping[str, str]) -> list[RawHeader]:
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


def security_middleware(app: ASGIApp, config: ServerConfig) -> ASGIApp:
    """Wrap an application.

    Responses get security headers and the id of their request, HEAD is answered like GET, the open requests of an
    address are counted, malformed heads are rejected, and paths that a file system or a database would reject count
    as unknown.
    """
    fixed = HEADERS | (_HSTS if config.secure else {})
    of_files = raw_headers(fixed)
    of_pages = raw_headers(fixed | _UNCACHED)
    of_people = raw_headers(fixed | _UNCACHED | _UNINDEXED)
    open_requests = OpenCounts(config.connections.address)

    async def handle(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await app(scope, receive, send)
            return
        is_head = scope["method"] == "HEAD"
        trace = traces.new_trace(scope["headers"])
        began = time.perf_counter()
        path = scope["path"] if is_plain(scope["path"]) else _UNKNOWN
        headers = of_people if path.startswith(_UNLISTED) else of_pages
        headers = of_files if path.startswith(_CACHEABLE) else headers

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                complete(message, headers, trace.trace_id)
                count_request(scope["method"], request, message["status"], time.perf_counter() - began)
                await send(message)
                if is_head:  # end here, because a stream would go on
                    await send({"type": "http.response.body", "body": b"", "more_body": False})
            elif not is_head:
                await send(message)

        network = network_of(scope["client"][0]) if scope["client"] else None
        problem = None if open_requests.enter(network) else too_many_requests(_BUSY_RETRY_SECONDS)
        changes: dict[str, Any] = {"path": path} | ({"method": "GET"} if is_head else {})
        if status := malformed(scope):
            problem = HTTPException(status_code=status)
            changes |= {"headers": [(b"host", b"unknown")], "query_string": b""}
        request: HTTPScope = scope | changes  # type: ignore[assignment]  # mypy takes the union for a plain dict
        request["state"][REJECTION] = problem
        current = traces.CURRENT.set(trace)
        try:
            await app(request, disconnected_after_request(receive) if is_head else receive, answer)
        finally:
            traces.CURRENT.reset(current)
            open_requests.leave(network)

    return handle


def count_request(method: str, request: HTTPScope, status: int, seconds: float) -> None:
    """Count a request by its route, which has no ids in it, and by its status."""
    method = method if method in _METHODS else "other"
    route = request.get("path_template") or "unknown"
    metrics.REQUESTS.add(method, route, str(status))
    metrics.RESPONSE_SECONDS.observe(seconds, method, route)


def malformed(scope: HTTPScope) -> int | None:
    """The error status for a head that is too long, without exactly one valid host, or with a NUL.

    HTTP/1.0 does not require a host; no database stores a NUL.
    """
    size = len(scope["raw_path"]) + len(scope["query_string"])
    if size + sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEAD_BYTES:
        return 431
    if b"%00" in scope["query_string"] or any(b"\0" in value for _, value in scope["headers"]):
        return 400
    hosts = [value for name, value in scope["headers"] if name == b"host"]
    is_expected = len(hosts) == 1 or (not hosts and scope["http_version"] == "1.0")
    return None if is_expected and all(_HOST.fullmatch(host) for host in hosts) else 400


def is_plain(path: str) -> bool:
    """Whether a path is short and printable, as the paths of all routes are."""
    return len(path) <= _MAX_PATH_LENGTH and path.isprintable()


def disconnected_after_request(receive: Receive) -> Receive:
    """A `receive` that disconnects after the request, so that a stream ends after its headers."""
    asked = False

    async def once() -> Any:
        nonlocal asked
        if asked:
            return {"type": "http.disconnect"}
        asked = True
        return await receive()

    return once


def complete(response: HTTPResponseStartEvent, fixed: Sequence[RawHeader], request_id: str) -> None:
    """Add missing headers and the id of the request; sort the allowed methods, with HEAD wherever GET is allowed."""
    given = {name.lower(): value for name, value in response["headers"]}
    added = [header for header in fixed if header[0] not in given]
    if b"allow" in given:
        methods = set(given[b"allow"].replace(b" ", b"").split(b","))
        allowed = methods | {b"HEAD"} if b"GET" in methods else methods
        response["headers"] = [header for header in response["headers"] if header[0].lower() != b"allow"]
        added.append((b"allow", b", ".join(sorted(allowed))))
    response["headers"] = [*response["headers"], *added, (_REQUEST_ID, request_id.encode())]
