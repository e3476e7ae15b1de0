"""The store: games, moves, seats and messages in a database with the right schema."""

import asyncio
import contextlib
import sqlite3
import threading
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import text

from hegemon import Game, write_record
from hegemon.server.db.database import ConflictError, migrations
from hegemon.server.db.files import DatabaseError
from hegemon.server.db.options import TableOptions
from hegemon.server.db.schema import SCHEMA_REVISION, Message, MoveRow, SeatRow
from hegemon.server.db.store import Store

RECORD = write_record(Game(2, seed=1).record())
SEATS = [SeatRow(None, "ada"), SeatRow("greedy", None)]
NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


def upgrade_to(revision, config, head, upgrade=command.upgrade):
    upgrade(config, revision)


@pytest.fixture
async def store(tmp_path):
    """A store with another game in it, which no test may change."""
    store = Store(f"sqlite+aiosqlite:///{tmp_path / 'games.db'}")
    await store.migrate()
    await store.games.create("other", RECORD, [SeatRow(None, "nora"), SeatRow(None, "nils", "Nils", 2)])
    await store.moves.append("other", MoveRow(1, 0, "M", "n"), finished=False)
    await store.messages.add("other", Message(1, NOON, 0, "nora", text="hello"))
    other = await store.games.load("other")
    yield store
    assert await store.games.load("other") == other
    await store.close()


async def test_a_game_is_saved_with_its_seats_and_moves(store):
    await store.games.create("one", RECORD, SEATS)
    await store.moves.append("one", MoveRow(1, 0, "M", "a"), finished=False)
    row = await store.games.load("one")
    assert (row.record, row.seats, row.moves) == (RECORD, tuple(SEATS), (MoveRow(1, 0, "M", "a"),))
    assert [game.id for game in await store.games.owned_by("ada")] == ["one"]
    assert await store.games.owned_by("ben") == []
    assert await store.games.load("two") is None


async def test_every_connection_syncs_each_transaction_to_disk(store):
    """A move is acknowledged once it would survive a power failure, which a killed server does not show."""
    wanted = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 5000}
    async with (
        store.database.reading() as first,
        store.database.reading() as second,
        store.database.writing() as writing,
    ):
        for connection in (first, second, writing):
            set_to = {name: (await connection.execute(text(f"PRAGMA {name}"))).scalar() for name in wanted}
            assert set_to == wanted


@pytest.mark.parametrize("move", [MoveRow(1, 1, "R", "b"), MoveRow(2, 1, "R", "a")])
async def test_a_version_and_an_idempotency_key_are_unique(store, move):
    await store.games.create("one", RECORD, SEATS)
    await store.moves.append("one", MoveRow(1, 0, "M", "a"), finished=False)
    with pytest.raises(ConflictError):
        await store.moves.append("one", move, finished=False)
    assert len((await store.games.load("one")).moves) == 1


async def test_the_latest_messages_are_loaded_and_a_number_is_unique(store, monkeypatch):
    monkeypatch.setattr("hegemon.server.db.messages.MAX_MESSAGES", 2)
    await store.games.create("one", RECORD, SEATS)
    messages = [Message(number, NOON, 0, "ada", text=f"text {number}") for number in (1, 2, 3)]
    for message in messages:
        await store.messages.add("one", message)
    with pytest.raises(ConflictError):
        await store.messages.add("one", Message(3, NOON, None, "eve", name="Eve", phrase="hello"))
    assert (await store.games.load("one")).messages == tuple(messages[1:])


async def test_a_game_starts_once_and_alone(store):
    for game in ("one", "two"):
        await store.games.create(game, RECORD, [SeatRow(None, "ada"), SeatRow(None, None, invite=game)])
    later = NOON + timedelta(hours=1)
    assert [await store.games.start("one", time) for time in (NOON, later)] == [NOON, NOON]
    assert await store.games.start("two", later) == later


async def test_a_seat_is_saved_unless_another_worker_has_changed_it(store):
    for game in ("one", "two"):
        await store.games.create(game, RECORD, SEATS)
    bot = SeatRow("normal", None)
    await store.seats.save("one", 0, SEATS[0], bot)
    with pytest.raises(ConflictError):
        await store.seats.save("one", 0, SEATS[0], SeatRow(None, "eve"))
    assert (await store.games.load("one")).seats == (bot, SEATS[1])
    assert (await store.games.load("two")).seats == tuple(SEATS)


async def test_a_move_has_the_time_it_is_given(store):
    await store.games.create("one", RECORD, SEATS)
    await store.moves.append("one", MoveRow(1, 0, "M", created_at=NOON), finished=False)
    row = await store.games.load("one")
    assert row.moves[0].created_at == NOON


async def test_a_seat_is_claimed_once_and_by_its_invitation_alone(store):
    await store.games.create("one", RECORD, [SeatRow(None, "ada"), SeatRow(None, None, invite="key")])
    ben, eve = (SeatRow(None, name.lower(), name, 3, "key") for name in ("Ben", "Eve"))
    assert await store.seats.find_invite("key") == ("one", 1)
    assert await store.seats.find_invite("forged") is None
    assert not await store.seats.claim("one", 1, "forged", eve)
    assert not await store.seats.claim("one", 0, "key", eve)
    assert await store.seats.claim("one", 1, "key", ben)
    assert not await store.seats.claim("one", 1, "key", eve)
    assert (await store.games.load("one")).seats[1] == ben
    (listed,) = await store.games.owned_by("ben")
    assert listed.names == ("Player 1", "Ben")


async def test_the_lobby_lists_public_games_with_an_open_seat(store):
    def seats(name):
        return [SeatRow(None, "ada"), SeatRow(None, None, invite=name)]

    await store.games.create("open", RECORD, seats("open"), public=True, options=TableOptions(language="de"))
    await store.games.create("private", RECORD, seats("private"))
    await store.games.create("full", RECORD, SEATS, public=True)
    await store.games.create("over", RECORD, seats("over"), public=True, finished=True)
    (found,) = await store.games.in_lobby()
    assert (found.id, found.options.language) == ("open", "de")
    await store.seats.save("open", 1, seats("open")[1], SeatRow("greedy", None))
    assert await store.games.in_lobby() == []


async def test_only_one_game_follows_another(store):
    await store.games.create("one", RECORD, SEATS)
    await store.games.create("two", RECORD, SEATS, previous_game="one")
    with pytest.raises(ConflictError):
        await store.games.create("three", RECORD, SEATS, previous_game="one")
    assert (await store.games.load("one")).next_game == "two"
    assert await store.games.load("three") is None


async def test_a_database_of_the_first_revision_is_upgraded(tmp_path, monkeypatch):
    url = f"sqlite+aiosqlite:///{tmp_path / 'old.db'}"
    store = Store(url)
    with monkeypatch.context() as first:
        first.setattr("alembic.command.upgrade", partial(upgrade_to, "0001"))
        await store.migrate()
    await store.migrate()
    await store.games.create("one", RECORD, SEATS)
    await store.messages.add("one", Message(1, NOON, 0, "ada", text="old friends"))
    await store.close()


async def test_of_concurrent_moves_only_those_that_conflict_are_rejected(
    store,
):
    games = [f"game{number}" for number in range(20)]
    for game in games:
        await store.games.create(game, RECORD, SEATS)
    await store.moves.append("game7", MoveRow(1, 0, "M", "a"), finished=False)
    answers = await asyncio.gather(
        *(store.moves.append(game, MoveRow(1, 0, "R", game), finished=False) for game in games),
        return_exceptions=True,
    )
    assert [game for game, answer in zip(games, answers, strict=True) if answer is not None] == ["game7"]
    assert isinstance(answers[7], ConflictError)
    saved = [(await store.games.load(game)).moves[0].choice for game in games]
    assert saved == ["M" if game == "game7" else "R" for game in games]


async def test_a_move_is_saved_although_its_request_is_cancelled(store):
    for game in ("one", "two"):
        await store.games.create(game, RECORD, SEATS)
    waiting = [
        asyncio.create_task(store.moves.append(game, MoveRow(1, 0, "M"), finished=False))
        for game in ("one", "two")
    ]
    await asyncio.sleep(0)
    waiting[0].cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert [len((await store.games.load(game)).moves) for game in ("one", "two")] == [1, 1]


async def test_a_database_is_migrated_once_and_stays(database, store):
    await store.games.create("one", RECORD, SEATS)
    again = Store(database)
    await again.migrate()
    assert await again.games.load("one") is not None
    await again.close()


async def test_sqlite_writes_through_to_the_disk(store):
    """A move that was acknowledged must survive a power failure."""
    async with store.database.reading() as connection:
        pragmas = {
            name: await connection.scalar(text(f"PRAGMA {name}"))
            for name in ("synchronous", "journal_mode", "foreign_keys")
        }
    assert pragmas == {"synchronous": 2, "journal_mode": "wal", "foreign_keys": 1}


def test_the_schema_revision_is_that_of_the_last_migration():
    assert ScriptDirectory.from_config(migrations()).get_current_head() == SCHEMA_REVISION


async def rejection(url):
    store = Store(url)
    try:
        with pytest.raises(DatabaseError) as rejected:
            await store.migrate()
        assert not await store.database.is_healthy()
    finally:
        await store.close()
    return str(rejected.value)


@pytest.mark.parametrize("table", ["shopping", "alembic_version"])
async def test_a_database_with_foreign_tables_is_not_changed(tmp_path, table):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE {table} (thing)")
    connection.close()
    assert "another program" in await rejection(f"sqlite+aiosqlite:///{path}")


async def test_a_database_of_another_version_is_not_changed(database, store, tmp_path):
    with sqlite3.connect(tmp_path / "games.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    with pytest.raises(DatabaseError, match="another version"):
        await store.migrate()


async def test_a_missing_folder_is_reported(tmp_path):
    assert "cannot be opened" in await rejection(f"sqlite+aiosqlite:///{tmp_path}/nowhere/games.db")


async def test_the_location_has_no_password():
    store = Store("sqlite+aiosqlite://")
    assert store.database.location == "sqlite+aiosqlite://"
    await store.close()


def threads_of_connections():
    return [thread for thread in threading.enumerate() if "_connection_worker_thread" in thread.name]


async def test_no_thread_is_left_behind_when_connecting_fails_or_is_cancelled(tmp_path):
    for path in ("nowhere/games.db", "games.db"):
        for steps in range(4):
            store = Store(f"sqlite+aiosqlite:///{tmp_path / path}")
            asking = asyncio.create_task(store.database.is_healthy())
            for _ in range(steps):
                await asyncio.sleep(0)
            asking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asking
            assert not await store.database.is_healthy()
            await store.close()
            assert not threads_of_connections()
