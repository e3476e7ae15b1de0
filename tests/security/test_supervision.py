"""A damaged game or a failing task: every other game continues, and the health check reports it."""

import asyncio
import logging
from datetime import timedelta

import pytest
from server_browser import Browser, visiting
from server_config import config_at
from sqlalchemy import update
from waiting import WAIT_TIMEOUT, wait_until

from hegemon import Game
from hegemon.notation.record import write_record
from hegemon.server import background
from hegemon.server.background import BackgroundTasks
from hegemon.server.db.errors import StorageError
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import MoveRow, SeatRow, Webhook
from hegemon.server.db.schema import games
from hegemon.server.db.store import Store
from hegemon.server.tables.registry import TableRegistry

PEOPLE = [SeatRow(None, "ada"), SeatRow(None, "ben")]

DAMAGES = {
    "a move that is illegal": None,
    "a record that breaks off": {"record": 'variant = "ba'},
    "a record without players": {"record": 'variant = "basic"'},
    "options that cannot be read": {"options": '{"clock'},
    "a clock that does not exist": {"options": '{"clock": "a while"}'},
}


async def create_table(store, game_id, now, **facts):
    record = write_record(Game(2, seed=1, names=("Ada", "Ben")).record())
    options = TableOptions(clock="1d a move")
    await store.games.create(game_id, record, PEOPLE, options=options, now=now, **facts)


async def damage(store, game_id, how):
    if how is None:
        await store.moves.append(game_id, MoveRow(1, 0, "mE"), finished=False)
        return
    async with store.database.writing() as connection:
        await connection.execute(update(games).where(games.c.id == game_id).values(**how))


@pytest.fixture(params=DAMAGES)
async def damaged(request, database, hands):
    """A database with three games, the second one damaged; each has a clock and a webhook."""
    store = Store(database)
    for game_id in ("a", "b", "c"):
        await create_table(store, game_id, hands())
        await store.outbox.set_webhook(
            game_id, Webhook("http://127.0.0.1:9/", "secret", "https://example.org")
        )
    await damage(store, "b", DAMAGES[request.param])
    await store.close()
    return database


async def test_a_damaged_game_stops_no_other_clock(damaged, hands, caplog):
    config = config_at(damaged, now=hands, substitute_bot="chance")
    async with visiting(damaged, config) as client:
        tables, dispatcher = client.app.state.tables, client.app.state.dispatcher
        await wait_until(lambda: {"a", "c"} <= set(tables._tables) and tables.broken)
        hands.go(days=1)
        async with asyncio.timeout(WAIT_TIMEOUT):
            while not all(tables.get(game_id).substitutions for game_id in ("a", "c")):
                await tables.driver.run_due()
                await asyncio.sleep(0.001)  # the server itself may be checking the tables just now
        answer = await client.get("/health")
        assert (answer.status_code, answer.json()) == (
            200,
            {"status": "ok", "failing": [], "broken_games": 1},
        )
        page = await client.get("/games/b")
        assert (page.status_code, "This game is damaged" in page.text) == (500, True)
        assert (await client.get("/api/games/b")).status_code == 500
        assert (await client.get("/games/a")).status_code == 200
        await wait_until(lambda: set(dispatcher._queued_keys) == {tables.get("a"), tables.get("c")})
    assert caplog.text.count("a game cannot be loaded") == 1


async def test_a_game_that_is_repaired_is_no_longer_broken(database, hands):
    store = Store(database)
    await create_table(store, "a", hands())
    await damage(store, "a", {"options": "{"})
    async with visiting(database, config_at(database, now=hands)) as client:
        tables = client.app.state.tables
        await wait_until(lambda: tables.broken)
        await damage(store, "a", {"options": "{}"})
        assert (await client.get("/games/a")).status_code == 200
        assert (await client.get("/health")).json()["broken_games"] == 0
    await store.close()


async def test_a_disk_that_cannot_be_read_marks_no_game_as_broken(database, caplog, monkeypatch):
    """The game is loaded when the disk is read again; until then, visitors have to try again."""
    tables = TableRegistry(Store(database), config_at(database))
    game_id = await tables.create(Game(2, seed=1), PEOPLE)

    async def fail(game_id):
        raise StorageError("disk I/O error")

    with monkeypatch.context() as failing:
        failing.setattr(tables.store.games, "load", fail)
        with pytest.raises(StorageError):
            await tables.load(game_id)
    assert (tables.broken, caplog.text) == (set(), "")
    assert (await tables.load(game_id)).id == game_id
    await tables.close()


@pytest.mark.parametrize("how", [how for how in DAMAGES.values() if how])
async def test_a_damaged_game_hides_no_other_in_a_list(database, hands, how):
    store = Store(database)
    for game_id in ("a", "b"):
        await store.games.create(
            game_id,
            write_record(Game(2, seed=1, names=(f"Ada {game_id}", "Ben")).record()),
            [SeatRow(None, None, invite=game_id), SeatRow(None, "ben")],
            public=True,
            now=hands(),
        )
    await damage(store, "b", how)
    found = {game.id for game in await store.games.in_lobby()}
    assert "a" in found
    assert found == {own.game.id for own in await store.own_games.running("ben")}
    await store.close()
    async with visiting(database, config_at(database, now=hands, lobby=True)) as client:
        lobby = await Browser(client).get("/lobby")
        assert (lobby.status, "Ada a" in lobby.page) == (200, True)


async def test_ratings_that_cannot_be_updated_do_not_block_the_table(database, caplog):
    tables = TableRegistry(Store(database), config_at(database))

    async def fail(table):
        raise RuntimeError("a mistake of ours")

    tables.on_game_over = fail
    game = Game(2, seed=1)
    game_id = await tables.create(game, PEOPLE)
    table = await tables.load(game_id)
    while not table.game.over:
        table.game.play(table.game.choices[0])
    with caplog.at_level(logging.ERROR):
        await tables.record_result_if_over(table)
    assert "ratings and results could not be updated" in caplog.text
    await tables.close()


async def test_a_table_whose_deadlines_cannot_be_checked_is_checked_again(database, hands):
    tables, checked = TableRegistry(Store(database), config_at(database, now=hands)), []

    async def check(game_id):
        checked.append(hands())
        raise RuntimeError("a mistake of ours")

    began = hands()
    tables.driver.scheduler.schedule("one", began)
    await tables.driver.scheduler.run_due(check)
    await tables.driver.scheduler.run_due(check)
    hands.go(60)
    await tables.driver.scheduler.run_due(check)
    assert checked == [began, began + timedelta(minutes=1)]
    await tables.close()


async def test_a_task_that_fails_is_restarted_and_reported(client, monkeypatch, caplog):
    monkeypatch.setattr(background, "RESTART_INTERVAL", 0.001)
    tables, tries, recovered = client.app.state.tables, [], asyncio.Event()

    async def work():
        tries.append(len(tries))
        if len(tries) < 3:
            raise RuntimeError("a mistake of ours")
        await recovered.wait()
        tables.background.report_success("test")
        await asyncio.Event().wait()

    tables.background.start("test", work)
    await wait_until(lambda: len(tries) == 3)
    answer = await client.get("/health")
    assert (answer.status_code, answer.json()["failing"]) == (503, ["test"])
    recovered.set()
    await wait_until(lambda: not tables.background.failing)
    assert (await client.get("/health")).status_code == 200
    assert caplog.text.count("a background task failed: test") == 2


async def test_tasks_end_with_the_server():
    tasks, ended = BackgroundTasks(), []

    async def work():
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    tasks.start("one", work)
    await asyncio.sleep(0)
    await tasks.stop("nothing")
    await tasks.close()
    assert ended == [True]
