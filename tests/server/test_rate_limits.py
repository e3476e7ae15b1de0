"""Rate limits: a rejected caller gets the time to wait, and others at the same address are not affected."""

import pytest
from server_browser import visiting
from server_config import config_at
from server_program import Program

from hegemon.server.security import tokens as identity
from hegemon.server.security.rate_limit import Limit, Limits, RateLimiter

STRICT = Limits(token=Limit(0.001, 8), address=Limit(0.001, 20), tables=Limit(0.001, 2))


@pytest.fixture
async def strict(database, monkeypatch):
    """A server with strict limits, visited from another machine."""
    monkeypatch.setattr("server_browser.CLIENT", ("203.0.113.7", 4321))
    async with visiting(database, config_at(database, limits=STRICT)) as client:
        yield client


async def to_move(client, times, path="/rules", **headers):
    return [(await client.get(path, headers=headers)).status_code for _ in range(times)]


async def test_each_token_has_a_separate_limit(strict):
    strict.cookies.set(identity.COOKIE, identity.new_token())
    assert await to_move(strict, 10) == [200] * 8 + [429] * 2
    strict.cookies.set(identity.COOKIE, identity.new_token())
    assert await to_move(strict, 4) == [200] * 4


async def test_an_address_has_a_larger_limit_that_new_tokens_do_not_raise(strict):
    statuses = [
        (await to_move(strict, 1, authorization=f"Bearer {identity.new_token()}"))[0] for _ in range(25)
    ]
    assert statuses == [200] * 20 + [429] * 5


async def test_a_rejected_caller_gets_retry_after_and_a_sentence(strict):
    await to_move(strict, 20)
    for path, kind in (("/rules", "text/html"), ("/api/games/x", "application/json")):
        rejected = await strict.get(path)
        assert rejected.status_code == 429
        assert int(rejected.headers["retry-after"]) > 0
        assert rejected.headers["content-type"].startswith(kind)
        assert "Too many requests" in rejected.text


async def test_the_creation_of_tables_is_limited(strict):
    wish = {"seats": [{}, {}]}
    assert [(await strict.post("/api/games", json=wish)).status_code for _ in range(3)] == [201, 201, 429]
    assert (await strict.post("/games", data={"seat1": "me", "seat2": "person"})).status_code == 429


async def test_static_files_and_health_checks_are_not_counted(strict):
    assert await to_move(strict, 30, "/health") == [200] * 30
    assert await to_move(strict, 30, "/static/icon.svg") == [200] * 30


async def test_local_callers_are_counted_by_token_only(database):
    async with visiting(database, config_at(database, limits=STRICT)) as client:
        assert await to_move(client, 30) == [200] * 30
        ada, _ = await Program.create(client, seats=[{}, {}])
        assert [(await ada.get("")).status_code for _ in range(10)] == [200] * 8 + [429] * 2


async def test_a_server_may_have_no_limits(database):
    async with visiting(database, config_at(database, limits=None)) as client:
        client.cookies.set(identity.COOKIE, identity.new_token())
        assert await to_move(client, 30) == [200] * 30


def test_buckets_refill_and_the_oldest_callers_are_evicted(monkeypatch):
    now = 0.0
    counters, limit = RateLimiter(lambda: now), Limit(rate=2, burst=3)
    assert [counters.spend("token", "ada", limit) for _ in range(4)] == [0, 0, 0, 0.5]
    assert counters.spend("token", "ben", limit) == 0
    now = 0.5
    assert [counters.spend("token", "ada", limit) for _ in range(2)] == [0, 0.5]
    now = 100
    assert [counters.spend("token", "ada", limit) for _ in range(4)] == [0, 0, 0, 0.5]
    monkeypatch.setattr("hegemon.server.security.rate_limit._MAX_CALLERS", 1)
    counters.spend("token", "ben", limit)
    assert counters.spend("token", "ada", limit) == 0
