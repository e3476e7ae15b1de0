"""Workers behind one port hand connections over, so that one worker serves all requests for a game."""

import asyncio
import socket
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from multiprocessing import get_context

import pytest
import uvicorn
from uvicorn.server import ServerState
from waiting import wait_until

from hegemon.server.affinity import affinities, close_sockets, worker_for
from hegemon.server.config import ConnectionLimits
from hegemon.server.security.connections import LimitedProtocol, OpenConnections

WORKERS = 3

#: A game for each worker.
GAMES = [
    next(
        name
        for name in map(str, range(100))
        if worker_for(b"GET /games/%s " % name.encode(), WORKERS) == worker
    )
    for worker in range(WORKERS)
]


class Worker:
    """A test worker whose app responds with the number of the worker and the body of the request."""

    def __init__(self, affinity):
        self.affinity = affinity
        self.open = OpenConnections(ConnectionLimits(), 1000)
        self._accepting = []
        self._protocol = partial(
            LimitedProtocol,
            config=uvicorn.Config(self.app, log_config=None, interface="asgi3"),
            server_state=ServerState(),
            app_state={},
            open_connections=self.open,
            hand_over=affinity.hand_over,
        )

    async def app(self, scope, receive, send):
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message["body"], message["more_body"]
        answer = b"%d %s %s;" % (self.affinity.worker, scope["path"].encode(), body)
        headers = [(b"content-length", b"%d" % len(answer))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})

    def accept(self, connection, received):
        protocol = partial(self._protocol, received=received)
        accepting = asyncio.get_running_loop().connect_accepted_socket(protocol, connection)
        self._accepting.append(asyncio.ensure_future(accepting))

    @asynccontextmanager
    async def serving(self):
        """Serve on a port of its own; the workers of a real server share one port."""
        self.affinity.listen(self.accept)
        self.affinity.set_serving(True)
        server = await asyncio.get_running_loop().create_server(self._protocol, "127.0.0.1", 0)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            self.affinity.close()
            for transport, _ in await asyncio.gather(*self._accepting):
                transport.abort()


@pytest.fixture
async def workers():
    found = [Worker(affinity) for affinity in affinities(get_context("spawn"), WORKERS)]
    async with AsyncExitStack() as stack:
        for worker in found:
            worker.port = await stack.enter_async_context(worker.serving())
        yield found
    close_sockets([worker.affinity for worker in found])


@asynccontextmanager
async def connected(worker):
    reader, writer = await asyncio.open_connection("127.0.0.1", worker.port, limit=2**20)

    async def ask(path, body=b""):
        request = (
            b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % (path.encode(), len(body)) + body
        )
        writer.write(request)
        return (await reader.readuntil(b";")).rpartition(b"\r\n\r\n")[2].decode()

    try:
        yield ask
    finally:
        writer.close()


def test_all_requests_for_a_game_go_to_the_same_worker():
    for path in (
        "/games/abc",
        "/games/abc/stream?seat=1",
        "/api/games/abc",
        "/api/games/abc/moves",
        "/games/abc?x",
    ):
        for method in ("GET", "POST"):
            request = f"{method} {path} HTTP/1.1\r\n".encode()
            assert worker_for(request, 7) == worker_for(b"GET /games/abc HTTP/1.1", 7)
    for beginning in (b"G", b"GET /games/", b"GET /games/ab", b"GET /games/abc"):  # the id may be incomplete
        assert worker_for(beginning, 7) is None
    for path in ("/", "/games", "/games/", "/api/games", "/static/games/abc", "/me/games/abc"):
        assert worker_for(f"GET {path} HTTP/1.1\r\n".encode(), 7) is None
    assert {worker_for(b"GET /games/%d " % number, 7) for number in range(100)} == set(range(7))


async def test_a_connection_goes_to_the_worker_of_its_game(workers):
    for first in workers:
        for number, game in enumerate(GAMES):
            async with connected(first) as ask:
                assert await ask(f"/games/{game}/moves", b"M") == f"{number} /games/{game}/moves M;"


async def test_a_connection_is_handed_over_again_for_a_game_of_another_worker(workers):
    async with connected(workers[0]) as ask:
        assert await ask("/") == "0 / ;"
        for number in (1, 1, 2, 0, 2):
            assert await ask(f"/api/games/{GAMES[number]}") == f"{number} /api/games/{GAMES[number]} ;"
        assert await ask("/") == "2 / ;"


async def test_a_connection_is_counted_by_the_worker_that_serves_it(workers):
    async with connected(workers[0]) as ask:
        await ask(f"/games/{GAMES[1]}")
        await wait_until(lambda: not workers[0].open.total)  # closed a little later
        assert [worker.open.total for worker in workers] == [0, 1, 0]
        assert not any(worker.open.incomplete for worker in workers)


@pytest.mark.parametrize("cut", [1, 12])
async def test_a_connection_is_not_handed_over_if_the_id_arrives_in_parts(workers, cut):
    reader, writer = await asyncio.open_connection("127.0.0.1", workers[0].port)
    game = next(
        name for name in map(str, range(1000, 2000)) if worker_for(f"GET /games/{name} ".encode(), WORKERS)
    )
    request = f"GET /games/{game} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    writer.write(request[:cut])
    await wait_until(lambda: any(protocol._head_size for protocol in workers[0].open.incomplete))
    writer.write(request[cut:])
    assert (await reader.readuntil(b";")).endswith(f"0 /games/{game} ;".encode())
    writer.close()


async def test_a_large_request_arrives_whole(workers):
    body = bytes(97 + number % 26 for number in range(200_000))
    async with connected(workers[0]) as ask:
        answer = await ask(f"/games/{GAMES[1]}", body)
        assert answer.endswith(f" /games/{GAMES[1]} {body.decode()};")


async def test_a_worker_that_is_not_serving_gets_no_connections(workers):
    workers[1].affinity.set_serving(False)
    async with connected(workers[0]) as ask:
        assert await ask(f"/games/{GAMES[1]}") == f"0 /games/{GAMES[1]} ;"


async def test_a_worker_whose_queue_is_full_gets_no_more_connections(workers):
    asyncio.get_running_loop().remove_reader(workers[1].affinity.receiver)
    with socket.socket() as waiting:
        request = f"GET /games/{GAMES[1]} HTTP/1.1\r\n".encode()
        while workers[0].affinity.hand_over(waiting.fileno(), request):
            pass
        async with connected(workers[0]) as ask:
            assert await ask(f"/games/{GAMES[1]}") == f"0 /games/{GAMES[1]} ;"


async def test_pipelined_requests_are_served_by_the_same_worker(workers):
    reader, writer = await asyncio.open_connection("127.0.0.1", workers[0].port)
    requests = [f"GET /games/{game} HTTP/1.1\r\nHost: x\r\n\r\n" for game in (GAMES[1], GAMES[2])]
    writer.write("".join(requests).encode())
    assert (await reader.readuntil(b";")).endswith(f"1 /games/{GAMES[1]} ;".encode())
    assert (await reader.readuntil(b";")).endswith(f"1 /games/{GAMES[2]} ;".encode())
    writer.close()


def test_systems_that_cannot_hand_over_connections_have_no_affinity(monkeypatch):
    monkeypatch.delattr(socket, "send_fds")
    assert affinities(get_context("spawn"), 2) is None
