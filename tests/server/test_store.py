"""The store: games, moves, seats and messages in a database with the right schema."""

import asyncio
import contextlib
import gc
import sqlite3
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import text, update
from sqlalchemy.exc import DBAPIError

from hegemon import Game, write_record
from hegemon.server.db.errors import ConflictError, DatabaseError
from hegemon.server.db.games import RunningClock
from hegemon.server.db.migrate import alembic_config, schema_mismatch
from hegemon.server.db.options import TableOptions
from hegemon.server.db.rows import MessageRow, MoveRow, SeatRow, Substitution
from hegemon.server.db.schema import SCHEMA_REVISION, games
from hegemon.server.db.store import Store
from hegemon.server.db.upkeep import broken_references

RECORD = write_record(Game(2, seed=1).record())
SEATS = [SeatRow(None, "ada"), SeatRow("greedy", None)]
NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def upgrade_to(revision, config, head, upgrade=command.upgrade):
    upgrade(config, revision)


@pytest.fixture
async def store(database):
    """A store with another game in it, which no test may change."""
    store = Store(database)
    seats = [SeatRow(None, "nora"), SeatRow(None, "nils", "Nils", 2)]
    await store.games.create("other", RECORD, seats, now=LONG_AGO)
    await store.moves.append("other", MoveRow(1, 0, "M", "n", LONG_AGO), finished=False)
    await store.messages.add("other", MessageRow(1, NOON, 0, "nora", text="hello"))
    other = await store.games.load("other")
    yield store
    assert await store.games.load("other") == other
    await store.close()


async def test_a_game_is_saved_with_its_seats_and_moves(store):
    await store.games.create("one", RECORD, SEATS)
    await store.moves.append("one", MoveRow(1, 0, "M", "a"), finished=False)
    row = await store.games.load("one")
    assert (row.record, row.seats, row.moves) == (RECORD, tuple(SEATS), (MoveRow(1, 0, "M", "a"),))
    assert [own.game.id for own in await store.own_games.running("ada")] == ["one"]
    assert await store.own_games.running("ben") == []
    assert await store.games.load("two") is None


@pytest.mark.sqlite
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
    messages = [MessageRow(number, NOON, 0, "ada", text=f"text {number}") for number in (1, 2, 3)]
    for message in messages:
        await store.messages.add("one", message)
    with pytest.raises(ConflictError):
        await store.messages.add("one", MessageRow(3, NOON, None, "eve", name="Eve", phrase="hello"))
    assert (await store.games.load("one")).messages == tuple(messages[1:])


async def test_starting_a_game_twice_keeps_the_first_time(store):
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
    assert not await store.seats.claim("other", 1, "key", eve)
    assert await store.seats.claim("one", 1, "key", ben)
    assert not await store.seats.claim("one", 1, "key", eve)
    assert (await store.games.load("one")).seats[1] == ben
    (listed,) = await store.own_games.running("ben")
    assert listed.game.names == ("Player 1", "Ben")


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
    await store.messages.add("one", MessageRow(1, NOON, 0, "ada", text="old friends"))
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


async def test_messages_of_players_and_of_spectators_are_limited_separately(store, monkeypatch):
    monkeypatch.setattr("hegemon.server.db.messages.MAX_MESSAGES", 2)
    await store.games.create("one", RECORD, SEATS)
    messages = [
        MessageRow(number, NOON, None if number % 2 else 0, "ada", text="text") for number in range(1, 8)
    ]
    for message in messages:
        await store.messages.add("one", message)
    assert (await store.games.load("one")).messages == tuple(messages[3:])


async def test_a_message_is_found_by_its_author_and_key(store):
    for game in ("one", "two"):
        await store.games.create(game, RECORD, SEATS)
    message = MessageRow(1, NOON, None, "eve", "Eve", "spare", 1, "M", "text", "key")
    await store.messages.add("one", message)
    assert await store.messages.find("one", "eve", "key") == message
    for game, author, key in (("two", "eve", "key"), ("one", "ada", "key"), ("one", "eve", "other")):
        assert await store.messages.find(game, author, key) is None


async def test_a_game_is_loaded_as_it_was_created(store):
    await store.games.create("first", RECORD, SEATS)
    seats = [SeatRow(None, "ada", "Ada", 4), SeatRow(None, None, invite="key", substitute="easy")]
    options = TableOptions("de", True, "3d a move", 2, 1, (1, 0))
    moves = [MoveRow(1, 0, "M", "a"), MoveRow(2, 1, "R")]
    facts = {"finished": True, "host": "ada", "options": options, "public": True, "previous_game": "first"}
    await store.games.create("one", RECORD, seats, moves, **facts, now=NOON)
    row = await store.games.load("one")
    assert {name: getattr(row, name) for name in facts} == facts
    assert (row.id, row.record, row.seats, row.moves) == ("one", RECORD, tuple(seats), tuple(moves))
    assert [move.created_at for move in row.moves] == [NOON, NOON]
    assert (row.started_at, row.rated, row.next_game, row.messages, row.substitutions) == (
        None,
        False,
        None,
        (),
        (),
    )
    assert row.updated_at.replace(tzinfo=UTC) == NOON
    await store.games.create("full", RECORD, SEATS, now=NOON)
    row = await store.games.load("full")
    assert (row.started_at, row.host, row.public, row.finished) == (NOON, None, False, False)
    assert (row.previous_game, row.options, row.moves) == (None, TableOptions(), ())


async def test_a_move_changes_its_game_and_no_other(store):
    for game in ("one", "two"):
        await store.games.create(game, RECORD, SEATS, now=NOON)
    later = NOON + timedelta(hours=1)
    await store.moves.append("one", MoveRow(1, 0, "M", created_at=later), finished=True)
    rows = [await store.games.load(game) for game in ("one", "two")]
    assert [(row.finished, row.updated_at.replace(tzinfo=UTC), len(row.moves)) for row in rows] == [
        (True, later, 1),
        (False, NOON, 0),
    ]
    assert await store.games.last_change() == later
    before = datetime.now(UTC)
    await store.moves.append("two", MoveRow(1, 0, "M"), finished=False)
    (move,) = (await store.games.load("two")).moves
    assert before <= move.created_at <= datetime.now(UTC)


async def test_a_substitute_takes_over_unless_another_worker_has_changed_the_seat(store):
    for game in ("one", "two"):
        await store.games.create(game, RECORD, [SEATS[0], SEATS[0]])
    gone, back = (Substitution(number, NOON, 0, 1, reason) for number, reason in ((1, "clock"), (2, "back")))
    with pytest.raises(ConflictError):  # there was no move
        await store.seats.change_substitute("one", replace(gone, version=1), SEATS[0], "normal")
    await store.seats.change_substitute("one", gone, SEATS[0], "normal")
    row = await store.games.load("one")
    assert (row.seats, row.substitutions) == ((SEATS[0], SeatRow(None, "ada", substitute="normal")), (gone,))
    for before in (SEATS[0], SeatRow(None, "eve", substitute="normal")):
        with pytest.raises(ConflictError):
            await store.seats.change_substitute("one", back, before, None)
    assert await store.games.load("one") == row
    await store.seats.change_substitute("one", back, row.seats[1], None)
    row = await store.games.load("one")
    assert (row.seats, row.substitutions) == ((SEATS[0], SEATS[0]), (gone, back))
    assert (await store.games.load("two")).substitutions == ()
    await store.seats.save("two", 1, SEATS[0], SEATS[1])
    with pytest.raises(ConflictError):
        await store.seats.change_substitute("two", gone, SeatRow(None, None), "normal")


async def test_lists_show_the_latest_games_first_up_to_a_limit(store, monkeypatch):
    for hour, game in enumerate(("a", "b", "c")):
        seats = [SeatRow(None, "ada"), SeatRow(None, None, invite=game)]
        await store.games.create(game, RECORD, seats, public=True, now=NOON + timedelta(hours=hour))
    assert [game.id for game in await store.games.in_lobby()] == ["c", "b", "a"]
    assert [own.game.id for own in await store.own_games.running("ada")] == ["c", "b", "a"]
    assert await store.own_games.running(None) == []
    assert await store.games.ids() == ["other", "a", "b", "c"]
    monkeypatch.setattr("hegemon.server.db.games._MAX_OFFERED", 2)
    assert [game.id for game in await store.games.in_lobby()] == ["c", "b"]
    (own,) = await store.own_games.running("ada", size=1)
    listed = own.game
    assert (listed.id, listed.record, listed.finished, listed.options) == ("c", RECORD, False, TableOptions())
    assert listed.updated_at.replace(tzinfo=UTC) == NOON + timedelta(hours=2)
    assert listed.seats == (SeatRow(None, "ada"), SeatRow(None, None, invite="c"))


UPLOAD = [SeatRow(None, None)] * 2


async def create_old_games(store):
    """Games of each kind from an hour before noon, and uploads of the hours before that."""
    hour = timedelta(hours=1)
    await store.games.create("finished", RECORD, SEATS, finished=True, now=NOON - hour)
    await store.games.create("going on", RECORD, SEATS, now=NOON - hour)
    await store.games.create("hosted", RECORD, UPLOAD, host="ada", now=NOON - hour)
    await store.games.create("open", RECORD, [SeatRow(None, None, invite="key")], now=NOON - hour)
    await store.games.create("of bots", RECORD, [SeatRow("greedy", None)] * 2, now=NOON - hour)
    await store.games.create("owned", RECORD, [SeatRow(None, "ada")] * 2, now=NOON - hour)
    for hours in (1, 2, 3):
        await store.games.create(f"upload {hours}", RECORD, UPLOAD, now=NOON - hours * hour)


async def test_games_that_are_over_and_uploads_expire_in_batches(store, monkeypatch):
    monkeypatch.setattr("hegemon.server.db.games._MAX_EXPIRED", 3)
    await create_old_games(store)
    assert sorted(await store.games.expire(NOON - timedelta(hours=1))) == ["upload 2", "upload 3"]
    monkeypatch.setattr("hegemon.server.db.games._MAX_EXPIRED", 1)
    found = [await store.games.expire(NOON) for _ in range(3)]
    assert sorted(found) == [[], ["finished"], ["upload 1"]]
    assert len(await store.games.ids()) == 6


async def test_uploads_are_limited_in_age_and_number_and_other_games_are_not(store):
    await create_old_games(store)
    assert await store.games.limit_imported(NOON - timedelta(hours=3), 3) == []
    assert await store.games.limit_imported(NOON - timedelta(hours=2), 3) == ["upload 3"]
    assert await store.games.limit_imported(NOON - timedelta(hours=9), 1) == ["upload 2"]
    assert len(await store.games.ids()) == 8


@pytest.mark.parametrize(
    ("options", "checked"), [("{}", False), ('{"clock": "3d a move"}', True), ("?", True)]
)
async def test_games_with_clocks_and_damaged_ones_are_checked_until_they_are_over(store, options, checked):
    for game in ("one", "over"):
        await store.games.create(game, RECORD, SEATS, finished=game == "over")
    async with store.database.writing() as connection:
        await connection.execute(update(games).where(games.c.id.in_(["one", "over"])).values(options=options))
    clocks = await store.games.running_clocks()
    assert [clock.game for clock in clocks] == (["one"] if checked else [])


async def test_the_finished_games_among_some_ids(store):
    for game in ("one", "two", "three"):
        await store.games.create(game, RECORD, SEATS, finished=game != "three")
    assert await store.games.finished(["one", "three"]) == {"one"}


async def test_a_running_clock_has_the_earliest_deadline_that_was_saved(store):
    options = TableOptions(clock="3d a move")
    for game in ("one", "two"):
        await store.games.create(game, RECORD, SEATS, options=options)
    await store.turns.save({"one": {0: NOON + timedelta(days=2), 1: NOON}})
    clocks = await store.games.running_clocks()
    assert sorted(clocks, key=lambda clock: clock.game) == [
        RunningClock("one", "3d a move", NOON),
        RunningClock("two", "3d a move", None),
    ]


async def test_starting_a_missing_game_returns_the_current_time(store):
    assert await store.games.start("missing", NOON) == NOON
    assert await store.games.load("missing") is None


async def test_migrating_a_database_again_changes_nothing(database, store):
    await store.games.create("one", RECORD, SEATS)
    again = Store(database)
    await again.migrate()
    assert await again.games.load("one") is not None
    await again.close()


@pytest.mark.sqlite
async def test_sqlite_writes_through_to_the_disk(store):
    """A move that was acknowledged must survive a power failure."""
    async with store.database.reading() as connection:
        pragmas = {
            name: await connection.scalar(text(f"PRAGMA {name}"))
            for name in ("synchronous", "journal_mode", "foreign_keys")
        }
    assert pragmas == {"synchronous": 2, "journal_mode": "wal", "foreign_keys": 1}


def test_the_schema_revision_is_that_of_the_last_migration():
    assert ScriptDirectory.from_config(alembic_config()).get_current_head() == SCHEMA_REVISION


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
    assert await rejection(f"sqlite+aiosqlite:///{path}") == (
        f"{path} has tables of another program. Choose another place with --database."
    )


@pytest.mark.sqlite
async def test_a_database_of_another_version_is_not_changed(database, store, tmp_path):
    with sqlite3.connect(tmp_path / "games.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    with pytest.raises(DatabaseError) as rejected:
        await store.migrate()
    assert str(rejected.value) == (
        f"The database {tmp_path / 'games.db'} belongs to another version: Can't locate revision identified by "
        "'9999'. Update hegemon, or choose another place."
    )
    assert await schema_mismatch(store.database) == (
        f"the schema has revision 9999, not {SCHEMA_REVISION}; `hegemon serve` upgrades older ones"
    )


@pytest.mark.sqlite
async def test_a_database_that_cannot_be_read_is_rejected_with_the_reason(database, store, tmp_path):
    with sqlite3.connect(tmp_path / "games.db") as connection:
        connection.execute("ALTER TABLE alembic_version RENAME COLUMN version_num TO number")
    connection.close()
    with pytest.raises(
        DatabaseError, match=r"cannot be opened: no such column: version_num\. Choose another"
    ):
        await store.migrate()


@pytest.mark.sqlite
async def test_rows_of_games_that_do_not_exist_are_found(store, tmp_path):
    assert await broken_references(store.database) == []
    with sqlite3.connect(tmp_path / "games.db") as connection:
        connection.execute("INSERT INTO seats (game, seat) VALUES ('gone', 0)")
        row = connection.execute("SELECT rowid FROM seats WHERE game = 'gone'").fetchone()[0]
    connection.close()
    assert await broken_references(store.database) == [f"row {row} of seats does not belong to a game"]


@pytest.mark.sqlite
async def test_a_faulty_statement_is_not_a_storage_error(store, caplog):
    async with store.database.reading() as connection:
        for statement in ("SELECT * FROM nothing", "INSERT INTO games (id) VALUES ('other')"):
            with pytest.raises(DBAPIError):
                await connection.execute(text(statement))
    assert not caplog.records
    assert await store.database.is_healthy()


async def test_an_error_quotes_no_values(store):
    with pytest.raises(ConflictError) as rejected:
        await store.games.create("other", "a secret", SEATS)
    assert "hidden" in str(rejected.value.__cause__)
    assert "a secret" not in str(rejected.value.__cause__)


@pytest.mark.sqlite
async def test_threads_of_connections_keep_no_process_alive(store):
    assert all(thread.daemon for thread in threads_of_connections())
    assert threads_of_connections()


async def test_a_missing_folder_is_reported(tmp_path):
    assert "cannot be opened" in await rejection(f"sqlite+aiosqlite:///{tmp_path}/nowhere/games.db")


async def test_the_location_has_no_password():
    store = Store("sqlite+aiosqlite://")
    assert store.database.location == "sqlite+aiosqlite://"
    await store.close()


def threads_of_connections():
    return [thread for thread in threading.enumerate() if "_connection_worker_thread" in thread.name]


def stuck_threads_of_connections():
    """The threads of closed connections that do not end; a connection is closed a moment before its thread ends."""
    threads = threads_of_connections()
    for thread in threads:
        thread.join(10)
    return [thread for thread in threads if thread.is_alive()]


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
            assert not stuck_threads_of_connections()


async def test_a_connection_is_not_lost_if_its_task_is_cancelled_at_any_moment(database):
    """A connection that is being made or returned would stay open for ever."""
    store = Store(database)

    async def read():
        async with store.database.reading() as connection:
            await connection.execute(text("SELECT 1"))

    for steps in range(40):
        task = asyncio.create_task(read())
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await store.close()
    gc.collect()  # would warn of connections that are open
    assert store.database._engine.pool.checkedout() == 0
