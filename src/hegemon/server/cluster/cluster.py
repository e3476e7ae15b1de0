"""The interface to the other workers, and its implementation for a single worker."""

from collections.abc import Awaitable, Callable, Hashable
from typing import Any, Protocol

#: Called with the id of the worker that has published a message, and with the message.
Handler = Callable[[str, Any], None]


class Cluster(Protocol):
    """The workers that share a database.

    Work without a request, such as a bot's move or a deadline, is divided among them by keys: the id of a game, or
    the name of a background task. Each key has one owner at a time.
    """

    has_others: bool
    """Whether other workers are alive."""

    def owns(self, key: str) -> bool:
        """Whether this worker owns a key now."""
        ...

    async def run_while_owner(self, key: str, work: Callable[[], Awaitable[None]]) -> None:
        """Run `work` whenever this worker owns a key, and cancel it when it no longer does."""
        ...

    def publish(self, kind: str, data: Any, key: Hashable = None) -> None:
        """Send a message to the other workers soon; it replaces a waiting message with the same key.

        A message may get lost, so it is only a hint; the database is authoritative.
        """
        ...

    def subscribe(self, kind: str, handler: Handler) -> None: ...


class SingleWorker:
    """The cluster of a single worker, which owns everything."""

    has_others = False

    def owns(self, key: str) -> bool:
        return True

    async def run_while_owner(self, key: str, work: Callable[[], Awaitable[None]]) -> None:
        await work()

    def publish(self, kind: str, data: Any, key: Hashable = None) -> None:
        """Do nothing: there are no other workers."""

    def subscribe(self, kind: str, handler: Handler) -> None:
        """Do nothing: no other worker sends messages."""
