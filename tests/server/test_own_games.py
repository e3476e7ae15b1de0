"""My games: order, turns, results, resigning, hiding, and the export."""

import asyncio
import io
import json
import re
from datetime import timedelta
from zipfile import ZipFile

import pytest
from server_browser import Browser, finish, visiting
from server_clock import NOON
from server_config import config_at
from sqlalchemy import text

from hegemon import Game, read_record, write_record
from hegemon.prose.translator import get_translator
from hegemon.server.db.errors import StorageError
from hegemon.server.db.own_games import GameFilter
from hegemon.server.db.rows import SeatRow
from hegemon.server.db.store import Store
from hegemon.server.security.tokens import owner_of
from hegemon.server.tables import substitutes
from hegemon.server.tables.ratings import ranks_of
from hegemon.server.tables.turns import TURNS, turns_of

RECORD = write_record(Game(2, seed=1, names=("Ada", "Ben")).record())

#: 10,000 finished games of one person against Ben, and a few running ones.
FILL = """
WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 9999)
INSERT INTO games (id, created_at, updated_at, record, finished, options)
SELECT 'game' || n, '2030-01-01 12:00:00.000000', datetime('2030-01-01', '-' || n || ' hours') || '.000000', :record,
  n >= 10, '{}' FROM numbers"""
SEATS = """
INSERT INTO seats (game, seat, owner, name)
SELECT id, 0, :owner, 'Ada' FROM games UNION ALL SELECT id, 1, 'ben', 'Ben' || id FROM games"""
RESULTS = """
INSERT INTO results
  (game, seat, owner, finished_at, players, variant, teams, level, ending, won, score, turns, name)
SELECT id, 0, :owner, updated_at, 2, 'basic', 0, '', 'majority', substr(id, -1) = '7', 3, 12, 'Ada'
FROM games WHERE finished
UNION ALL SELECT id, 1, 'ben', updated_at, 2, 'basic', 0, '', 'majority', substr(id, -1) != '7', 3, 12, 'Ben' || id
FROM games WHERE finished"""


@pytest.fixture
async def client(database, hands):
    async with visiting(database, config_at(database, now=hands)) as client:
        client.app.state.tables.bots.run = lambda table: None
        await client.app.state.tables.background.stop(TURNS)  # turns are saved when a test says so
        yield client


def links(page, name):
    """The games of a list, in their order."""
    section = page.split(f'<section id="{name}"')[1].split("</section>")[0]
    return re.findall(r'<li><a href="/games/([^"]+)"', section)


async def sit_down(ada, ben, **options):
    """A table of two people; return it."""
    await ada.take_seat(seat1="me", seat2="friend", name1="Ada", **options)
    table = await ada.client.app.state.tables.load(ada.path.split("/")[2])
    await ben.post(f"/join/{table.seats[1].invite}", {"name": "Ben"})
    await ada.client.app.state.tables.turns.save()
    return table


async def test_games_in_which_it_is_my_turn_come_first_with_the_time_left(client, hands):
    ada, ben = Browser(client.another()), Browser(client.another())
    slow = await sit_down(ada, ben, clock="7d a move")
    quick = await sit_down(ada, ben, clock="1d a move")
    hands.go(hours=1)
    await ada.take_seat(seat1="me", seat2="friend")
    for browser in (ada, ben):
        seat = 0 if browser is ada else 1
        mine = [table.id for table in (quick, slow) if table.to_move == (seat,)]
        await browser.get("/me/games")
        assert links(browser.page, "running")[: len(mine)] == mine
        assert browser.page.count("Your turn, ") == len(mine)
        if quick.id in mine:
            assert "Your turn, 23:00:00 left" in browser.page
        assert ("waiting for players" in browser.page) == (browser is ada)
    waiting = ben if quick.to_move == (0,) else ada
    assert f"Waiting for {quick.game.names[quick.to_move[0]]}…" in (await waiting.get("/")).page


async def test_a_turn_is_saved_when_it_changes_and_read_from_the_table_until_then(client):
    tables, browser = client.app.state.tables, Browser(client)
    await browser.take_seat(seat1="me", seat2="friend")
    table = await tables.load(browser.path.split("/")[2])
    await tables.turns.save()
    assert table.saved_turns == {}
    await Browser(client.another()).post(f"/join/{table.seats[1].invite}", {})
    assert table.id in (await browser.get("/me/games")).page
    assert {own.game.id: own.to_move for own in await tables.store.own_games.running(table.host)} == {
        table.id: {}
    }
    expected = "Your turn" if table.to_move == (0,) else "Waiting for "
    assert expected in browser.page
    await tables.turns.save()
    (own,) = await tables.store.own_games.running(table.host)
    assert own.to_move == turns_of(table) == table.saved_turns == dict.fromkeys(table.to_move)
    await finish(client, f"/games/{table.id}")
    await tables.turns.save()
    (own,) = await tables.store.own_games.finished(table.host)
    assert own.to_move == {}
    await tables.store.turns.save({"deleted": {0: None}})


async def test_the_turn_of_a_bot_is_not_saved(client):
    browser = await Browser(client).take_seat(seat1="me", seat2="person")
    table = await client.app.state.tables.load(browser.path.split("/")[2])
    (seat,) = table.to_move
    assert list(turns_of(table)) == [seat]
    table.set_seat(seat, SeatRow("chance", None))
    assert turns_of(table) == {}


async def test_turns_are_saved_in_the_background(database, monkeypatch):
    monkeypatch.setattr("hegemon.server.tables.turns._BATCH_SECONDS", 0)
    async with visiting(database) as client:
        browser = await Browser(client).take_seat(seat1="me", seat2="person")
        table = await client.app.state.tables.load(browser.path.split("/")[2])
        while table.saved_turns is None:
            await asyncio.sleep(0)
        assert table.saved_turns == turns_of(table)


async def test_a_server_that_was_killed_recovers_the_last_turns(database, hands):
    settings = config_at(database, now=hands)
    async with visiting(database, settings) as client:
        browser = await Browser(client).take_seat(seat1="me", seat2="person")
        tables = client.app.state.tables
        table = await tables.load(browser.path.split("/")[2])

        async def fails(changes):
            raise StorageError

        tables.store.turns.save = fails
        tables.turns.note(table)
        assert await tables.store.games.recently_changed() == [table.id]
    async with visiting(database, settings) as client:
        tables = client.app.state.tables
        await tables.driver.check_deadlines(table.id)
        await tables.turns.save()
        (own,) = await tables.store.own_games.running(table.host)
        assert list(own.to_move) == list(table.to_move)


async def test_a_finished_game_has_its_result_and_a_rematch(client):
    browser = Browser(client)
    await browser.take_seat(seat1="me", seat2="easy", name1="Ada")
    table = await finish(client, browser.path)
    won = table.game.result.winners == (0,)
    await browser.get("/me/games")
    assert links(browser.page, "finished") == [table.id]
    assert f">{'won' if won else 'lost'}</strong>" in browser.page
    assert "Bot: easy" in browser.page
    await browser.post(f"/games/{table.id}/rematch", {})
    assert f'href="/games/{table.next_game}">Next game' in (await browser.get("/me/games")).page
    for query, found in (
        ("level=easy", True),
        ("level=people", False),
        ("level=hard", False),
        ("players=2&result=" + ("won" if won else "lost"), True),
        ("result=" + ("lost" if won else "won"), False),
        ("players=3", False),
        ("name=ada", False),
        ("players=9&result=x", True),
    ):
        await browser.get(f"/me/games?{query}")
        assert links(browser.page, "finished") == ([table.id] if found else []), query
    assert (await browser.get("/me/games?number=0")).status == 400


async def test_a_game_that_is_deleted_from_my_list_stays_for_the_others(client):
    ada, ben, eve = (Browser(client.another()) for _ in range(3))
    table = await sit_down(ada, ben)
    await finish(client, f"/games/{table.id}")
    await eve.post(f"/me/games/{table.id}/hide", {})
    await ada.post(f"/me/games/{table.id}/hide", {})
    assert table.id not in ada.page
    assert table.id not in (await ada.get("/")).page
    for query, found in (("", 1), ("?name=dA", 1), ("?name=ben", 0), ("?name=%25", 0)):
        assert links((await ben.get(f"/me/games{query}")).page, "finished") == [table.id] * found
    assert (await ada.get(f"/games/{table.id}")).status == 200


async def test_a_visitor_without_a_seat_has_no_games_and_hides_none(client):
    store = client.app.state.tables.store.own_games
    ada = Browser(client.another())
    await ada.post("/games", {"seat1": "me", "seat2": "friend", "seat3": "easy", "seat4": "nobody"})
    game = ada.path.split("/")[2]
    assert 'role="search"' not in (await ada.get("/me/games")).page  # there is nothing to find yet
    assert await store.counts(None) == (0, 0)
    assert not await store.hide(None, game)


async def test_a_seat_that_another_person_takes_is_in_their_list(client):
    ada, ben = Browser(client.another()), Browser(client.another())
    await ada.take_seat(seat1="me", seat2="chance")
    table = await client.app.state.tables.load(ada.path.split("/")[2])
    await ada.post(f"/me/games/{table.id}/hide", {})
    await ada.post(f"/games/{table.id}/seats/1/open", {})
    await ben.post(f"/join/{table.seats[0].invite}", {"name": "Ben"})
    assert table.id in (await ben.get("/me/games")).page


async def test_a_bot_plays_on_for_a_player_who_resigns_and_the_game_is_lost(client):
    ada, ben, eve = (Browser(client.another()) for _ in range(3))
    table = await sit_down(ada, ben)
    assert "/resign" in (await ben.get("/me/games")).page
    assert (await eve.post(f"/games/{table.id}/resign", {})).status == 403
    for _ in range(2):
        await ben.post(f"/games/{table.id}/resign", {})
        assert (ben.status, ben.path) == (200, "/me/games")
    assert (table.resigned, len(table.substitutions)) == ({1}, 1)
    assert "/resign" not in ben.page
    assert "a bot is playing" in ben.page
    await ben.get(f"/games/{table.id}")
    assert "You have resigned: a bot plays on for you." in ben.page
    assert "I am back" not in ben.page
    assert "Ben has resigned: a bot plays on." in (await ada.get(f"/games/{table.id}")).page
    await ben.post(f"/games/{table.id}/return", {"seat": "2"})
    assert ben.status == 409
    assert "You have resigned this game." in ben.page
    await finish(client, f"/games/{table.id}")
    groups = await client.app.state.tables.store.results.groups(table.seats[1].owner)
    assert [group.won for group in groups] == [False]
    await ben.post(f"/games/{table.id}/resign", {})
    assert table.resigned == {1}
    await ada.post(f"/games/{table.id}/resign", {})
    assert (ada.status, "The game is over." in ada.page) == (409, True)


async def test_some_games_cannot_be_resigned(client):
    browser = Browser(client)
    await browser.take_seat(seat1="me", seat2="friend")
    await browser.post(f"{browser.path.removesuffix('/seats')}/resign", {})
    assert (browser.status, "The game has not begun yet." in browser.page) == (409, True)
    await browser.post("/daily", {"name": ""})
    await browser.post(f"{browser.path}/resign", {})
    assert browser.status == 409
    table = await client.app.state.tables.load(browser.path.split("/")[2])
    with pytest.raises(substitutes.SeatLost):
        await substitutes.resign(client.app.state.tables, table, table.person_seats[0], "other")


@pytest.mark.parametrize(
    ("winners", "resigned", "ranks"),
    [((0,), (), [0, 1]), ((1,), (0,), [1, 0]), ((0,), (0,), [1, 0]), ((0, 1), (1,), [0, 1])],
)
def test_a_player_who_resigns_has_lost_even_if_the_bot_wins(winners, resigned, ranks):
    assert ranks_of([[0], [1]], winners, resigned) == ranks


async def test_the_export_contains_no_cards_of_unfinished_games(client):
    browser = Browser(client)
    await browser.take_seat(seat1="me", seat2="easy", name1="Ada")
    over = await finish(client, browser.path)
    await browser.take_seat(seat1="me", seat2="friend")
    await browser.post("/study", {"game": over.id, "at": "1"})
    await browser.post(f"/me/games/{over.id}/hide", {})
    answer = await client.post("/me/export")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    with ZipFile(io.BytesIO(answer.content)) as archive:
        names = set(archive.namelist())
        contents = {name: archive.read(name).decode() for name in names}
    assert {"README.txt", "profiles.json", "results.json", f"games/{over.id}.toml"} <= names
    assert [name.split("/")[0] for name in names if name.endswith(".toml")].count("games") == 1
    assert sum(name.startswith("studies/") for name in names) == 1
    assert read_record(contents[f"games/{over.id}.toml"]) == over.game.record()
    assert json.loads(contents["profiles.json"])[0]["name"] == "Ada"
    assert len(json.loads(contents["seats.json"])) == 2
    everything = "".join(contents.values())
    token = client.cookies["hegemon"]
    assert token not in everything
    assert owner_of(token) not in everything
    facts = [set(row) for name in names if name.endswith(".json") for row in json.loads(contents[name])]
    assert not set().union(*facts) & {"owner", "record", "options", "seed", "digest", "invite"}
    stranger = await client.another().post("/me/export", headers={"accept-language": "de"})
    with ZipFile(io.BytesIO(stranger.content)) as archive:
        assert archive.namelist() == ["README.txt"]
        german = get_translator("de").text("Your studies.")
        assert f"studies/*.toml\n    {german}\n" in archive.read("README.txt").decode()
    assert "studies/*.toml\n    Your studies.\n" in contents["README.txt"]


async def test_a_damaged_game_is_exported_as_it_is_stored(client):
    browser, store = Browser(client), client.app.state.tables.store
    await browser.take_seat(seat1="me", seat2="easy")
    table = await finish(client, browser.path)
    async with store.database.writing() as connection:
        await connection.execute(text("UPDATE moves SET choice = 'nonsense' WHERE version = 1"))
    answer = await client.post("/me/export")
    with ZipFile(io.BytesIO(answer.content)) as archive:
        assert b"deck" in archive.read(f"games/{table.id}.toml")


@pytest.mark.sqlite
async def test_ten_thousand_games_are_listed_by_queries_in_pages(client):
    store, token = client.app.state.tables.store, "x" * 43
    owner = owner_of(token)
    async with store.database.writing() as connection:
        for statement, facts in (
            (FILL, {"record": RECORD}),
            (SEATS, {"owner": owner}),
            (RESULTS, {"owner": owner}),
        ):
            await connection.execute(text(statement), facts)
        await connection.execute(
            text("INSERT INTO turns SELECT id, id = 'game0', NULL FROM games WHERE NOT finished")
        )
    assert await store.own_games.counts(owner) == (10, 9990)
    assert await store.own_games.counts(owner, GameFilter(name="bengame77", won=True)) == (10, 12)
    browser = Browser(client)
    client.cookies.set("hegemon", token)
    await browser.get("/me/games?number=500")
    assert links(browser.page, "running")[-1] == "game0"  # not mine
    assert len(links(browser.page, "finished")) == 10
    assert "Page 500 of 500" in browser.page
    assert links((await browser.get("/me/games?number=2")).page, "finished")[0] == "game30"
    assert 'rel="next" href="/me/games?running=1&amp;number=3#finished"' in browser.page
    assert client.app.state.tables.get("game1") is None


async def test_the_deadline_of_a_seat_is_that_of_its_row(database):
    store = Store(database)
    for number, deadline in enumerate((None, NOON + timedelta(days=2), NOON)):
        await store.games.create(f"{number}", RECORD, [SeatRow(None, "ada"), SeatRow(None, "ben")])
        await store.turns.save({f"{number}": {0: deadline}})
    found = await store.own_games.running("ada")
    assert [own.game.id for own in found] == ["2", "1", "0"]
    assert found[0].to_move == {0: NOON}
    await store.close()


async def test_a_damaged_clock_does_not_hide_the_list(client):
    ada, ben = Browser(client.another()), Browser(client.another())
    table = await sit_down(ada, ben, clock="1d a move")
    async with client.app.state.tables.store.database.writing() as connection:
        await connection.execute(text("""UPDATE games SET options = '{"clock": "a while"}'"""))
    mover = ada if table.to_move == (0,) else ben
    for path in ("/", "/me/games"):
        assert "Your turn, " in (await mover.get(path)).page


async def test_a_game_with_damaged_options_does_not_hide_others(database):
    store = Store(database)
    for number in range(3):
        await store.games.create(f"{number}", RECORD, [SeatRow(None, "ada"), SeatRow(None, "ben")])
    async with store.database.writing() as connection:
        await connection.execute(text("UPDATE games SET options = '?' WHERE id IN ('0', '2')"))
    assert [own.game.id for own in await store.own_games.running("ada")] == ["1"]
    await store.close()
