"""The ids of requests: each belongs to a trace, which a proxy or a program may have begun (W3C Trace Context)."""

import os
import re
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

#: The version, the trace id, the id of the parent, the flags; later versions may add fields.
_TRACEPARENT: Final = re.compile(
    rb"(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-[\x21-\x7e]*)?"
)

_FIRST_VERSION: Final = b"00"


@dataclass(frozen=True)
class Trace:
    """The ids of a request, in hexadecimal."""

    trace_id: str
    """The id shared by everything that was caused by the same event."""
    span_id: str
    """The id of this request within the trace."""


#: The trace of the current request; tasks that a request starts belong to it.
CURRENT: Final[ContextVar[Trace | None]] = ContextVar("trace", default=None)


def new_trace(headers: Iterable[tuple[bytes, bytes]]) -> Trace:
    """The ids of a request with these headers: it continues the trace of its caller, or begins a new one."""
    ids = os.urandom(24).hex()
    return Trace(continued_trace_id(headers) or ids[:32], ids[32:])


def continued_trace_id(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """The trace id in a `traceparent` header; empty if there is none, several, or one that is malformed."""
    values = [value for name, value in headers if name == b"traceparent"]
    match = _TRACEPARENT.fullmatch(values[0]) if len(values) == 1 else None
    if match is None or (match[1] == _FIRST_VERSION and match[3] is not None):
        return ""
    return match[2].decode()


def current_trace_id() -> str:
    """The id by which a host finds the current request in the log; empty outside requests."""
    trace = CURRENT.get()
    return trace.trace_id if trace is not None else ""
