"""The proxy forwards everything, and can create every kind of partition."""

import asyncio

import pytest
from chaos.proxy import Proxy
from waiting import WAIT_TIMEOUT, wait_until


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
async def received():
    """What has arrived at the server behind the proxy."""
    return []


@pytest.fixture
async def proxy(received):
    """A proxy before a server that echoes lines."""

    async def echo(reader, writer):
        while line := await reader.readline():
            received.append(line)
            writer.write(line)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    proxy = Proxy(server.sockets[0].getsockname()[1])
    await proxy.start()
    yield proxy
    await proxy.close()
    server.close()


async def is_lost(reader):
    """Whether a connection ends without another line."""
    try:
        async with asyncio.timeout(WAIT_TIMEOUT):
            return await reader.readline() == b""
    except ConnectionError:
        return True


async def connect(proxy):
    return await asyncio.open_connection("127.0.0.1", proxy.port)


async def test_it_forwards_in_both_directions(proxy):
    reader, writer = await connect(proxy)
    writer.write(b"one\n")
    assert await reader.readline() == b"one\n"
    writer.write_eof()
    assert await reader.read() == b""
    writer.close()


async def test_a_cut_ends_connections_and_refuses_new_ones_until_it_is_healed(proxy):
    reader, writer = await connect(proxy)
    writer.write(b"one\n")
    assert await reader.readline() == b"one\n"
    proxy.cut()
    assert await is_lost(reader)
    writer.close()
    again, writer = await connect(proxy)
    assert await is_lost(again)
    writer.close()
    proxy.heal()
    reader, writer = await connect(proxy)
    writer.write(b"two\n")
    assert await reader.readline() == b"two\n"
    writer.close()


async def test_stalled_data_arrives_when_the_proxy_is_healed(proxy, received):
    reader, writer = await connect(proxy)
    proxy.stall()
    writer.write(b"late\n")
    await writer.drain()
    await asyncio.sleep(0.05)
    assert received == []
    proxy.heal()
    assert await reader.readline() == b"late\n"
    writer.close()


async def test_answers_are_lost_although_the_request_arrives(proxy, received):
    reader, writer = await connect(proxy)
    proxy.lose_answers()
    writer.write(b"one\n")
    await wait_until(lambda: received == [b"one\n"])
    await wait_until(lambda: all(connection.is_lossy for connection in proxy._connections))
    proxy.heal()
    assert await is_lost(reader)
    writer.close()


async def test_a_half_closed_connection_still_delivers_answers(proxy, received):
    reader, writer = await connect(proxy)
    writer.write(b"one\n")
    await wait_until(lambda: received == [b"one\n"])
    assert await reader.readline() == b"one\n"
    proxy.half_close()
    assert await is_lost(reader)  # the server has seen the EOF, and closes its side too
    proxy.heal()
    writer.close()


async def test_an_unavailable_server_looks_like_a_lost_connection(proxy):
    target, proxy.target = proxy.target, None
    reader, writer = await connect(proxy)
    assert await is_lost(reader)
    writer.close()
    proxy.target = target
    reader, writer = await connect(proxy)
    writer.write(b"one\n")
    assert await reader.readline() == b"one\n"
    writer.close()
