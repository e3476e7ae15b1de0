"""Limits on connections: incomplete requests time out, heads are small, and no address can take all connections."""

import asyncio
import sys
from collections.abc import Callable
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from hegemon.server.config import ConnectionLimits
from hegemon.server.security.rate_limit import OpenCounts, network_of

#: The number of files reserved for the database, the log and other connections.
_RESERVED_FILES: Final = 100

#: The number of open files that the server requests from the system.
_MAX_FILES: Final = 65_536

#: The maximum size of a head that has not arrived completely, in bytes.
_MAX_HEAD: Final = 2**16


def _last_response(status: bytes, sentence: bytes, *headers: bytes) -> bytes:
    """A response after which the connection is closed."""
    head = [
        b"HTTP/1.1 " + status,
        b"Content-Type: text/plain",
        b"Content-Length: %d" % len(sentence),
        *headers,
    ]
    return b"\r\n".join([*head, b"Connection: close", b"", sentence])


_TOO_MANY: Final = _last_response(
    b"503 Service Unavailable",
    b"There are too many connections. Please wait a moment and try again.\n",
    b"Retry-After: 10",
)
_TOO_LARGE: Final = _last_response(
    b"431 Request Header Fields Too Large",
    b"The address and the headers of the request are too long. Please shorten them.\n",
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


class LimitedProtocol(HttpToolsProtocol):
    """uvicorn's protocol with limited connections, and with limits on the time and the size of each request.

    `hand_over` may give a connection, by its file descriptor and the beginning of a request, to another worker;
    `received` is such a beginning, on a connection that another worker has handed over.
    """

    def __init__(
        self,
        *arguments: Any,
        open_connections: OpenConnections,
        hand_over: Callable[[int, bytes], bool] | None = None,
        received: bytes = b"",
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        self._open = open_connections
        self._hand_over = hand_over
        self._received = received
        self._network: str | None = None
        self._in_body = False
        self._head_size = 0
        self._awaited = ""
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn does
        super().connection_made(transport)
        self._network = network_of(self.client[0]) if self.client is not None else None
        if not self._open.enter(self._network):
            transport.write(_TOO_MANY)
            transport.close()
        elif self._received:
            self.data_received(self._received)
        else:
            self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._open.leave(self._network)
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._hand_over is not None and not self._is_busy():
            connection = self.transport.get_extra_info("socket").fileno()
            if self._hand_over(connection, data):
                self.give_up()  # closes this end of the connection; the other worker has its own
                return
        self._head_size += len(data)
        super().data_received(data)
        if self._in_body:
            self._head_size = 0
        elif self._head_size > _MAX_HEAD:
            self.transport.write(_TOO_LARGE)
            self.transport.close()
        self._watch()

    def on_url(self, url: bytes) -> None:
        if not url.isascii():
            raise ValueError("The URL is not encoded.")  # which the parser reports as an invalid request
        super().on_url(url)

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        self._in_body = True

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._in_body, self._head_size = False, 0

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()  # the next request may have begun

    def _watch(self) -> None:
        """Limit the time in which a head or a body must arrive, regardless of the number of pieces."""
        awaited = self._awaited_part()
        if awaited == self._awaited:
            return
        self._stop_timer()
        if awaited:
            limits = self._open.limits
            seconds = limits.head_timeout if awaited == "head" else limits.body_timeout
            self._awaited, self._timer = awaited, self.loop.call_later(seconds, self.give_up)
            self._open.incomplete[self] = None

    def _awaited_part(self) -> str:
        """The part of a request that the client has to send now: the head, the body, or none."""
        if self.pipeline:  # the server has stopped reading until it has answered an earlier request
            return ""
        if self._in_body:
            return "body"
        is_between = self.timeout_keep_alive_task is not None  # uvicorn has a timeout between requests
        return "" if self._is_responding() or is_between else "head"

    def _is_busy(self) -> bool:
        """Whether a request has begun, or is being answered."""
        return self._in_body or self._head_size > 0 or self._is_responding()

    def _is_responding(self) -> bool:
        return bool(self.cycle) and not self.cycle.response_complete

    def give_up(self) -> None:
        """Close the connection immediately, without an answer."""
        self._stop_timer()
        self.transport.abort()

    def _stop_timer(self) -> None:
        self._awaited = ""
        self._open.incomplete.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
