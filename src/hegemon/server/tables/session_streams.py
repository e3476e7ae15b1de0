"""The open streams of sessions, which are closed when a session ends."""

from collections import deque
from collections.abc import Iterable
from typing import Final, Protocol
from weakref import WeakKeyDictionary

#: Where pages of a signed-out device are redirected.
SIGNED_OUT: Final = "/me"

#: The number of ended sessions that are remembered, as a stream may open at the same moment.
_MAX_ENDED: Final = 1000


class Leaving(Protocol):
    """A stream that can send its reader to another page."""

    def leave(self, path: str) -> None: ...


class SessionStreams:
    def __init__(self) -> None:
        self._sessions: WeakKeyDictionary[Leaving, int] = WeakKeyDictionary()
        self._ended: deque[int] = deque(maxlen=_MAX_ENDED)

    def add(self, stream: Leaving, session_id: int) -> None:
        """Remember a stream of a session until it is closed."""
        self._sessions[stream] = session_id
        if session_id in self._ended:
            stream.leave(SIGNED_OUT)

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
                stream.leave(SIGNED_OUT)
