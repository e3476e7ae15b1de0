"""What workers report to each other about who is present, while each test decides when their messages arrive."""

import json

import pytest
from server_clock import NOON
from server_config import config_at

from hegemon.play.game import Game
from hegemon.server.cluster.notifications import CHANNEL
from hegemon.server.cluster.peers import Peers
from hegemon.server.db.rows import SeatRow
from hegemon.server.db.store import Store
from hegemon.server.tables import presence
from hegemon.server.tables.presence import READING_PERIOD, REPEAT_INTERVAL, Streams
from hegemon.server.tables.registry import TableRegistry

SEATS = [SeatRow(None, "ada"), SeatRow(None, "ben")]


@pytest.fixture
async def workers(database, hands):
    """Two workers whose messages wait until a test delivers them."""
    registries = []
    for _ in range(2):
        store = Store(database)
        peers = Peers(store)
        peers.has_others = True
        registries.append(TableRegistry(store, config_at(database, now=hands), peers))
    yield registries
    for registry in registries:
        await registry.close()


def deliver(sender, receiver):
    """Deliver all messages that wait, and return their number."""
    notifications = sender.cluster._notifications
    number = len(notifications._waiting)
    for payload in notifications._payloads():
        receiver.cluster._notifications._receive(None, 0, CHANNEL, payload)
    return number


async def test_a_worker_that_loads_a_table_gets_a_report(workers):
    here, there = workers
    table = await here.load(await here.create(Game(2, seed=1), SEATS))
    presence.touch(here, table, [1])
    deliver(here, there)
    same = await there.load(table.id)
    assert same.presence.present_seats == set()
    deliver(there, here)
    deliver(here, there)
    assert same.presence.present_seats == {1}


async def test_a_report_replaces_an_earlier_one_that_still_waits(workers):
    here, there = workers
    table = await here.load(await here.create(Game(2, seed=1), SEATS))
    same = await there.load(table.id)
    deliver(here, there)
    for seat in (0, 1):
        presence.connect(here, table, [seat])
    assert deliver(here, there) == 1
    assert same.presence.present_seats == {0, 1}


async def test_a_request_is_reported_unless_it_changes_little(workers, hands):
    here, there = workers
    table = await here.load(await here.create(Game(2, seed=1), SEATS))
    presence.touch(here, table, [0])
    for seconds, number in ((REPEAT_INTERVAL, 0), (REPEAT_INTERVAL + 1, 1)):
        hands.go(seconds)
        presence.connect(here, table, [])
        deliver(here, there)
        presence.touch(here, table, [0])
        assert deliver(here, there) == number


def test_a_report_contains_all_facts():
    streams = Streams()
    streams.open.update([0, 1, 1])
    streams.programs.update([1])
    streams.present_until[0] = streams.attended_until = NOON + READING_PERIOD
    streams.votes[0] = {1}
    report = json.loads(json.dumps(streams.write(NOON)))
    assert vars(Streams.read(report, NOON)) == vars(streams)
