"""PostgreSQL: guarantees beyond those that are tested on both databases."""

import asyncio
import logging
import threading
from datetime import UTC, datetime

import pytest
from server_browser import visiting
from server_config import config_at
from server_fixtures import PostgresqlServer
from sqlalchemy import select, text

from hegemon.play.game import Game
from hegemon.server.db import database as database_module
from hegemon.server.db.database import Database
from hegemon.server.db.engines import POSTGRESQL_OPTIONS
from hegemon.server.db.errors import DatabaseError, DatabaseInUse, StorageError
from hegemon.server.db.migrate import migrate
from hegemon.server.db.rows import MoveRow, SeatRow, Webhook
from hegemon.server.db.schema import outbox
from hegemon.server.db.store import Store
from hegemon.server.db.subscriptions import DesiredNotice, Subscription, push_outbox
from hegemon.server.maintenance import check, erase, new_host_token
from hegemon.server.runner import check_database
from hegemon.server.security import tokens
from hegemon.server.tables.moves import submit_move
from hegemon.server.tables.registry import TableRegistry

pytestmark = [pytest.mark.slow, pytest.mark.workers]

SEATS = [SeatRow(None, "ada"), SeatRow(None, "ben")]


@pytest.fixture
def database(postgresql_database):
    return postgresql_database


@pytest.fixture
async def store(database):
    store = Store(database)
    yield store
    await store.close()


@pytest.fixture
def own_server():
    """A PostgreSQL server that a test may stop, and the URL of an empty database on it."""
    with PostgresqlServer() as server:
        server.execute("CREATE DATABASE games")
        check_database(server.url("games"))
        yield server


async def test_a_restart_of_the_database_loses_nothing_and_needs_no_restart_of_the_server(own_server):
    url = own_server.url("games")
    tables = TableRegistry(Store(url), config_at(url))
    table = await tables.load(await tables.create(Game(2, seed=1), SEATS))
    choice = table.game.choices[0]
    await asyncio.to_thread(own_server.stop)
    with pytest.raises(StorageError):
        await submit_move(tables, table, 0, choice, 0, "key")
    assert not await tables.store.database.is_healthy()
    await asyncio.to_thread(own_server.start)
    assert await submit_move(tables, table, 0, choice, 0, "key") == 1
    assert await submit_move(tables, table, 0, choice, 0, "key") == 1
    row = await tables.store.games.load(table.id)
    assert [move.choice for move in row.moves] == [choice]
    await tables.close()


async def lock_holders(database):
    """The PostgreSQL processes of the connections that hold the lock."""
    async with database.reading() as connection:
        held = text(
            "SELECT pid FROM pg_locks JOIN pg_database ON pg_database.oid = database"
            " WHERE locktype = 'advisory' AND datname = current_database()"
        )
        return list(await connection.scalars(held))


async def lose_lock(database):
    """End the only connection that holds the lock."""
    (holder,) = await lock_holders(database)
    async with database.reading() as connection:
        await connection.execute(text(f"SELECT pg_terminate_backend({holder}, 60000)"))
    return holder


async def test_a_lost_lock_is_acquired_once(database):
    server = Database(database)
    await migrate(server)
    lost = await lose_lock(server)
    await asyncio.gather(*(server.lock.restore() for _ in range(3)))
    (holder,) = await lock_holders(server)
    assert holder != lost
    await server.close()


async def test_only_a_lost_lock_is_acquired_again(database):
    server = Database(database)
    await server.lock.restore()
    assert not server.lock.is_held
    await migrate(server)
    holders = await lock_holders(server)
    await server.lock.restore()
    assert await lock_holders(server) == holders
    await server.close()


async def test_a_lock_that_was_shared_before_it_was_lost_is_shared_again(database):
    first, second = (Database(database) for _ in range(2))
    await first.lock.acquire(exclusive=True)
    await first.lock.share()
    await lose_lock(first)
    await migrate(second)
    await first.lock.restore()
    assert len(await lock_holders(first)) == 2
    await second.close()
    await first.close()


async def test_a_lock_is_acquired_again_after_an_attempt_that_failed(own_server):
    server, command = (Database(own_server.url("games")) for _ in range(2))
    await migrate(server)
    await asyncio.to_thread(own_server.stop)
    with pytest.raises((StorageError, OSError)):
        await server.lock.restore()
    await asyncio.to_thread(own_server.start)
    await server.lock.restore()
    with pytest.raises(DatabaseInUse):
        await migrate(command, exclusive=True)
    await command.close()
    await server.close()


async def test_pages_answer_503_while_the_database_is_away(own_server):
    async with visiting(own_server.url("games")) as client:
        await asyncio.to_thread(own_server.stop)
        answer = await client.get("/games/nowhere", headers={"Accept": "text/html"})
        assert answer.status_code == 503
        assert answer.headers["Retry-After"] == "10"
        await asyncio.to_thread(own_server.start)
        assert (await client.get("/games/nowhere")).status_code == 404


async def test_a_statement_that_takes_too_long_is_cancelled(database, monkeypatch, caplog):
    settings = POSTGRESQL_OPTIONS["connect_args"]["server_settings"]
    monkeypatch.setitem(settings, "statement_timeout", "50ms")
    slow = Database(database)
    with caplog.at_level(logging.ERROR), pytest.raises(StorageError, match="statement timeout"):
        async with slow.reading() as connection:
            await connection.execute(text("SELECT pg_sleep(60)"))
    assert caplog.records[-1].facts == {"code": "57014", "writing": "goes on"}
    await slow.close()


async def test_a_lock_that_another_process_holds_for_too_long_is_a_failure(database, monkeypatch, caplog):
    settings = POSTGRESQL_OPTIONS["connect_args"]["server_settings"]
    monkeypatch.setitem(settings, "lock_timeout", "50ms")
    paused, waiting = Database(database), Database(database)
    async with paused.writing() as connection:
        await connection.execute(text("LOCK TABLE games"))
        with caplog.at_level(logging.ERROR), pytest.raises(StorageError, match="lock timeout"):
            async with waiting.writing() as other:
                await other.execute(text("LOCK TABLE games"))
    assert caplog.records[-1].facts == {"code": "55P03", "writing": "goes on"}
    await waiting.close()
    await paused.close()


async def test_a_connection_is_tested_after_it_was_idle_and_not_while_it_is_busy(database, monkeypatch):
    used, pings = Database(database), []
    dialect = used._engine.dialect
    ping = dialect.do_ping
    monkeypatch.setattr(dialect, "do_ping", lambda connection: pings.append(connection) or ping(connection))
    for seconds, expected in ((float("inf"), 0), (-1, 1)):
        async with used.reading():
            pings.clear()
        monkeypatch.setattr(database_module, "MAX_IDLE_WITHOUT_PING", seconds)
        async with used.reading() as connection:
            assert await connection.scalar(text("SELECT 1")) == 1
        assert len(pings) == expected
    await used.close()


async def test_more_requests_than_connections_wait_and_then_fail(database, monkeypatch):
    small = {"pool_size": 1, "max_overflow": 0, "pool_timeout": 0.05}
    monkeypatch.setattr(database_module, "POSTGRESQL_OPTIONS", POSTGRESQL_OPTIONS | small)
    busy = Database(database)
    async with busy.reading():
        with pytest.raises(StorageError):
            async with busy.reading():
                pytest.fail("there is one connection only")
    async with busy.reading() as connection:
        assert await connection.scalar(text("SELECT 1")) == 1
    await busy.close()


async def test_a_database_that_cannot_be_written_is_not_healthy(postgresql, database):
    name = database.rpartition("/")[2]
    await asyncio.to_thread(
        postgresql.execute, f"ALTER DATABASE {name} SET default_transaction_read_only = on"
    )
    standby = Store(database)
    assert not await standby.database.is_healthy()
    with pytest.raises(StorageError):
        await standby.games.create("one", "", SEATS)
    await standby.close()


async def test_the_host_can_create_a_token_and_check_but_not_erase_while_the_server_runs(database):
    async with visiting(database) as client:
        game = await client.app.state.tables.create(Game(2, seed=1), SEATS)
        token = await asyncio.to_thread(new_host_token, database)
        assert await client.app.state.tables.store.moderation.is_host_token(tokens.digest(token))
        report = await asyncio.to_thread(check, database)
        assert (report.games, report.problems) == (1, [])
        with pytest.raises(DatabaseInUse):
            await asyncio.to_thread(erase, database, f"{game}/1")
    assert await asyncio.to_thread(erase, database, f"{game}/1")


async def test_one_of_two_equal_moves_conflicts(store, database):
    await store.games.create("one", "", SEATS)
    other = Store(database)
    writes = [
        each.moves.append("one", MoveRow(1, seat, "M", f"key {seat}"), finished=False)
        for seat, each in enumerate((store, other))
    ]
    outcomes = await asyncio.gather(*writes, return_exceptions=True)
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["ConflictError", "NoneType"]
    await other.close()


async def test_changes_before_a_transaction_are_deleted(store, database):
    for name in ("one", "two"):
        await store.games.create(name, "", SEATS)
    other = Store(database)

    async def revisions():
        _, changes = await other.changes.since(0)
        return {change.game: change.revision for change in changes}

    second = (await revisions())["two"]
    await store.changes.prune(second)
    assert await revisions() == {"two": second}
    await other.close()


async def test_moves_of_the_same_games_in_another_order_do_not_deadlock(store, database):
    names = [f"game {number}" for number in range(20)]
    for name in names:
        await store.games.create(name, "", SEATS)
    other = Store(database)
    for version in range(1, 6):
        writes = [
            each.moves.append(name, MoveRow(2 * version - first, 0, "M", None), finished=False)
            for first, (each, order) in enumerate(((store, names), (other, names[::-1])))
            for name in order
        ]
        await asyncio.gather(*writes)
    assert len((await store.games.load("game 7")).moves) == 10
    await other.close()


NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


async def fill_webhooks(store, number):
    for name in (f"game {each}" for each in range(number)):
        await store.games.create(name, "", SEATS)
        await store.outbox.set_webhook(name, Webhook("https://example.org", "secret", "https://play"))
        await store.outbox.put(name, {"turn-1": "body"}, NOON)


async def fill_notices(store, number):
    device = Subscription(*("ada", "ada", "https://push.example", "key", "secret", ("turn",), "en"),
                          *("phone", "https://play", NOON, NOON))  # fmt: skip
    await store.subscriptions.save(device)
    for name in (f"game {each}" for each in range(number)):
        await store.games.create(name, "", SEATS)
        await store.subscriptions.put(name, {device.id: DesiredNotice("turn-1", NOON)}, NOON)


OUTBOXES = pytest.mark.parametrize(
    ("fill", "outbox_of", "rows"),
    [
        (fill_webhooks, lambda store: store.outbox, outbox),
        (fill_notices, lambda store: store.subscriptions, push_outbox),
    ],
)


@OUTBOXES
async def test_items_that_another_worker_takes_first_are_skipped(store, database, fill, outbox_of, rows):
    """The other worker comes after this one has looked, and before it takes what it has seen."""
    await fill(store, 3)
    taken_by_other = []

    async def take_as_other():
        other = Store(database)
        taken_by_other.extend(await outbox_of(other).take(NOON, 2))
        await other.close()

    def is_free(_item, _url):
        if not taken_by_other:
            thread = threading.Thread(target=lambda: asyncio.run(take_as_other()))
            thread.start()
            thread.join()
        return True

    taken = await outbox_of(store).take(NOON, 9, is_free)
    assert len(taken) == 1
    assert len({item.game for item in [*taken, *taken_by_other]}) == 3


@OUTBOXES
async def test_items_that_another_worker_has_locked_are_skipped(store, fill, outbox_of, rows):
    await fill(store, 3)
    async with store.database.writing() as other:
        await other.execute(select(rows).where(rows.c.game == "game 1").with_for_update())
        taken = await outbox_of(store).take(NOON, 9)
    assert sorted(item.game for item in taken) == ["game 0", "game 2"]
    assert [item.game for item in await outbox_of(store).take(NOON, 9)] == ["game 1"]


@OUTBOXES
async def test_many_workers_take_each_item_once(store, database, fill, outbox_of, rows):
    await fill(store, 40)
    workers = [Store(database) for _ in range(4)]

    async def take_all(worker):
        taken = []
        while more := await outbox_of(worker).take(NOON, 3):
            taken += more
        return taken

    shares = await asyncio.gather(*map(take_all, workers))
    rest = await outbox_of(store).take(NOON, 99)  # which each had left to the others
    assert sorted(item.game for share in [*shares, rest] for item in share) == sorted(
        f"game {each}" for each in range(40)
    )
    for worker in workers:
        await worker.close()


async def test_a_database_without_tables_is_migrated_once_by_several_at_a_time(postgresql):
    await asyncio.to_thread(postgresql.execute, "CREATE DATABASE fresh")
    databases = [Database(postgresql.url("fresh")) for _ in range(3)]
    await asyncio.gather(*(migrate(each) for each in databases))
    for each in databases:
        assert await each.is_healthy()
        await each.close()


@pytest.mark.parametrize("name", ["nowhere", "postgres"])
async def test_a_database_that_does_not_exist_or_is_another_programs_is_explained(postgresql, name):
    if name == "postgres":
        await asyncio.to_thread(postgresql.execute, "CREATE TABLE IF NOT EXISTS recipes (name text)")
    database = Database(postgresql.url(name))
    with pytest.raises(DatabaseError, match=r"does not exist|another program"):
        await migrate(database)
    await database.close()


def test_an_unreachable_database_server_is_explained():
    with pytest.raises(DatabaseError, match="cannot be opened"):
        check_database("postgresql+asyncpg://me:secret@127.0.0.1:1/games")
