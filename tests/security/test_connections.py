"""Connections: answers are not delayed, and half-sent requests do not keep others out."""

import asyncio
import socket

import pytest

from hegemon.server.runner import take_port


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
async def test_small_answers_are_sent_at_once(host):
    accepted = asyncio.get_running_loop().create_future()

    def connected(_, writer):
        accepted.set_result(
            writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        )
        writer.close()

    with take_port(host, 0) as taken:
        async with await asyncio.start_server(connected, sock=taken):
            _, writer = await asyncio.open_connection(*taken.getsockname()[:2])
            assert await accepted
            writer.close()
