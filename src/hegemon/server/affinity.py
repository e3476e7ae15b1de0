"""Affinity of games to workers: connections are handed over to the worker that serves the game they ask for.

Any worker can serve any game. But each worker that shows a game has to load its changes, so a game costs least if one
worker serves all of its players.
"""

import asyncio
import os
import re
import socket
import zlib
from collections.abc import Callable, MutableSequence, Sequence
from dataclasses import dataclass
from multiprocessing.context import SpawnContext
from typing import Final

#: The beginning of a request that concerns a game, with the whole id of the game.
_GAME_REQUEST: Final = re.compile(rb"[A-Z]+ /(?:api/)?games/([^/?\s]+)[/?\s]")

#: The maximum number of received bytes that are handed over with a connection.
_MAX_RECEIVED: Final = 2**16


def worker_for(received: bytes, workers: int) -> int | None:
    """The number of the worker that serves the game of a request; None if the request does not name a game."""
    found = _GAME_REQUEST.match(received)
    return zlib.crc32(found[1]) % workers if found is not None else None


@dataclass(frozen=True)
class Affinity:
    """The connections of one worker to the other workers behind the same port."""

    worker: int
    """The number of this worker."""
    receiver: socket.socket
    senders: Sequence[socket.socket]
    """By worker: where to send a connection with the bytes that have been received on it."""
    serving: MutableSequence[int]
    """By worker: 1 while it serves, in memory that all workers share."""

    def set_serving(self, is_serving: bool) -> None:
        self.serving[self.worker] = is_serving

    def hand_over(self, connection: int, received: bytes) -> bool:
        """Send a connection, with the beginning of a request, to the worker that serves its game.

        Returns whether the other worker has it now. If that is this worker, or cannot take it, this worker goes on.
        """
        worker = worker_for(received, len(self.senders))
        if (
            worker is None
            or worker == self.worker
            or not self.serving[worker]
            or len(received) > _MAX_RECEIVED
        ):
            return False
        try:
            socket.send_fds(self.senders[worker], [received], [connection])
        except OSError:  # its queue is full, or the request is too large for one message
            return False
        return True

    def listen(self, accept: Callable[[socket.socket, bytes], None]) -> None:
        """Accept the connections that other workers hand over, until `close`."""
        asyncio.get_running_loop().add_reader(self.receiver, self._receive, accept)

    def close(self) -> None:
        self.set_serving(False)
        asyncio.get_running_loop().remove_reader(self.receiver)

    def _receive(self, accept: Callable[[socket.socket, bytes], None]) -> None:
        try:
            received, connections, _, _ = socket.recv_fds(self.receiver, _MAX_RECEIVED, 1)
        except BlockingIOError:
            return
        for number in connections:
            os.set_inheritable(number, False)
            connection = socket.socket(fileno=number)
            connection.setblocking(False)
            accept(connection, received)


def close_sockets(affinities: Sequence[Affinity]) -> None:
    """Close the connections between all workers; connections that wait for a worker are closed with them."""
    for affinity in affinities:
        affinity.receiver.close()
        affinity.senders[affinity.worker].close()


def affinities(context: SpawnContext, workers: int) -> list[Affinity] | None:
    """The affinity of each worker; None if the system cannot hand over connections."""
    if not hasattr(socket, "send_fds"):
        return None
    pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(workers)]
    for pair in pairs:
        for end in pair:
            end.setblocking(False)
    serving = context.RawArray("b", workers)
    senders = [sender for _, sender in pairs]
    return [Affinity(worker, receiver, senders, serving) for worker, (receiver, _) in enumerate(pairs)]
