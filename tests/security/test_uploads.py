"""Uploads: a record is read once, off the event loop, and brings no more text than could be typed here."""

import threading
from types import SimpleNamespace

import pytest
from hostile_requests import finished_record, record_upload
from server_browser import Browser, visiting
from server_config import config_at

from hegemon.notation import toml
from hegemon.server.tables import registry
from hegemon.server.tables.errors import TableNotFound
from hegemon.server.tables.seats import MAX_NAME_LENGTH
from hegemon.server.texts import SETUP_REJECTIONS
from hegemon.server.web.render import MAX_CACHED_BYTES, Renderer
from hegemon.server.web.routes.replay import MAX_RECORD_BYTES


async def imported(client, record):
    """The table of a record that was uploaded."""
    answer = await client.post("/replays", **record_upload(record.encode()))
    assert answer.status_code == 303, answer.text
    return await client.app.state.tables.load(answer.headers["location"].split("/")[2])


async def test_a_dotted_header_is_refused_before_it_is_parsed(client, monkeypatch):
    parsed = []
    monkeypatch.setattr(toml, "tomllib", SimpleNamespace(loads=parsed.append))
    text = "[" + ".".join(["a"] * 995) + "]\n" + "".join(f"{n:x}=1\n" for n in range(36_500))
    answer = await client.post("/replays", **record_upload(text.encode()))
    assert (answer.status_code, parsed) == (422, [])
    assert SETUP_REJECTIONS["record-form"] in answer.text


async def test_a_record_is_parsed_once_and_off_the_event_loop(client, monkeypatch):
    threads, loads = [], toml.tomllib.loads
    watched = SimpleNamespace(loads=lambda text: threads.append(threading.get_ident()) or loads(text))
    monkeypatch.setattr(toml, "tomllib", watched)
    answer = await client.post("/replays", **record_upload(finished_record().encode()))
    assert answer.status_code == 303
    assert len(threads) == 1
    assert threads != [threading.get_ident()]


async def test_an_upload_has_a_limit_of_its_own(client):
    comments = "#" * (MAX_RECORD_BYTES - 20_000)
    await imported(client, finished_record() + comments)
    answer = await client.post("/replays", **record_upload(b"#" * MAX_RECORD_BYTES))
    assert answer.status_code == 413


async def test_imported_names_are_as_short_and_clean_as_typed_ones(client):
    table = await imported(client, finished_record("\N{RIGHT-TO-LEFT OVERRIDE}\x1b[31m" + "&" * 100_000))
    assert all(len(name) <= MAX_NAME_LENGTH and name.isprintable() for name in table.game.names)
    table = await imported(client, finished_record("\x00"))
    assert table.game.names == ("Solon", "Hypatia")


async def test_other_texts_of_a_record_are_short_too(client):
    record = finished_record()
    table = await imported(
        client, record.replace('"standard"', '"standard' + "!coin-tie+coin-tie" * 5_000 + '"')
    )
    assert table.game.record().rulings == "standard"
    salt = record.replace('salt = "', 'salt = "' + "0" * 100_000)
    answer = await client.post("/replays", **record_upload(salt.encode()))
    assert (answer.status_code, "A salt has at most 100 characters." in answer.text) == (422, True)


async def test_the_replay_of_an_upload_is_no_larger_than_any_other(client):
    answer = await client.post("/replays", **record_upload(finished_record("&" * 100_000).encode()))
    for ply in (0, 40, 80):
        page = await client.get(answer.headers["location"], params={"at": ply, "seat": 5})
        assert (page.status_code, len(page.content) < 100_000) == (200, True)


@pytest.mark.parametrize("size", [100, 50_000, 3_000_000])
def test_regions_in_the_cache_are_limited_by_their_bytes(monkeypatch, size):
    renderer = Renderer()
    monkeypatch.setattr(renderer, "_render", lambda name, language, n: "x" * size + str(n))
    for number in range(100_000_000 // (size + 2_000)):
        assert renderer.region("log", "en", n=number % 20_000).endswith(str(number % 20_000))
        assert renderer.cached_bytes <= MAX_CACHED_BYTES
    assert renderer.region("log", "en", n=1) == renderer.region("log", "en", n=1)


async def test_uploads_expire_and_are_limited_in_number_and_games_of_players_are_neither(
    database, hands, monkeypatch
):
    monkeypatch.setattr(registry, "MAX_IMPORTS", 3)
    async with visiting(database, config_at(database, now=hands)) as client:
        await Browser(client).take_seat(seat1="me", seat2="person")
        friends = (await client.post("/api/games", json={"seats": [{"open": True}, {}]})).json()["game"]
        tables, ids = client.app.state.tables, []
        for days in (0, 1, 1, 1, 29, 30):
            hands.go(days=days)
            ids.append((await imported(client, finished_record())).id)
        left = await tables.store.games.ids()
        assert left[2:] == ids[-2:]
        assert friends in left[:2]
        with pytest.raises(TableNotFound):
            await tables.load(ids[0])


async def test_fields_without_a_file_are_not_parsed(client, monkeypatch):
    """Unlike a file, they would be parsed on the event loop: 256 kB take about 0.1 s."""
    monkeypatch.setattr("litestar.connection.request.parse_url_encoded_form_data", None)
    headers = {"content-type": "application/x-www-form-urlencoded"}
    assert (await client.post("/replays", content=b"a=&" * 80_000, headers=headers)).status_code == 422
