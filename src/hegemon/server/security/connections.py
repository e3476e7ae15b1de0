"""Limits on connections: incomplete requests time out, and no address can take all connections."""

import asyncio
import sys
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from hegemon.server.config import ConnectionLimits
from hegemon.server.security.rate_limit import OpenCounts, network_of

#: The number of files reserved for the database, the log and other connections.
_RESERVED_FILES: Final = 100

#: The number of open files that the server requests from the system.
_MAX_FILES: Final = 65_536

_BUSY: Final = b"There are too many connections. Please wait a moment and try again.\n"
_REFUSAL: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nRetry-After: 10\r\nConnection: close\r\n"
    b"Content-Length: %d\r\n\r\n%s" % (len(_BUSY), _BUSY)
)


def raise_file_limit() -> int:
    """Raise the limit of open files as far as the system permits; return the number of connections that it allows."""
    if sys.platform == "win32":
        return _MAX_FILES
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MAX_FILES if hard == resource.RLIM_INFINITY else min(hard, _MAX_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(wanted - _RESERVED_FILES, 1)


class OpenConnections(OpenCounts):
    def __init__(self, limits: ConnectionLimits, most: int) -> None:
        super().__init__(limits.address)
        self.limits = limits
        self._most = min(limits.total, most)
        self.incomplete: dict[LimitedProtocol, None] = {}
        """The connections whose request has not arrived completely, oldest first."""

    def enter(self, network: str | None) -> bool:
        """Count a connection; return whether it is permitted. If all are taken, the oldest incomplete one is closed."""
        permitted = super().enter(network)
        if self.total <= self._most or not permitted:
            return permitted
        for oldest in self.incomplete:
            oldest.give_up()
            return True
        return False


class LimitedProtocol(H11Protocol):
    """uvicorn's protocol with a time limit for each head and body, and with limited connections."""

    def __init__(self, *arguments: Any, open_connections: OpenConnections, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._open = open_connections
        self._network: str | None = None
        self._awaited = ""
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn does
        super().connection_made(transport)
        self._network = network_of(self.client[0]) if self.client is not None else None
        if self._open.enter(self._network):
            self._watch()
        else:
            transport.write(_REFUSAL)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._open.leave(self._network)
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()  # the next request may have begun

    def _watch(self) -> None:
        """Limit the time in which a head or a body must arrive, regardless of the number of pieces."""
        state, limits = self.conn.their_state, self._open.limits
        is_between = self.timeout_keep_alive_task is not None  # uvicorn has a timeout between requests
        awaited = {h11.IDLE: "" if is_between else "head", h11.SEND_BODY: "body"}.get(state, "")
        if awaited == self._awaited:
            return
        self._stop_timer()
        if awaited:
            seconds = limits.head_timeout if awaited == "head" else limits.body_timeout
            self._awaited, self._timer = awaited, self.loop.call_later(seconds, self.give_up)
            self._open.incomplete[self] = None

    def give_up(self) -> None:
        """Close the connection without an answer."""
        self._stop_timer()
        self.transport.abort()

    def _stop_timer(self) -> None:
        self._awaited = ""
        self._open.incomplete.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
