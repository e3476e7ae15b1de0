"""HTTP to one server, by the standard library: answers that are lost are asked for again, and streams are read.

Connections are kept and used again. A server that has answered once is waited for when it does not answer any more: a
restart or a cut line is nothing that a program at a table should die of. One that never answered is not.
"""

import json
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from hegemon.client.errors import ClientError, Unreachable, error_of
from hegemon.client.links import read_server

#: An answer takes no longer than this, or the connection is lost.
_SECONDS: Final = 30.0

#: A stream sends something every fifteen seconds, if only a comment.
_SILENCE: Final = 50.0

#: Answers that a server, or what stands before it, gives while it cannot do better.
_FOR_NOW: Final = (429, 500, 502, 503, 504)

#: So long is waited before something is tried again: at first, and at most.
_FIRST_WAIT: Final = 0.1
_LONGEST_WAIT: Final = 5.0

_LONGEST_LINE: Final = 1 << 20

OnTrouble = Callable[[str], None]
Told = TypeVar("Told")


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    body: bytes
    location: str = ""
    retry_after: float = 0.0


@dataclass(frozen=True)
class Message:
    """An event of a stream."""

    event: str
    data: str


class Patience:
    """Waits longer and longer between tries, until it has been too long."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        self._wait = _FIRST_WAIT

    def wait(self, why: str, least: float = 0.0) -> None:
        """Wait before the next try, or give up."""
        now = time.monotonic()
        if now >= self._end:
            raise Unreachable(why)
        time.sleep(min(max(self._wait, least), max(self._end - now, _FIRST_WAIT)))
        self._wait = min(2 * self._wait, _LONGEST_WAIT)


class Wire:
    """The way to a server. It may be used by several threads."""

    def __init__(
        self, address: str, language: str = "en", patience: float = 120.0, on_trouble: OnTrouble | None = None
    ) -> None:
        self.address = read_server(address)
        self._headers = {"Accept-Language": language, "Accept": "application/json"}
        self._patience = patience
        self._on_trouble = on_trouble
        self._met = False
        self._troubled = False
        self._idle: list[HTTPConnection] = []
        weakref.finalize(self, close_all, self._idle)

    def close(self) -> None:
        """Let go of the connections; they would be let go with the last who uses them, too."""
        close_all(self._idle)

    # ---------------------------------------------------------------- questions and answers

    def ask(
        self,
        method: str,
        path: str,
        read: Callable[[Any], Told],
        *,
        token: str | None = None,
        body: object = None,
        twice: bool = True,
    ) -> Told:
        """Ask the server something, again and again while it does not answer; or once, if `twice` would do harm."""
        patience = Patience(self._patience if self._met else 0.0)
        while True:
            try:
                answer = self._exchange(method, path, token, body, fresh=not twice)
            except (OSError, HTTPException) as error:
                why, least = self._silence(error), 0.0
            else:
                if answer.status not in _FOR_NOW:
                    self._well()
                    return self.read(read, self._facts(answer))
                why, least = self._refusal(answer), answer.retry_after
            if not twice:
                raise Unreachable(why)
            self._tell(why)
            patience.wait(why, least)

    def _exchange(self, method: str, path: str, token: str | None, body: object, *, fresh: bool) -> Answer:
        """One question and its answer. A connection that was kept may have been closed meanwhile: then a new one."""
        kept = self._idle.pop() if self._idle and not fresh else None
        if kept is not None:
            try:
                return self._over(kept, method, path, token, body)
            except (OSError, HTTPException):
                kept.close()
        connection = self._connect(_SECONDS)
        try:
            return self._over(connection, method, path, token, body)
        except BaseException:
            connection.close()
            raise

    def _over(
        self, connection: HTTPConnection, method: str, path: str, token: str | None, body: object
    ) -> Answer:
        response = self._send(connection, method, path, token, body)
        content = response.read()
        if response.will_close:
            connection.close()
        else:
            self._idle.append(connection)
        return Answer(response.status, content, response.getheader("Location") or "", seconds_in(response))

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
        **more: str,
    ) -> HTTPResponse:
        headers = self._headers | {name.replace("_", "-"): value for name, value in more.items()}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        text = None
        if body is not None:
            text, headers["Content-Type"] = json.dumps(body), "application/json"
        connection.request(method, path, text, headers)
        return connection.getresponse()

    def _facts(self, answer: Answer) -> Any:
        """What an answer says, or the error that it is."""
        if 300 <= answer.status < 400:
            raise ClientError(f"{self.address} is elsewhere: {answer.location or 'it does not say where'}.")
        try:
            facts = json.loads(answer.body)
            if answer.status < 300:
                return facts
            raise error_of(answer.status, facts)
        except (ValueError, TypeError, KeyError):
            raise ClientError(f"There is no Hegemon at {self.address}: it answers something else.") from None

    def read(self, read: Callable[[Any], Told], facts: Any) -> Told:
        """What the server told, as we have it; another server, or one of another time, may tell what nobody knows."""
        try:
            return read(facts)
        except (ValueError, TypeError, LookupError) as error:
            raise ClientError(
                f"What the server at {self.address} tells is not understood here ({type(error).__name__}: {error})."
            ) from None

    # ---------------------------------------------------------------- streams

    def stream(self, path: str, *, token: str | None, since: int) -> Iterator[Message]:
        """The messages of a stream after that number, until it ends or is cut: whoever reads asks which it was."""
        connection = self._connect(_SILENCE)
        try:
            response = self._send(
                connection, "GET", path, token, None, Accept="text/event-stream", Last_Event_ID=str(since)
            )
            if response.status != 200:
                answer = Answer(response.status, response.read())
                if answer.status not in _FOR_NOW:
                    self._facts(answer)
                return
            self._well()
            yield from messages(response)
        except (OSError, HTTPException) as error:
            self._tell(self._silence(error))
        finally:
            connection.close()

    # ---------------------------------------------------------------- trouble

    def _silence(self, error: OSError | HTTPException) -> str:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return f"The server at {self.address} does not answer ({reason})."

    def _refusal(self, answer: Answer) -> str:
        return f"The server at {self.address} cannot answer now ({answer.status})."

    def _tell(self, trouble: str) -> None:
        if not self._troubled and self._met and self._on_trouble is not None:
            self._on_trouble(f"{trouble} Trying again.")
        self._troubled = True

    def _well(self) -> None:
        if self._troubled and self._met and self._on_trouble is not None:
            self._on_trouble(f"The server at {self.address} answers again.")
        self._met, self._troubled = True, False


def close_all(connections: list[HTTPConnection]) -> None:
    """Close connections that were kept."""
    while connections:
        connections.pop().close()


def seconds_in(response: HTTPResponse) -> float:
    """How long the server asks to be left alone."""
    text = response.getheader("Retry-After") or ""
    return float(text) if text.isascii() and text.isdigit() else 0.0


def messages(response: HTTPResponse) -> Iterator[Message]:
    """The events that a stream sends; what is cut off is none."""
    event, data = "", ""
    while line := response.readline(_LONGEST_LINE):
        name, _, value = line.decode().rstrip("\r\n").partition(":")
        if name == "event":
            event = value.strip()
        elif name == "data":
            data += value
        elif not name and not value and data:
            yield Message(event, data)
            event, data = "", ""
