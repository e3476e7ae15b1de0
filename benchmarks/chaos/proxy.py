"""A TCP proxy on loopback that can partition what it connects."""

import asyncio
import contextlib
from dataclasses import dataclass, field
from typing import Final

_CHUNK: Final = 1 << 16


@dataclass(eq=False)
class _Connection:
    """Both ends of a connection, and the tasks that copy between them."""

    near: asyncio.StreamWriter
    far: asyncio.StreamWriter | None = None
    tasks: list["asyncio.Task[None]"] = field(default_factory=list)
    is_lossy: bool = False
    """Whether bytes were dropped, so that the connection cannot be used any longer."""

    def abort(self) -> None:
        for task in self.tasks:
            task.cancel()
        for writer in (self.near, self.far):
            if writer is not None:
                writer.transport.abort()


class Proxy:
    """Forwards connections to a port of this machine.

    A partition cuts all connections and refuses new ones (`cut`), holds everything back until it is
    over (`stall`), delivers requests but not their answers (`lose_answers`), or ends all connections in one direction
    (`half_close`). `heal` ends the partition.
    """

    def __init__(self, target: int | None = None) -> None:
        self.target = target
        """The port of the server; None while there is none."""
        self._connections: set[_Connection] = set()
        self._cut = False
        self._losing = False
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._server: asyncio.Server | None = None
        self.port = 0

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        self._abort_all()
        self._flowing.set()
        await asyncio.sleep(0)

    def _abort_all(self) -> None:
        for connection in tuple(self._connections):
            connection.abort()

    # ---------------------------------------------------------------- partitions

    def cut(self) -> None:
        self._cut = True
        self._abort_all()

    def stall(self) -> None:
        self._flowing.clear()

    def lose_answers(self) -> None:
        self._losing = True

    def half_close(self) -> None:
        """End all connections toward the server; answers still get through."""
        for connection in self._connections:
            if connection.far is not None:
                connection.is_lossy = True
                with contextlib.suppress(OSError, RuntimeError):
                    connection.far.write_eof()

    def heal(self) -> None:
        self._cut = self._losing = False
        for connection in tuple(self._connections):
            if connection.is_lossy:
                connection.abort()
        self._flowing.set()

    # ---------------------------------------------------------------- connections

    async def _accept(self, reader: asyncio.StreamReader, near: asyncio.StreamWriter) -> None:
        connection = _Connection(near)
        if self._cut or self.target is None:
            connection.abort()
            return
        self._connections.add(connection)
        try:
            far_reader, connection.far = await asyncio.open_connection("127.0.0.1", self.target)
            connection.tasks = [
                asyncio.create_task(self._copy(connection, reader, connection.far, is_answer=False)),
                asyncio.create_task(self._copy(connection, far_reader, near, is_answer=True)),
            ]
            await asyncio.wait(connection.tasks)
        except OSError:  # nothing listens there now
            pass
        finally:
            self._connections.discard(connection)
            connection.abort()

    async def _copy(
        self,
        connection: _Connection,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        is_answer: bool,
    ) -> None:
        try:
            while data := await reader.read(_CHUNK):
                if is_answer and self._losing:
                    connection.is_lossy = True
                if is_answer and connection.is_lossy and self._losing:
                    continue
                await self._flowing.wait()
                writer.write(data)
                await writer.drain()
            await self._flowing.wait()
            writer.write_eof()
        except (OSError, RuntimeError):  # the other side is gone
            connection.abort()
