"""The open streams of sessions, which are closed when a session ends."""

from collections import deque
from collections.abc import Iterable
from typing import Final, Protocol
from weakref import WeakKeyDictionary

#: Where pages of a signed-out device are redirected.
SIGNED_OUT: Final = "/me"

#: The number of ended sessions that are remembered, because a stream may be opened just after its session has ended.
_MAX_ENDED: Final = 1000


class RedirectableStream(Protocol):
    """A stream that can redirect its reader to another page."""

    def redirect(self, path: str) -> None: ...


class SessionStreams:
    def __init__(self) -> None:
        self._sessions: WeakKeyDictionary[RedirectableStream, int] = WeakKeyDictionary()
        self._ended: deque[int] = deque(maxlen=_MAX_ENDED)

    def add(self, stream: RedirectableStream, session_id: int) -> None:
        """Remember a stream of a session until it is closed."""
        self._sessions[stream] = session_id
        if session_id in self._ended:
            stream.redirect(SIGNED_OUT)

    @property
    def open(self) -> frozenset[int]:
        """The sessions with open streams."""
        return frozenset(self._sessions.values())

    def end(self, session_ids: Iterable[int]) -> None:
        """End the streams of sessions that are over."""
        ended = set(session_ids)
        self._ended.extend(ended)
        for stream, session_id in list(self._sessions.items()):
            if session_id in ended:
                stream.redirect(SIGNED_OUT)
