"""What the server notes: one line an event, for people or for programs.

No token, cookie, name, word or card is ever noted; of an address only its pattern, for the rest may hold a token.
"""

import json
import logging
import sys
import time
import traceback
from asyncio import CancelledError
from datetime import UTC, datetime
from typing import Any, Final, TextIO

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

LOG: Final = logging.getLogger("hegemon.server")

#: How the log is written, and from which weight on: a program can leave out what it does not need.
FORMS: Final = {"json": logging.DEBUG, "text": logging.INFO, "quiet": logging.ERROR}

#: Whose events are written, and from which weight on; asyncio warns of every reader who went away without a word.
LOGGERS: Final = {"hegemon.server": logging.DEBUG, "uvicorn": logging.WARNING, "asyncio": logging.ERROR}


def note(event: str, level: int = logging.INFO, **facts: Any) -> None:
    """Note that something happened."""
    LOG.log(level, event, extra={"facts": facts})


class JsonLines(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        return json.dumps(
            {
                "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
                "level": record.levelname.lower(),
                "event": record.getMessage(),
                **facts_of(record),
            }
        )


class PlainLines(logging.Formatter):
    """A line to read."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        facts = " ".join(f"{name}={value}" for name, value in facts_of(record).items())
        when = datetime.fromtimestamp(record.created).strftime("%H:%M:%S")
        return f"{when} {record.getMessage()} {facts}".rstrip()


def facts_of(record: logging.LogRecord) -> dict[str, Any]:
    """The facts of an event; of an error where it happened, but not what it says, for that may quote what is hidden."""
    facts = dict(getattr(record, "facts", {}))
    if record.exc_info and record.exc_info[1] is not None:
        error = record.exc_info[1]
        facts["error"] = type(error).__name__
        facts["where"] = [
            f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)
        ]
    return facts


def is_worth_noting(record: logging.LogRecord) -> bool:
    """A reader who had stopped reading, and is cut off when the server stops, is no mistake of ours."""
    return not (record.exc_info and isinstance(record.exc_info[1], CancelledError))


def set_up(form: str | None, stream: TextIO | None = None) -> None:
    """Write the log in that form to standard error; without one, to read where there is a terminal."""
    stream = stream if stream is not None else sys.stderr
    form = form or ("text" if stream.isatty() else "json")
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines() if form == "json" else PlainLines())
    handler.addFilter(is_worth_noting)
    for name, least in LOGGERS.items():
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(max(FORMS[form], least))
        logger.propagate = False


def noting_requests(app: ASGIApp) -> ASGIApp:
    """Note every request: what it was for, how it was answered, and how long that took."""

    async def noted(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP or not LOG.isEnabledFor(logging.INFO):
            await app(scope, receive, send)
            return
        began, status = time.perf_counter(), 0

        async def answering(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                path = scope.get("path_template") or "unknown"
                note(
                    "request",
                    logging.DEBUG if status < 400 else logging.INFO,
                    method=scope.get("method"),
                    path=path,
                    status=status,
                    milliseconds=round((time.perf_counter() - began) * 1000, 1),
                )
            await send(message)

        await app(scope, receive, answering)

    return noted
