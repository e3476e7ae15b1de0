"""Webhooks: a slow receiver does not delay others, and no address leads into a private network."""

import asyncio
from datetime import timedelta

import pytest
from server_clock import NOON
from server_config import config_at
from waiting import WAIT_TIMEOUT, wait_until

from hegemon import Game
from hegemon.notation.record import write_record
from hegemon.server.db.rows import SeatRow, Webhook
from hegemon.server.db.store import Store
from hegemon.server.tables.registry import TableRegistry
from hegemon.server.webhooks import dispatcher
from hegemon.server.webhooks.delivery import MAX_CONCURRENT_TO_HOST
from hegemon.server.webhooks.dispatcher import WebhookDispatcher
from hegemon.server.webhooks.sender import WebhookRejected, WebhookResponse, is_public, parse_url

SLOW, QUICK = "https://slow.example", "https://quick.example"


@pytest.fixture
async def tables(database):
    tables = TableRegistry(Store(database), config_at(database, now=lambda: NOON))
    yield tables
    await tables.close()


@pytest.fixture
def receivers(monkeypatch):
    """The slow one answers when a test lets it; both record what they receive."""
    may_answer, got = asyncio.Event(), []

    async def post(url, body, headers, *, allow_private):
        got.append(url)
        if url.startswith(SLOW):
            await may_answer.wait()
        return WebhookResponse(200)

    monkeypatch.setattr(dispatcher, "post", post)
    return may_answer, got


async def waiting(tables, game_id, url, attempts=0):
    """A notification that waits to be sent to a URL."""
    record = write_record(Game(2, seed=1).record())
    await tables.store.games.create(game_id, record, [SeatRow(None, None)] * 2)
    await tables.store.outbox.set_webhook(game_id, Webhook(url, "secret", "https://play.example"))
    await tables.store.outbox.put(game_id, {"end": "{}"}, NOON)


async def test_a_slow_receiver_does_not_delay_others(tables, receivers):
    may_answer, got = receivers
    for number in range(50):
        await waiting(tables, f"slow {number}", f"{SLOW}/{number}")
    await waiting(tables, "quick", QUICK)
    webhooks = WebhookDispatcher(tables)
    async with asyncio.timeout(WAIT_TIMEOUT):
        await webhooks.start_sending()
        await wait_until(lambda: QUICK in got)
        assert len(got) == 1 + MAX_CONCURRENT_TO_HOST
        may_answer.set()
        await webhooks.work()
    assert len(got) == len(set(got)) == 51
    await webhooks.close()


async def test_a_notification_in_flight_is_not_sent_again_when_its_lease_expires(tables, receivers):
    may_answer, got = receivers
    await waiting(tables, "slow", SLOW)
    webhooks = WebhookDispatcher(tables)
    await webhooks.start_sending()
    await asyncio.sleep(0)
    tables.now = lambda: NOON + timedelta(days=1)
    await webhooks.start_sending()
    may_answer.set()
    await webhooks.work()
    assert got == [SLOW]
    await webhooks.close()


async def test_notifications_that_were_not_tried_yet_come_first(tables, receivers):
    may_answer, got = receivers
    may_answer.set()
    await waiting(tables, "old", f"{QUICK}/old")
    (item,) = await tables.store.outbox.take(NOON, 9)
    await tables.store.outbox.finish_attempt(item, Webhook(f"{QUICK}/old", "secret", "", retry_at=NOON))
    await waiting(tables, "new", f"{QUICK}/new")
    webhooks = WebhookDispatcher(tables)
    await webhooks.work()
    assert got == [f"{QUICK}/new", f"{QUICK}/old"]
    await webhooks.close()


async def test_a_server_that_stops_does_not_wait_for_receivers(tables, receivers):
    _, got = receivers
    await waiting(tables, "slow", SLOW)
    webhooks = WebhookDispatcher(tables)
    webhooks.start()
    async with asyncio.timeout(WAIT_TIMEOUT):
        await wait_until(lambda: got)
        await webhooks.close()
    assert not webhooks._sending


@pytest.mark.parametrize(
    "address",
    [
        "64:ff9b:1::1",
        "64:ff9b:1::8.8.8.8",
        "64:ff9b::10.0.0.1",
        "fec0::1",
        "3fff::1",
        "fc00::1",
        "fe80::1",
        "::1",
        "::",
        "::8.8.8.8",
        "::127.0.0.1",
        "::ffff:10.0.0.1",
        "100::1",
        "2001:db8::1",
        "2002:a00:1::1",
        "5f00::1",
        "ff02::1",
        "192.0.0.8",
        "192.0.0.9",
        "192.0.0.170",
        "192.88.99.1",
        "100.64.0.1",
        "10.0.0.1",
        "127.0.0.1",
        "169.254.169.254",
        "198.18.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "0.0.0.0",
        "255.255.255.255",
    ],
)
def test_an_address_that_is_not_public_gets_nothing(address):
    assert not is_public(address)
    with pytest.raises(WebhookRejected, match="private"):
        parse_url(f"http://[{address}]/" if ":" in address else f"http://{address}/")


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "64:ff9b::8.8.8.8", "::ffff:8.8.8.8"])
def test_public_addresses_are_reached(address):
    assert is_public(address)
