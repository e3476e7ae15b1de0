"""A crowd at one table: the cost per spectator does not grow with the crowd, and others still get answers."""

import asyncio
import json
import re
from contextlib import asynccontextmanager

import pytest
from server_program import Program
from waiting import wait_until

from hegemon.server.db.rows import MessageRow
from hegemon.server.tables import presence as table_presence
from hegemon.server.tables.chat import mute_key_of
from hegemon.server.tables.table import MAX_CACHED, MAX_WAKEUPS, Table
from hegemon.server.web.views import table as table_view
from hegemon.server.web.views.table import TablePages

CROWD = 30


@pytest.fixture(autouse=True)
def no_counts(monkeypatch):
    """The number of spectators is not sent while a test runs, however long that takes."""
    monkeypatch.setattr(table_presence, "COUNT_INTERVAL", 3600)


@pytest.fixture
def drawings(monkeypatch):
    """The viewers for whom tables have been drawn."""
    drawn = []
    draw = TablePages._regions_of

    def counted(pages, table, model, *args, **options):
        drawn.append(model.viewer)
        return draw(pages, table, model, *args, **options)

    monkeypatch.setattr(TablePages, "_regions_of", counted)
    return drawn


@pytest.fixture
def notifications(monkeypatch):
    """How often all subscribers of a table have been notified."""
    counted, notify = [], Table.notify
    monkeypatch.setattr(Table, "notify", lambda table: (counted.append(table.version), notify(table)))
    return counted


async def seated(client):
    """Two programs at a table, and the table."""
    ada, ben = await Program.create(client, seats=[{"name": "Ada"}, {"name": "Ben"}])
    return ada, ben, await client.app.state.tables.load(ada.game)


@asynccontextmanager
async def crowd(client, table, paths=("",), size=CROWD, **headers):
    """Spectators who follow the table, each with a browser of their own; yields their streams."""
    streams = []
    for number in range(size):
        path = f"/games/{table.id}{paths[number % len(paths)]}/stream"
        more = {name: value.format(number) for name, value in headers.items()}
        streams.append(asyncio.create_task(client.another().get(path, headers=more)))
    while len(table.subscribers) < size:
        await asyncio.sleep(0)
    try:
        yield streams
    finally:
        client.app.state.tables.disconnect_all()
        await asyncio.gather(*streams)


async def move(ada, ben, table):
    player = (ada, ben)[table.to_move[0]]
    choice = table.game.choices_of(table.to_move[0])[0]
    answer = await player.submit_move(choice, table.version, f"move {table.version}")
    assert answer.status_code == 200
    await asyncio.sleep(0)  # spectators are notified after the answer


def events(answer):
    return [json.loads(data) for data in re.findall(r"event: regions\ndata: (.*)", answer.text)]


async def test_a_move_is_drawn_once_for_all_spectators(client, drawings):
    ada, ben, table = await seated(client)
    async with crowd(client, table) as streams:
        assert len(drawings) == 1
        await move(ada, ben, table)
        assert len(drawings) == 2
    for stream in streams:
        first, second = events(await stream)
        assert {"board", "log", "options"} <= set(first)
        assert {"log"} <= set(second) < set(first)


async def test_a_move_is_drawn_once_in_each_language(client, drawings):
    ada, ben, table = await seated(client)
    async with crowd(client, table, **{"accept-language": "de"}), crowd(client, table, size=2 * CROWD):
        drawings.clear()
        await move(ada, ben, table)
        assert len(drawings) == 2


@pytest.mark.parametrize(
    "cookie",
    ["hegemon=" + "x" * 41 + "{:02}", "muted=seat1-{}", "theme=dark; sound=on; animation_speed=none"],
)
async def test_cookies_do_not_multiply_what_is_drawn(client, drawings, cookie):
    ada, ben, table = await seated(client)
    async with crowd(client, table, cookie=cookie):
        drawings.clear()
        await move(ada, ben, table)
        assert len(drawings) == 1


async def test_a_message_is_drawn_once_for_readers_who_mute_different_people(client, monkeypatch):
    """Readers choose whom to mute: even a few speakers allow more combinations than there are readers."""
    drawn, message_text = [], table_view.message_text
    monkeypatch.setattr(
        table_view, "message_text", lambda line, *args: drawn.append(line) or message_text(line, *args)
    )
    ada, ben, table = await seated(client)
    for voice in range(5):
        line = MessageRow(
            voice + 1, table.started_at, None, f"{voice}", f"Voice {voice}", text=f"word {voice}"
        )
        table.chat.append(line)
    voices = [mute_key_of(line, table.id) for line in table.chat.messages]
    choices = [
        "-".join(voice for place, voice in enumerate(voices) if number >> place & 1)
        for number in range(CROWD)
    ]
    streams = []
    for choice in choices:
        headers = {"cookie": f"muted={choice}"}
        streams.append(
            asyncio.create_task(client.another().get(f"/games/{table.id}/stream", headers=headers))
        )
    while len(table.subscribers) < CROWD:
        await asyncio.sleep(0)
    drawn.clear()
    await move(ada, ben, table)
    assert len(drawn) == 5
    client.app.state.tables.disconnect_all()
    for choice, stream in zip(choices, streams, strict=True):
        chat = events(await stream)[0]["chat"]
        for place, voice in enumerate(voices):
            assert (f"word {place}" in chat) == (voice not in choice)


async def test_many_pages_of_one_player_are_drawn_once(client, drawings):
    ada, ben, table = await seated(client)
    async with crowd(client, table, cookie=f"hegemon={ada.token}"):
        drawings.clear()
        await move(ada, ben, table)
        assert drawings == [0]


async def test_an_event_is_encoded_once_for_all_spectators(client, monkeypatch):
    encoded = []

    class Json:
        @staticmethod
        def dumps(data):
            encoded.append(data)
            return json.dumps(data)

    ada, ben, table = await seated(client)
    for module in ("web", "api"):
        monkeypatch.setattr(f"hegemon.server.{module}.sse.json", Json)
    async with crowd(client, table) as pages:
        programs = [asyncio.create_task(Program(client, table.id).get("/stream")) for _ in range(CROWD)]
        while len(table.subscribers) < 2 * CROWD:
            await asyncio.sleep(0)
        encoded.clear()
        await move(ada, ben, table)
        client.app.state.tables.disconnect_all()
        await asyncio.gather(*pages, *programs)
    assert len(encoded) == 2  # the regions of the pages, and the events of the programs


async def test_arriving_spectators_are_counted_together_and_only_the_count_is_sent(
    client, drawings, notifications, monkeypatch
):
    monkeypatch.setattr(table_presence, "COUNT_INTERVAL", 0.001)
    _, _, table = await seated(client)
    async with crowd(client, table) as streams:
        assert len(drawings) <= len(notifications) + 1
        notifications.clear()
        table_presence.connect(client.app.state.tables, table, [])
        table_presence.connect(client.app.state.tables, table, [])
        await wait_until(lambda: notifications)
        assert len(notifications) == 1
    assert f"{CROWD + 2} spectators." in events(await streams[0])[-1]["options"]
    for stream in streams:
        assert all(set(event) == {"options"} for event in events(await stream)[1:])


async def test_a_hundred_spectators_who_come_and_go_notify_no_one_at_once(client, notifications):
    tables = client.app.state.tables
    _, _, table = await seated(client)
    for _ in range(100):
        table_presence.connect(tables, table, [])
        table_presence.disconnect(tables, table, [])
    assert notifications == []


async def test_a_server_that_stops_draws_nothing_for_those_who_leave(client, drawings, notifications):
    _, _, table = await seated(client)
    async with crowd(client, table):
        drawings.clear()
        notifications.clear()
    assert (drawings, notifications) == ([], [])


async def test_what_is_drawn_for_many_different_readers_is_forgotten(client):
    _, _, table = await seated(client)
    for number in range(3 * MAX_CACHED):
        assert table.cached(number, lambda number=number: str(number)) == str(number)
    assert len(table._cache) <= MAX_CACHED


async def test_streams_are_woken_a_few_at_a_time(client):
    _, _, table = await seated(client)
    woken = []
    for number in range(2 * MAX_WAKEUPS + 1):
        table.queue_wakeup(lambda number=number: woken.append(number))
    numbers = []
    while len(woken) < 2 * MAX_WAKEUPS + 1:
        await asyncio.sleep(0)
        numbers.append(len(woken))
    assert numbers == [MAX_WAKEUPS, 2 * MAX_WAKEUPS, 2 * MAX_WAKEUPS + 1]


async def test_the_seats_and_all_hands_are_drawn_once_too(client, monkeypatch):
    ada, ben = await Program.create(client, seats=[{"name": "Ada"}, {"name": "Ben"}], spectator_delay=1)
    table = await client.app.state.tables.load(ada.game)
    while table.delayed_game() is None:
        await move(ada, ben, table)
    drawn = []
    for kind, name in (("seating.SeatPages", "seat_regions"), ("spectate.SpectatorPages", "delayed_regions")):
        monkeypatch.setattr(
            f"hegemon.server.web.views.{kind}.{name}",
            lambda *_, name=name: drawn.append(name) or {"regions": f"of {table.version}"},
        )
    cookie = "hegemon=" + "x" * 41 + "{:02}"
    async with crowd(client, table, paths=("/seats", "/hands"), host="{}.example.org", cookie=cookie):
        drawn.clear()
        await move(ada, ben, table)
        assert sorted(drawn) == ["delayed_regions", "seat_regions"]
