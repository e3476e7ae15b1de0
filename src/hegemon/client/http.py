"""An HTTP client for one server, based on the standard library: pooled connections, retries, server-sent events.

Requests are retried if the server has answered before, so that a program survives a restart or a broken connection.
"""

import json
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from hegemon.client.errors import ClientError, Unreachable, error_from_response
from hegemon.client.links import read_server
from hegemon.notation.messages import message

REQUEST_TIMEOUT: Final = 30.0

#: A stream sends at least a comment every fifteen seconds.
STREAM_TIMEOUT: Final = 50.0

#: Temporary failures of a server or its proxy.
RETRY_STATUSES: Final = (429, 500, 502, 503, 504)

MIN_BACKOFF: Final = 0.1
MAX_BACKOFF: Final = 5.0

MAX_LINE_BYTES: Final = 1 << 20

OnConnectionProblem = Callable[[str], None]
T = TypeVar("T")


@dataclass(frozen=True)
class Response:
    status: int
    body: bytes
    location: str = ""
    retry_after: float = 0.0


@dataclass(frozen=True)
class ServerSentEvent:
    """A server-sent event."""

    event: str
    data: str


class Backoff:
    """Exponential backoff between retries, up to a total time."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._wait = MIN_BACKOFF

    def wait(self, why: str, min_wait: float = 0.0) -> None:
        """Wait before the next try, or raise `Unreachable`."""
        now = time.monotonic()
        if now >= self._end:
            raise Unreachable(why)
        time.sleep(min(max(self._wait, min_wait), max(self._end - now, MIN_BACKOFF)))
        self._wait = min(2 * self._wait, MAX_BACKOFF)


class HttpClient:
    """A thread-safe HTTP client for one server."""

    def __init__(
        self,
        address: str,
        language: str = "en",
        retry_timeout: float = 120.0,
        on_connection_problem: OnConnectionProblem | None = None,
    ) -> None:
        self.address = read_server(address)
        self._headers = {"Accept-Language": language, "Accept": "application/json"}
        self._retry_timeout = retry_timeout
        self._on_connection_problem = on_connection_problem
        self._connected = False
        self._failing = False
        self._idle: list[HTTPConnection] = []
        weakref.finalize(self, close_all, self._idle)

    def close(self) -> None:
        close_all(self._idle)

    # ---------------------------------------------------------------- requests

    def request(
        self,
        method: str,
        path: str,
        read: Callable[[Any], T],
        *,
        token: str | None = None,
        body: object = None,
    ) -> T:
        """Send a request, with retries, and read the response; requests must be idempotent."""
        backoff = Backoff(self._retry_timeout if self._connected else 0.0)
        while True:
            try:
                response = self._exchange(method, path, token, body)
            except (OSError, HTTPException) as error:
                why, min_wait = self._connection_error(error), 0.0
            else:
                if response.status not in RETRY_STATUSES:
                    self._report_recovery()
                    return self.read(read, self._decode(response))
                why, min_wait = self._status_error(response), response.retry_after
            self._report_problem(why)
            backoff.wait(why, min_wait)

    def _exchange(self, method: str, path: str, token: str | None, body: object) -> Response:
        """Send one request, over a pooled connection unless the server has closed it."""
        pooled = self._idle.pop() if self._idle else None
        if pooled is not None:
            try:
                return self._send_over(pooled, method, path, token, body)
            except (OSError, HTTPException):
                pooled.close()
        connection = self._connect(REQUEST_TIMEOUT)
        try:
            return self._send_over(connection, method, path, token, body)
        except BaseException:
            connection.close()
            raise

    def _send_over(
        self, connection: HTTPConnection, method: str, path: str, token: str | None, body: object
    ) -> Response:
        response = self._send(connection, method, path, token, body)
        content = response.read()
        if response.will_close:
            connection.close()
        else:
            self._idle.append(connection)
        return Response(response.status, content, response.getheader("Location") or "", retry_after(response))

    def _connect(self, timeout: float) -> HTTPConnection:
        parts = urlsplit(self.address)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        return kind(parts.hostname or "", parts.port, timeout=timeout)

    def _send(
        self,
        connection: HTTPConnection,
        method: str,
        path: str,
        token: str | None,
        body: object,
        **extra_headers: str,
    ) -> HTTPResponse:
        headers = self._headers | {name.replace("_", "-"): value for name, value in extra_headers.items()}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        text = None
        if body is not None:
            text, headers["Content-Type"] = json.dumps(body), "application/json"
        connection.request(method, path, text, headers)
        return connection.getresponse()

    def _decode(self, response: Response) -> Any:
        """Decode the JSON of a response, or raise the error that it describes."""
        if 300 <= response.status < 400:
            if not response.location:
                raise ClientError("The server at {address} has moved.", address=self.address)
            raise ClientError(
                "The server at {address} has moved to {location}.",
                address=self.address,
                location=response.location,
            )
        try:
            facts = json.loads(response.body)
            if response.status < 300:
                return facts
            raise error_from_response(response.status, facts)
        except (ValueError, TypeError, KeyError):
            raise ClientError("There is no Hegemon server at {address}.", address=self.address) from None

    def read(self, read: Callable[[Any], T], data: Any) -> T:
        """Parse data from the server; invalid data, such as that of another version, raises a ClientError."""
        try:
            return read(data)
        except (ValueError, TypeError, LookupError) as error:
            raise ClientError(
                "The answer of the server at {address} cannot be read ({error}).",
                address=self.address,
                error=f"{type(error).__name__}: {error}",
            ) from None

    # ---------------------------------------------------------------- streams

    def stream(self, path: str, *, token: str | None, since: int) -> Iterator[ServerSentEvent]:
        """The events of a stream after a version, until it ends or the connection breaks."""
        connection = self._connect(STREAM_TIMEOUT)
        try:
            response = self._send(
                connection, "GET", path, token, None, Accept="text/event-stream", Last_Event_ID=str(since)
            )
            if response.status != 200:
                if response.status not in RETRY_STATUSES:
                    self._decode(Response(response.status, response.read()))
                return
            self._report_recovery()
            yield from read_events(response)
        except (OSError, HTTPException) as error:
            self._report_problem(self._connection_error(error))
        finally:
            connection.close()

    # ---------------------------------------------------------------- problems

    def _connection_error(self, error: OSError | HTTPException) -> str:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return message(
            "The server at {address} does not answer ({reason}).", address=self.address, reason=reason
        )

    def _status_error(self, response: Response) -> str:
        return message(
            "The server at {address} cannot answer now ({status}).",
            address=self.address,
            status=response.status,
        )

    def _report_problem(self, problem: str) -> None:
        if not self._failing and self._connected and self._on_connection_problem is not None:
            self._on_connection_problem(message("{problem} Trying again.", problem=problem))
        self._failing = True

    def _report_recovery(self) -> None:
        if self._failing and self._connected and self._on_connection_problem is not None:
            self._on_connection_problem(
                message("The server at {address} answers again.", address=self.address)
            )
        self._connected, self._failing = True, False


def close_all(connections: list[HTTPConnection]) -> None:
    while connections:
        connections.pop().close()


def retry_after(response: HTTPResponse) -> float:
    text = response.getheader("Retry-After") or ""
    return float(text) if text.isascii() and text.isdigit() else 0.0


def read_events(response: HTTPResponse) -> Iterator[ServerSentEvent]:
    """The complete server-sent events of a response."""
    event, data = "", ""
    while line := response.readline(MAX_LINE_BYTES):
        name, _, value = line.decode().rstrip("\r\n").partition(":")
        if name == "event":
            event = value.strip()
        elif name == "data":
            data += value
        elif not name and not value and data:
            yield ServerSentEvent(event, data)
            event, data = "", ""
