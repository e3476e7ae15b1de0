"""The clients' log of one table in JSON lines, and the final state of the table in the database.

A request is two lines: its invocation (`invoke`), and its completion, which is `ok`, `fail` (rejected: it has changed
nothing) or `info` (unknown: no response, or one that does not tell whether something was saved). A request without a
completion is unknown as well. A stream is one line when it is opened (`stream`), and one for each `event` and each
`message`. At the end, an auditor reads the whole game again from every worker (`audit`). Times are seconds of one
monotonic clock; seats count from 0, and -1 is a spectator.
"""

import itertools
import json
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Self, TextIO

#: Outcomes of a request.
OK, FAIL, INFO = "ok", "fail", "info"

#: Kinds of requests.
CREATE, JOIN, READ, MOVE, CHAT, RETURN = "create", "join", "read", "move", "chat", "return"

Facts = dict[str, Any]


def digest(data: object) -> str:
    """A short digest of JSON data, independent of the order of its keys."""
    return sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]


# ------------------------------------------------------------------ writing


class Log:
    """The log of all clients of one table."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._numbers = itertools.count(1)

    def invoke(self, client: str, kind: str, worker: int, seat: int = -1, /, **sent: Any) -> int:
        """Log a request before it is sent; return its number."""
        return self._numbered("invoke", client=client, kind=kind, worker=worker, seat=seat, sent=sent)

    def complete(self, number: int, outcome: str, /, **answer: Any) -> None:
        self._write(outcome, number=number, answer=answer)

    def stream(self, client: str, worker: int, seat: int, since: int) -> int:
        """Log a stream before it is opened; return its number."""
        return self._numbered("stream", client=client, worker=worker, seat=seat, since=since)

    def event(self, stream: int, version: int, events: list[Facts]) -> None:
        self._write("event", stream=stream, version=version, events=events)

    def message(self, stream: int, number: int, seat: int, text: str) -> None:
        self._write("message", stream=stream, message=number, seat=seat, text=text)

    def audit(self, worker: int, seat: int, version: int) -> None:
        """Log up to which version a worker serves the game at the end."""
        self._write("audit", worker=worker, seat=seat, version=version)

    def _numbered(self, kind: str, /, **facts: Any) -> int:
        number = next(self._numbers)
        self._write(kind, number=number, **facts)
        return number

    def _write(self, kind: str, /, **facts: Any) -> None:
        line = {"type": kind, "at": time.monotonic(), **facts}
        self._file.write(json.dumps(line, separators=(",", ":")) + "\n")

    def close(self) -> None:
        self._file.close()


# ------------------------------------------------------------------ reading


@dataclass
class Request:
    """A request of a client: when it began and ended, and its outcome."""

    client: str
    kind: str
    worker: int
    seat: int
    sent: Facts
    began: float
    ended: float = float("inf")
    outcome: str = INFO
    answer: Facts = field(default_factory=dict)


@dataclass(frozen=True)
class StreamEvent:
    """The events of a version, as a stream sent them."""

    version: int
    events: list[Facts]
    at: float


@dataclass(frozen=True)
class StreamMessage:
    """A chat message, as a stream sent it."""

    number: int
    seat: int
    text: str


@dataclass
class Stream:
    """A stream with everything that it sent."""

    client: str
    worker: int
    seat: int
    since: int
    events: list[StreamEvent] = field(default_factory=list)
    messages: list[StreamMessage] = field(default_factory=list)


@dataclass(frozen=True)
class Audit:
    """The last version that a worker served to a seat at the end."""

    worker: int
    seat: int
    version: int


@dataclass
class History:
    """Everything that clients sent and received at one table."""

    requests: list[Request] = field(default_factory=list)
    streams: list[Stream] = field(default_factory=list)
    audits: list[Audit] = field(default_factory=list)

    @classmethod
    def read(cls, lines: Iterable[str]) -> Self:
        """Read a log; an incomplete last line is ignored."""
        history, requests, streams = cls(), dict[int, Request](), dict[int, Stream]()
        for line in _complete_lines(lines):
            facts = json.loads(line)
            match facts["type"]:
                case "invoke":
                    request = Request(
                        *(facts[name] for name in ("client", "kind", "worker", "seat", "sent", "at"))
                    )
                    history.requests.append(request)
                    requests[facts["number"]] = request
                case "ok" | "fail" | "info":
                    request = requests[facts["number"]]
                    request.ended, request.outcome = facts["at"], facts["type"]
                    request.answer = facts["answer"]
                case "stream":
                    stream = Stream(*(facts[name] for name in ("client", "worker", "seat", "since")))
                    history.streams.append(stream)
                    streams[facts["number"]] = stream
                case "event":
                    event = StreamEvent(facts["version"], facts["events"], facts["at"])
                    streams[facts["stream"]].events.append(event)
                case "message":
                    message = StreamMessage(facts["message"], facts["seat"], facts["text"])
                    streams[facts["stream"]].messages.append(message)
                case "audit":
                    history.audits.append(Audit(facts["worker"], facts["seat"], facts["version"]))
                case other:
                    raise ValueError(f"unknown line of a log: {other}")
        return history

    def of_kind(self, kind: str) -> list[Request]:
        return [request for request in self.requests if request.kind == kind]

    def by_key(self, kind: str) -> dict[str, list[Request]]:
        """The requests of a kind by their idempotency key: the first one, and its repetitions."""
        found = defaultdict[str, list[Request]](list)
        for request in self.of_kind(kind):
            found[request.sent["key"]].append(request)
        return found


def _complete_lines(lines: Iterable[str]) -> Iterator[str]:
    return (line for line in lines if line.endswith("\n"))


# ------------------------------------------------------------------ the final state


@dataclass(frozen=True)
class FinalMove:
    """A move or an undo in the database."""

    version: int
    seat: int
    choice: str
    key: str | None = None
    """The idempotency key; None for the move of a bot, and in a game that has been archived."""


@dataclass(frozen=True)
class FinalSubstitution:
    """A substitute bot took over a seat after that version, or its player returned (`back`)."""

    version: int
    seat: int
    reason: str


@dataclass(frozen=True)
class FinalMessage:
    number: int
    seat: int
    text: str
    key: str | None = None


@dataclass(frozen=True)
class Final:
    """The state of a table in the database at the end of the run."""

    game: str
    record: str
    """The record of the deal, without moves."""
    moves: tuple[FinalMove, ...]
    bots: frozenset[int] = frozenset()
    """The seats that belong to bots."""
    substitutions: tuple[FinalSubstitution, ...] = ()
    messages: tuple[FinalMessage, ...] = ()
    is_archived: bool = False
    """Whether the server has packed the moves of the finished game, and dropped their keys."""

    def with_keys_of(self, earlier: "Final") -> "Final":
        """The same state with the keys that an earlier one had for the same moves."""
        keys = {(move.version, move.seat, move.choice): move.key for move in earlier.moves}
        moves = (
            replace(move, key=move.key or keys.get((move.version, move.seat, move.choice)))
            for move in self.moves
        )
        return replace(self, moves=tuple(moves), is_archived=self.is_archived and earlier.is_archived)

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self) | {"bots": sorted(self.bots)}) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Self:
        facts = json.loads(path.read_text(encoding="utf-8"))
        return cls(
            facts["game"],
            facts["record"],
            tuple(FinalMove(**move) for move in facts["moves"]),
            frozenset(facts["bots"]),
            tuple(FinalSubstitution(**substitution) for substitution in facts["substitutions"]),
            tuple(FinalMessage(**message) for message in facts["messages"]),
            facts["is_archived"],
        )
