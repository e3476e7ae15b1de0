"""The log of the server: one line per event, as text or JSON.

Tokens, cookies, names, moves and cards are never logged. Paths are logged as templates, as they may contain tokens.
"""

import json
import logging
import math
import sys
import time
import traceback
from asyncio import CancelledError
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final, TextIO

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from hegemon.server import traces

LOG: Final = logging.getLogger("hegemon.server")

#: The formats of the log, and the level of each.
FORMATS: Final = {"json": logging.DEBUG, "text": logging.INFO, "quiet": logging.ERROR}

#: The loggers whose records are written, with their minimum levels; asyncio warns about every lost connection.
LOGGERS: Final = {"hegemon.server": logging.DEBUG, "uvicorn": logging.WARNING, "asyncio": logging.ERROR}

#: The maximum number of distinct warnings and errors that are remembered to log each at most once a second.
_MAX_KINDS: Final = 1000


def log_event(event: str, level: int = logging.INFO, **facts: Any) -> None:
    LOG.log(level, event, extra={"facts": facts})


class JsonFormatter(logging.Formatter):
    """Formats each record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        return json.dumps(
            {
                "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
                "level": record.levelname.lower(),
                "event": record.getMessage(),
                **facts_of(record),
                **_trace_ids(),
            }
        )


class TextFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        shown = facts_of(record) | ({"trace_id": trace_id} if (trace_id := traces.current_trace_id()) else {})
        facts = " ".join(f"{name}={value}" for name, value in shown.items())
        when = datetime.fromtimestamp(record.created).strftime("%H:%M:%S")
        return f"{when} {record.getMessage()} {facts}".rstrip()


def _trace_ids() -> dict[str, str]:
    """The ids of the request that is being handled, as OpenTelemetry names them."""
    trace = traces.CURRENT.get()
    return {} if trace is None else {"trace_id": trace.trace_id, "span_id": trace.span_id}


def facts_of(record: logging.LogRecord) -> dict[str, Any]:
    """The facts of an event; for an error, the traceback without its message, which may quote cards."""
    facts = dict(getattr(record, "facts", {}))
    if record.exc_info and record.exc_info[1] is not None:
        error = record.exc_info[1]
        facts["error"] = type(error).__name__
        facts["where"] = [
            f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)
        ]
    return facts


class OncePerSecond(logging.Filter):
    """Drops warnings and errors that repeat within a second; the next one says how many were dropped."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._seen: dict[tuple[str, str, type | None], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return True
        # Only the first line: the others name tasks and sockets, which differ.
        kind = record.exc_info[0] if record.exc_info else None
        key = (record.name, record.getMessage().partition("\n")[0], kind)
        last, dropped = self._seen.get(key, (-math.inf, 0))
        if self._clock() - last < 1:
            self._seen[key] = last, dropped + 1
            return False
        if len(self._seen) >= _MAX_KINDS:
            self._seen.clear()
        self._seen[key] = self._clock(), 0
        if dropped:
            record.facts = {**getattr(record, "facts", {}), "repeated": dropped}
        return True


def is_worth_logging(record: logging.LogRecord) -> bool:
    """Whether to log a record; requests that are cancelled because the server is stopping are not worth it."""
    return not (record.exc_info and isinstance(record.exc_info[1], CancelledError))


def configure_logging(log_format: str | None, stream: TextIO | None = None) -> None:
    """Log to standard error in that format; by default text on a terminal, otherwise JSON."""
    stream = stream if stream is not None else sys.stderr
    log_format = log_format or ("text" if stream.isatty() else "json")
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter() if log_format == "json" else TextFormatter())
    handler.addFilter(is_worth_logging)
    handler.addFilter(OncePerSecond())
    for name, level in LOGGERS.items():
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(max(FORMATS[log_format], level))
        logger.propagate = False


def log_requests(app: ASGIApp) -> ASGIApp:
    """Middleware that logs the method, path template, status and duration of every request."""

    async def handle(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP or not LOG.isEnabledFor(logging.INFO):
            await app(scope, receive, send)
            return
        started, status = time.perf_counter(), 0

        async def log_and_send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                path = scope.get("path_template") or "unknown"
                log_event(
                    "request",
                    logging.DEBUG if status < 400 else logging.INFO,
                    method=scope.get("method"),
                    path=path,
                    status=status,
                    milliseconds=round((time.perf_counter() - started) * 1000, 1),
                )
            await send(message)

        await app(scope, receive, log_and_send)

    return handle
