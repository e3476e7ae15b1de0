"""No request of a permitted size blocks the event loop for more than 50 ms, on any route."""

import asyncio
import gc
from functools import partial

import pytest
from hostile_requests import BODIES, HEADS, filled, finished_record, record_upload, routes
from loop_watchdog import slowness, watched_loop
from server_browser import Browser, visiting
from server_config import config_at
from server_program import Program

from hegemon.server.app import create_app
from hegemon.server.config import ServerConfig
from hegemon.server.runner import tune_garbage_collector
from hegemon.server.web.render import _templates
from hegemon.server.web.routes.replay import MAX_RECORD_BYTES

#: Seconds of CPU time.
LIMIT = 0.05
TRIES = 3

_SIZE = MAX_RECORD_BYTES - 1000
RECORDS = {
    "header": "[" + ".".join(["a"] * 995) + "]\n" + "".join(f"{n:x}=1\n" for n in range(36_500)),
    "keys": "".join(f"{n:x}=1\n" for n in range(4_999)),
    "numbers": "a=[" + "1," * (_SIZE // 2) + "]",
    "strings": 'format=1\nmoves=["' + '","' * (_SIZE // 3) + '"]',
    "escapes": 'format=1\nsalt="' + "\\u0041" * (_SIZE // 6) + '"',
    "lines": "\n" * _SIZE,
    "comments": "#\n" * (_SIZE // 2),
    "quotes": '"' * _SIZE,
    "moves": finished_record().replace("moves = [", 'moves = ["' + ". " * (_SIZE // 3) + '",'),
    "names": finished_record("&" * (_SIZE // 4)),
    "rulings": finished_record().replace('"standard"', '"standard' + "!coin-tie" * (_SIZE // 10) + '"'),
    "deck": finished_record().replace('deck = "', 'deck = "' + "M1" * (_SIZE // 3)),
    "game": finished_record(players=4),
}


@pytest.fixture
async def client(database):
    async with visiting(database, config_at(database, lobby=True, limits=None)) as client:
        yield client


async def slow_ones(attempts) -> dict:
    """The attempts that block the loop for too long however often they are tried, with their seconds."""
    slow = {}
    with watched_loop() as times:
        for name, attempt in attempts.items():
            for _ in range(TRIES):
                times.clear()
                await asyncio.create_task(attempt())
                slow[name] = max(times) / slowness()
                if slow[name] < LIMIT:
                    del slow[name]
                    break
    return slow


async def played(client) -> Program:
    """A player at a table of four near its end."""
    ada, *others = await Program.create(client, seats=[{"name": "&" * 24}] * 4)
    table = await client.app.state.tables.load(ada.game)
    seats = [ada, *others]
    for version in range(150):
        seat = table.to_move[0]
        assert (
            await seats[seat].submit_move(table.snapshot.choices_of(seat)[0], version, str(version))
        ).is_success
    client.headers["authorization"] = f"Bearer {ada.token}"
    client.cookies.set("hegemon", ada.token)
    return ada


async def test_a_callback_that_blocks_is_noticed():
    async def block():
        sum(range(20_000_000))

    assert set(await slow_ones({"long": block, "short": partial(asyncio.sleep, 0)})) == {"long"}


async def test_no_route_blocks_whatever_its_body(client):
    ada = await played(client)
    attempts = {
        (path, hostile.name): partial(
            client.post, filled(path, ada.game), content=hostile.body, headers=hostile.headers
        )
        for method, path in routes(client)
        if method == "POST"
        for hostile in BODIES
    }
    assert await slow_ones(attempts) == {}


async def test_no_route_blocks_whatever_its_head(client):
    ada = await played(client)
    attempts = {
        (path, hostile.name): partial(
            client.get, f"{filled(path, ada.game)}?{hostile.query}", headers=hostile.headers
        )
        for method, path in routes(client)
        if method == "GET"
        for hostile in HEADS
    }
    assert await slow_ones(attempts) == {}


async def test_no_upload_blocks(client):
    attempts = {
        name: partial(client.post, "/replays", **record_upload(text.encode()))
        for name, text in RECORDS.items()
    }
    assert await slow_ones(attempts) == {}


async def test_no_page_of_a_long_game_blocks(client):
    answer = await client.post("/replays", **record_upload(finished_record("&" * 24, players=4).encode()))
    game = answer.headers["location"].split("/")[2]
    await client.post(f"/games/{game}/analysis", data={"at": "0", "seat": "0"})
    tables = client.app.state.tables
    while await tables.analyst.find(tables.get(game)) is None:
        await asyncio.sleep(0.01)
    attempts = {
        path: partial(client.get, path)
        for path in (
            f"/games/{game}",
            f"/games/{game}/replay?decided=true",
            f"/games/{game}/replay?decided=true&seat=5",
            f"/games/{game}/record",
            f"/games/{game}/shuffle",
            f"/games/{game}/replay?at=229&seat=5",
            f"/games/{game}/replay?at=10000&seat=1",
            f"/api/games/{game}",
            f"/api/games/{game}/stream",
            f"/api/games/{game}/record",
        )
    }
    assert await slow_ones(attempts) == {}


async def test_no_list_of_games_blocks(client):
    browser = Browser(client)
    form = {
        "seat1": "me",
        "seat2": "friend",
        "seat3": "friend",
        "seat4": "friend",
        "public": "on",
        "name1": "&" * 24,
    }
    for _ in range(100):
        assert (await client.post("/games", data=form)).status_code == 303
    attempts = {path: partial(browser.get, path) for path in ("/", "/lobby", "/lobby?players=4", "/me")}
    assert await slow_ones(attempts) == {}


@pytest.mark.parametrize(
    "path", ["/games/{game}/stream", "/games/{game}/seats/stream", "/api/games/{game}/stream"]
)
async def test_no_stream_blocks(client, path):
    ada = await played(client)
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path.format(game=ada.game),
        "raw_path": path.format(game=ada.game).encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [
            (b"host", b"testserver.local"),
            (b"cookie", b"hegemon=" + ada.token.encode()),
            (b"authorization", b"Bearer " + ada.token.encode()),
        ],
        "client": ("127.0.0.1", 1),
        "server": ("testserver.local", 80),
    }

    async def first_events():
        """Read the beginning of a stream, and leave."""
        begun, sent = asyncio.Event(), []

        async def receive():
            await begun.wait()
            return {"type": "http.disconnect"}

        async def send(message):
            sent.append(message)
            if message.get("body"):
                begun.set()

        await client.app(dict(scope), receive, send)
        assert sent[0]["status"] == 200

    assert await slow_ones({path: first_events}) == {}


def test_templates_are_compiled_before_the_first_request(database):
    create_app(ServerConfig(database))
    assert _templates.cache_info().currsize == 1
    assert len(_templates().cache) == len(_templates().list_templates())


def test_the_garbage_collector_does_not_walk_through_what_stays_loaded():
    tune_garbage_collector()
    try:
        assert len(gc.get_objects()) < gc.get_freeze_count()
    finally:
        gc.unfreeze()
