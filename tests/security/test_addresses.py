"""Limits by address: no address, however it is written, is a way around them."""

import asyncio

import pytest
from hostile_requests import record_upload
from server_browser import visiting
from server_config import config_at
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from hegemon.server.config import ConnectionLimits, Limit, Limits
from hegemon.server.security import tokens
from hegemon.server.security.rate_limit import RateLimiter, network_of

STRICT = Limits(address=Limit(0.001, 3), uploads=Limit(0.001, 2))


@pytest.fixture
async def proxied(database):
    """A server behind a proxy on the same machine, as uvicorn runs it."""
    async with visiting(database, config_at(database, limits=STRICT)) as client:
        client._transport.app = ProxyHeadersMiddleware(client.app)
        yield client


async def statuses(client, addresses):
    return [
        (await client.get("/rules", headers={"x-forwarded-for": address})).status_code
        for address in addresses
    ]


async def test_a_network_of_64_bits_counts_as_one_address(proxied):
    assert await statuses(proxied, [f"2001:db8::{n}" for n in range(1, 6)]) == [200] * 3 + [429] * 2
    assert await statuses(proxied, ["2001:db8:0:1::1"]) == [200]


@pytest.mark.parametrize(
    "address", ["nonsense", "203.0.113.7x", "999.1.1.1", "[::1", "127.0.0.1.", "unknown"]
)
async def test_a_malformed_address_is_counted(proxied, address):
    assert await statuses(proxied, [address] * 5) == [200] * 3 + [429] * 2


async def test_malformed_addresses_share_a_limit(proxied):
    assert await statuses(proxied, ["a", "b", "c", "d", "e"]) == [200] * 3 + [429] * 2


async def test_the_last_address_counts_and_this_machine_does_not(proxied):
    forged = [f"198.51.100.{n}, 203.0.113.7" for n in range(5)]
    assert await statuses(proxied, forged) == [200] * 3 + [429] * 2
    assert await statuses(proxied, ["127.0.0.1"] * 5) == [200] * 5


@pytest.mark.parametrize(
    ("host", "network"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8::abcd:1", "2001:db8::"),
        ("fe80::1%eth0", "fe80::"),
        ("127.1.2.3", None),
        ("::1", None),
        ("::ffff:127.0.0.1", None),
        ("", None),
        ("localhost", "malformed"),
    ],
)
def test_an_address_has_a_network(host, network):
    assert network_of(host) == network


async def test_uploads_have_a_limit_of_their_own(database, monkeypatch):
    monkeypatch.setattr("server_browser.CLIENT", ("203.0.113.7", 4321))
    limits = Limits(uploads=Limit(0.001, 2))
    async with visiting(database, config_at(database, limits=limits)) as client:
        answers = [await client.post("/replays", **record_upload(b"")) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [422, 422, 429]
        assert (await client.get("/rules")).status_code == 200


def test_tokens_do_not_crowd_out_addresses(monkeypatch):
    monkeypatch.setattr("hegemon.server.security.rate_limit._MAX_CALLERS", 10)
    counters, limit = RateLimiter(lambda: 0), Limit(1, 1)
    assert counters.spend("address", "203.0.113.7", limit) == 0
    for _ in range(100):
        counters.spend("token", tokens.new_token(), limit)
    assert counters.spend("address", "203.0.113.7", limit) == 1


async def test_unknown_paths_are_counted(proxied):
    headers = {"x-forwarded-for": "203.0.113.7"}
    answers = [await proxied.get(f"/nonsense/{number}", headers=headers) for number in range(5)]
    assert [answer.status_code for answer in answers] == [404] * 3 + [429] * 2


async def test_behind_a_proxy_one_address_cannot_take_all_requests(database):
    """Streams stay open for as long as a client likes, and all connections are those of the proxy."""
    settings = config_at(database, connections=ConnectionLimits(address=2))
    async with visiting(database, settings) as client:
        client._transport.app = ProxyHeadersMiddleware(client.app)
        game = (await client.post("/api/games", json={"seats": [{}, {}]})).json()["game"]
        tables, headers = client.app.state.tables, {"x-forwarded-for": "203.0.113.7"}
        streams = [
            asyncio.create_task(client.get(f"/api/games/{game}/stream", headers=headers)) for _ in range(2)
        ]
        while tables.get(game) is None or len(tables.get(game).subscribers) < 2:
            await asyncio.sleep(0)
        for path in ("/rules", f"/api/games/{game}/stream", "/nonsense"):
            answer = await client.get(path, headers=headers)
            assert (answer.status_code, answer.headers["retry-after"]) == (429, "10")
        assert (await client.get("/rules", headers={"x-forwarded-for": "203.0.113.8"})).status_code == 200
        tables.disconnect_all()
        await asyncio.gather(*streams)
        assert (await client.get("/rules", headers=headers)).status_code == 200
