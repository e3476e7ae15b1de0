"""Connections: answers are not delayed, and half-sent requests do not block others."""

import asyncio
import contextlib
import logging
import resource
import socket
from contextlib import asynccontextmanager
from functools import partial

import pytest
import uvicorn
from uvicorn.server import ServerState
from waiting import WAIT_TIMEOUT

from hegemon.server.config import ConnectionLimits
from hegemon.server.logging import OncePerSecond
from hegemon.server.runner import listening_socket
from hegemon.server.security import connections
from hegemon.server.security.connections import LimitedProtocol, OpenConnections, raise_file_limit
from hegemon.server.security.rate_limit import OpenCounts

HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"
SOON, NEVER = 0.05, 3600


async def echo(scope, receive, send):
    """An application that answers when the whole body has arrived."""
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body, more = body + message["body"], message["more_body"]
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]}
    )
    await send({"type": "http.response.body", "body": body})


@asynccontextmanager
async def listening(most=1000, app=echo, **limits):
    """The port of a server with these limits."""
    open_connections = OpenConnections(limits_with(**limits), most)
    async with listening_with(open_connections, app) as port:
        yield port


def limits_with(**limits):
    """These limits, and no other timeouts."""
    return ConnectionLimits(**{"head_timeout": NEVER, "body_timeout": NEVER} | limits)


@asynccontextmanager
async def listening_with(open_connections, app=echo):
    """The port of a server that counts its connections in `open_connections`."""
    config = uvicorn.Config(app, log_config=None, timeout_keep_alive=NEVER)
    protocol = partial(
        LimitedProtocol,
        config=config,
        server_state=ServerState(),
        app_state={},
        open_connections=open_connections,
    )
    server = await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


@asynccontextmanager
async def connected(port):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield reader, writer
    finally:
        writer.close()


async def until_closed(reader):
    """What the server still sends before it closes the connection."""
    async with asyncio.timeout(WAIT_TIMEOUT):
        try:
            return await reader.read()
        except ConnectionResetError:
            return b""


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
async def test_small_answers_are_sent_at_once(host):
    accepted = asyncio.get_running_loop().create_future()

    def accept(_, writer):
        accepted.set_result(
            writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        )
        writer.close()

    with listening_socket(host, 0) as listener:
        async with await asyncio.start_server(accept, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname()[:2])
            assert await accepted
            writer.close()


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: x\r\n"])
async def test_a_head_that_does_not_arrive_times_out(sent):
    async with listening(head_timeout=SOON) as port, connected(port) as (reader, writer):
        writer.write(sent)
        assert await until_closed(reader) == b""


async def test_a_body_that_does_not_arrive_times_out():
    async with listening(body_timeout=SOON) as port, connected(port) as (reader, writer):
        writer.write(HEAD + b"12345")
        assert await until_closed(reader) == b""


@pytest.mark.parametrize(
    ("start", "piece"),
    [(b"GET / HTTP/1.1\r\n", b"a: b\r\n"), (HEAD.replace(b"10", b"1000000"), b"1")],
    ids=["head", "body"],
)
async def test_a_request_in_many_small_pieces_times_out(start, piece):
    limits = {"head_timeout": 0.5, "body_timeout": 0.5}
    async with listening(**limits) as port, connected(port) as (reader, writer):
        writer.write(start)
        closed = asyncio.create_task(until_closed(reader))
        while not closed.done():
            writer.write(piece)
            await asyncio.wait([closed], timeout=0.05)
        assert b"200" not in closed.result()


async def test_the_second_request_of_a_connection_times_out_too():
    async with listening(body_timeout=SOON) as port, connected(port) as (reader, writer):
        writer.write(HEAD + b"1234567890" + HEAD + b"12345")  # before the first is answered
        assert (await until_closed(reader)).endswith(b"1234567890")


async def test_a_request_behind_a_slow_one_does_not_time_out():
    answered = asyncio.Event()

    async def slow(scope, receive, send):
        if scope["path"] == "/slow":
            await answered.wait()
        await echo(scope, receive, send)

    async with listening(app=slow, body_timeout=SOON) as port, connected(port) as (reader, writer):
        writer.write(HEAD.replace(b"/ ", b"/slow ") + b"1234567890" + HEAD + b"12345")
        await asyncio.sleep(3 * SOON)  # the server does not read on while it is slow
        answered.set()
        assert (await reader.readuntil(b"1234567890")).startswith(b"HTTP/1.1 200")


async def test_a_body_that_is_answered_early_times_out_too():
    async def early(scope, receive, send):
        await send({"type": "http.response.start", "status": 413, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    async with listening(app=early, body_timeout=SOON) as port, connected(port) as (reader, writer):
        writer.write(HEAD + b"12345")
        assert (await until_closed(reader)).startswith(b"HTTP/1.1 413")


async def test_empty_lines_between_requests_do_not_hold_a_connection():
    open_connections = OpenConnections(limits_with(), 1000)
    async with listening_with(open_connections) as port, connected(port) as (reader, writer):
        writer.write(HEAD + b"1234567890")
        await reader.readuntil(b"1234567890")
        open_connections.limits = limits_with(head_timeout=SOON)  # not for the first head, which may be late
        writer.write(b"\r\n")
        assert await until_closed(reader) == b""


@pytest.mark.parametrize("start", [b"GET / HTTP/1.1\r\na: ", b"GET /"], ids=["header", "address"])
async def test_a_head_that_is_too_long_is_rejected(start):
    async with listening() as port, connected(port) as (reader, writer):
        writer.write(start.ljust(2**16 + 1, b"a"))  # nothing is left unread, which would reset the connection
        assert (await until_closed(reader)).startswith(b"HTTP/1.1 431")


@pytest.mark.parametrize(
    "request_line",
    [
        b"GET /\xff HTTP/1.1",
        b"GET /?\xff HTTP/1.1",
        b"GET nowhere HTTP/1.1",
        b"GET http://x HTTP/1.1",
        b"CONNECT x:443 HTTP/1.1",
        b"ABSURD / HTTP/1.1",
        b"GET / HTTP/9.9",
    ],
)
async def test_an_invalid_request_is_answered_with_400(request_line):
    async with listening() as port, connected(port) as (reader, writer):
        writer.write(request_line + b"\r\nHost: x\r\n\r\n")
        assert (await until_closed(reader)).startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize(
    "headers",
    [
        b"Content-Length: 10\r\nTransfer-Encoding: chunked\r\n",
        b"Content-Length: 10\r\nContent-Length: 11\r\n",
        b"Transfer-Encoding: gzip\r\n",
        b"Transfer-Encoding: chunked, gzip\r\n",
        b"Content-Length: +10\r\n",
        b"Content-Length : 10\r\n",
        b"A: b\r\n folded\r\n",
        b"A: b\nC: d\r\n",
        b"A: \x00\r\n",
    ],
)
async def test_ambiguous_requests_are_rejected(headers):
    """Anything that a proxy and the server interpret differently would let one request hide in another."""
    async with listening() as port, connected(port) as (reader, writer):
        writer.write(b"POST / HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\n0\r\n\r\n")
        answer = await until_closed(reader)
        assert answer.startswith(b"HTTP/1.1 400")
        assert answer.count(b"HTTP/1.1") == 1


async def test_a_connection_between_two_requests_waits_for_the_next():
    async with listening() as port, connected(port) as (reader, writer):
        for number in range(3):
            for piece in (HEAD[:20], HEAD[20:], b"12345", b"1234%d" % number):
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0)
            answer = await reader.readuntil(b"12345" + b"1234%d" % number)
            assert answer.startswith(b"HTTP/1.1 200")


async def test_one_address_cannot_take_all_connections(monkeypatch):
    monkeypatch.setattr(connections, "network_of", lambda host: host)
    async with listening(address=2) as port, connected(port), connected(port) as (reader, writer):
        async with connected(port) as (third, _):
            assert b"503" in await until_closed(third)
        writer.write(HEAD + b"1234567890")  # those that came first are served
        assert (await reader.readuntil(b"1234567890")).startswith(b"HTTP/1.1 200")
        writer.close()
        while True:  # the server notices a little later that one has left
            async with connected(port) as (reader, writer):
                writer.write(HEAD + b"1234567890")
                with contextlib.suppress(ConnectionResetError):
                    if b"200" in await reader.readline():
                        break


async def unanswered(scope, receive, send):
    """An application that does not answer before the client leaves."""
    while (await receive())["type"] != "http.disconnect":
        pass


@pytest.mark.parametrize(("most", "total"), [(1, 1000), (1000, 1)])
async def test_connections_are_limited_in_total(most, total):
    begun = asyncio.Event()

    async def waiting(scope, receive, send):
        begun.set()
        await unanswered(scope, receive, send)

    async with listening(most=most, total=total, app=waiting) as port, connected(port) as (_, writer):
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await begun.wait()
        async with connected(port) as (reader, _):
            assert b"too many connections" in await until_closed(reader)


async def test_a_connection_without_a_request_gives_way_to_another():
    async with listening(total=2) as port, connected(port) as (first, _), connected(port) as (second, writer):
        writer.write(HEAD[:20])
        async with connected(port) as (reader, writer):
            assert await until_closed(first) == b""
            writer.write(HEAD + b"1234567890")
            assert (await reader.readuntil(b"1234567890")).startswith(b"HTTP/1.1 200")
            async with connected(port) as (reader, writer):
                assert await until_closed(second) == b""
                writer.write(HEAD + b"1234567890")
                assert (await reader.readuntil(b"1234567890")).startswith(b"HTTP/1.1 200")


def test_a_network_that_has_left_is_forgotten():
    counted = OpenCounts(1)
    for _ in range(3):
        assert counted.enter("203.0.113.7")
        assert not counted.enter("203.0.113.7")
        assert counted.enter(None)
        for network in ("203.0.113.7", "203.0.113.7", None):
            counted.leave(network)
    assert (counted.total, counted._networks) == (0, {})


def test_the_server_opens_as_many_files_as_the_system_permits():
    soft, hard = before = resource.getrlimit(resource.RLIMIT_NOFILE)
    lower = min(soft, 512)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (lower, hard))
        most = raise_file_limit()
        now, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        assert now == (min(hard, 65_536) if hard != resource.RLIM_INFINITY else 65_536)
        assert most == now - 100
        assert raise_file_limit() == most
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


# ------------------------------------------------------------------ the log


def warning(message, error=None, level=logging.ERROR):
    info = (type(error), error, None) if error else None
    return logging.LogRecord("asyncio", level, __file__, 1, message, (), info)


def test_repeated_errors_are_logged_once_a_second_with_their_count():
    now = 0.0
    once = OncePerSecond(lambda: now)
    storm = [warning(f"socket.accept() failed\nsocket: {n}", OSError()) for n in range(1000)]
    assert [once.filter(record) for record in storm] == [True] + [False] * 999
    assert once.filter(warning("socket.accept() failed", ValueError()))
    assert once.filter(warning("another"))
    now = 1.0
    assert once.filter(again := warning("socket.accept() failed", OSError()))
    assert again.facts == {"repeated": 999}
    now = 2.0
    assert once.filter(last := warning("socket.accept() failed", OSError()))
    assert not hasattr(last, "facts")


def test_lines_below_warning_are_always_logged_and_kinds_are_limited(monkeypatch):
    monkeypatch.setattr("hegemon.server.logging._MAX_KINDS", 2)
    once = OncePerSecond(lambda: 0.0)
    assert all(once.filter(warning("request", level=logging.INFO)) for _ in range(5))
    assert [once.filter(warning(name)) for name in "aabcc"] == [True, False, True, True, False]
