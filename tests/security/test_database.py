"""The database: one server at a time, private files, and damage that is noticed and does not spread."""

import asyncio
import logging
import resource
import sqlite3
import stat
from contextlib import closing, contextmanager
from pathlib import Path
from time import perf_counter
from types import SimpleNamespace
from urllib.request import urlopen

import pytest
from server_browser import visiting
from server_config import config_at
from server_process import server_process
from server_program import Program

from hegemon.play.game import Game
from hegemon.server.db import database as database_module
from hegemon.server.db.errors import DatabaseError, DatabaseInUse, StorageError
from hegemon.server.db.rows import SeatRow
from hegemon.server.db.sqlite_files import lock_file
from hegemon.server.db.store import Store
from hegemon.server.runner import check_database, database_url, listening_socket, serve
from hegemon.server.tables import seats
from hegemon.server.tables.errors import SeatRejected
from hegemon.server.tables.registry import TableRegistry


@pytest.fixture
def failures(monkeypatch):
    """What the store logs, and health checks that try the database each time."""
    noted = []

    def note(event, level, **facts):
        assert (event, level) == ("the database failed", logging.ERROR)
        noted.append(facts)

    monkeypatch.setattr(database_module, "log_event", note)
    monkeypatch.setattr(database_module, "PROBE_INTERVAL", 0)
    return noted


@pytest.fixture
def path(database, tmp_path):
    return tmp_path / "games.db"


# ---------------------------------------------------------------- one server at a time


@pytest.mark.slow
def test_a_second_server_does_not_start_until_the_first_is_dead(tmp_path, monkeypatch):
    monkeypatch.setattr("hegemon.server.runner.logs.configure_logging", lambda form: None)
    monkeypatch.setattr("sys.setswitchinterval", lambda seconds: None)
    with server_process(tmp_path) as server:
        url = database_url(str(server.database))
        urlopen(f"{server.address}/health").close()
        with pytest.raises(DatabaseInUse, match=r"already uses"):
            check_database(url)
        with listening_socket("127.0.0.1", 0) as listener, pytest.raises(DatabaseInUse):
            serve(config_at(url), listener, lambda: pytest.fail("it started"))
        server.kill()
        server.start()
        urlopen(f"{server.address}/health").close()


def test_the_lock_is_released_at_the_end_and_a_database_in_memory_needs_none(database, path):
    with lock_file(database):
        (lock,) = path.parent.glob("*-lock*")
        assert mode(lock) == 0o600
    with lock_file(database), pytest.raises(DatabaseInUse), lock_file(database):
        pytest.fail("two at once")
    with lock_file(database):
        pass
    with lock_file("sqlite+aiosqlite://"), lock_file("sqlite+aiosqlite://"):
        pass


async def test_a_removed_player_does_not_get_the_seat_back_through_another_worker(database):
    here, elsewhere = (TableRegistry(Store(database), config_at(database)) for _ in range(2))
    try:
        game_id = await here.create(
            Game(2, seed=1), [SeatRow(None, "ada"), SeatRow(None, "ben", "Ben")], host="ada"
        )
        table, stale = await here.load(game_id), await elsewhere.load(game_id)
        await seats.reassign_seat(here, table, 1, seats.open_seat_row(), "ada")
        with pytest.raises(SeatRejected, match=r"^lost$"):
            await seats.rename_player(elsewhere, stale, 1, "ben", "Ben again", None)
        assert (await here.store.games.load(game_id)).seats == table.seats == stale.seats
        assert stale.seats[1].is_open
    finally:
        await here.close()
        await elsewhere.close()


# ---------------------------------------------------------------- private files


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


async def test_only_the_owner_may_read_the_files(tmp_path):
    path = tmp_path / "new.db"
    store = Store(database_url(str(path)))
    await store.migrate()
    await store.games.create("one", "", [SeatRow(None, None)])
    files = [path, Path(f"{path}-wal"), Path(f"{path}-shm")]
    assert [mode(file) for file in files] == [0o600] * 3
    for file in files:
        file.chmod(0o644)
    await store.migrate()
    assert [mode(file) for file in files] == [0o600] * 3
    await store.close()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["new.db"]


# ---------------------------------------------------------------- damage


def test_an_emptied_file_is_rejected(path):
    path.write_bytes(b"")
    with pytest.raises(DatabaseError, match="it is empty"):
        check_database(database_url(str(path)))
    assert path.read_bytes() == b""


def test_flipped_bits_are_found_before_anything_is_written(path):
    """Twenty bits in the headers of twenty pages, as a failing disk or memory would leave them."""
    data = bytearray(path.read_bytes())
    for page in range(1, 21):
        data[4096 * page] ^= 0x40
    path.write_bytes(data)
    with pytest.raises(DatabaseError, match=r"is damaged: .* Nothing was changed"):
        check_database(database_url(str(path)))
    assert path.read_bytes() == data


@contextmanager
def full_disk(path):
    """Make the system refuse to write files larger than the database's log."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (Path(f"{path}-wal").stat().st_size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_a_full_disk_is_reported_and_a_move_counts_afterwards(client, path, failures):
    (player,) = await Program.create(client, seats=[{}, {"bot": "chance"}])
    choice = (await player.state())["choices"][0]["choice"]
    with full_disk(path):
        answer = await player.submit_move(choice, 0, "key")
        health = await client.get("/health")
        page = await client.post("/games", data={"quick": "yes"})
    assert (answer.status_code, health.status_code, page.status_code) == (503, 503, 503)
    assert "cannot save anything" in answer.json()["why"]
    assert answer.headers["retry-after"] == "10"
    assert "cannot be read or written" in health.json()["status"]
    assert "cannot save anything" in page.text
    assert failures
    assert all(failure == {"code": "SQLITE_IOERR_WRITE", "writing": "goes on"} for failure in failures)
    assert (await client.get("/health")).status_code == 200
    assert (await player.submit_move(choice, 0, "key")).json() == {"version": 1}


async def test_a_disk_failure_is_raised_with_the_message_of_sqlite(database, path, failures):
    store = Store(database)
    await store.games.create("one", "", [SeatRow(None, None)])
    with full_disk(path), pytest.raises(StorageError) as failed:
        await store.games.create("two", "", [SeatRow(None, None)])
    assert str(failed.value) == "disk I/O error"
    assert isinstance(failed.value.__cause__, sqlite3.OperationalError)
    await store.games.create("two", "", [SeatRow(None, None)])
    await store.close()


async def test_the_result_of_a_health_check_is_cached_for_a_while(database, monkeypatch):
    """Each check increments a number in the file that SQLite leaves to programs, and wraps around at the end."""
    now, store = [0.0], Store(database)
    monkeypatch.setattr(
        database_module, "time", SimpleNamespace(monotonic=lambda: now[0], perf_counter=perf_counter)
    )

    async def checks(at: float) -> int:
        now[0] = at
        assert await store.database.is_healthy()
        async with store.database.reading() as connection:
            return (await connection.exec_driver_sql("PRAGMA user_version")).scalar()

    interval = database_module.PROBE_INTERVAL
    assert [await checks(at) for at in (0, interval - 0.1, interval, 1.5 * interval, 2 * interval)] == [
        2,
        2,
        3,
        3,
        4,
    ]
    async with store.database.writing() as connection:
        await connection.exec_driver_sql("PRAGMA user_version = 999999")
    assert [await checks(interval * at) for at in (3, 4)] == [1_000_000, 1]
    await store.close()


async def test_many_health_checks_write_once(client, path, monkeypatch):
    """Each check writes to the disk, and any visitor can request one."""
    monkeypatch.setattr(database_module, "PROBE_INTERVAL", 3600)
    answers = await asyncio.gather(*(client.get("/health") for _ in range(20)))
    assert {answer.status_code for answer in answers} == {200}
    async with client.app.state.tables.store.database.reading() as connection:
        assert (await connection.exec_driver_sql("PRAGMA user_version")).scalar() == 2


async def test_nothing_is_written_to_a_file_that_turns_out_to_be_damaged(database, path, failures):
    with closing(sqlite3.connect(path)) as connection:
        root = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'seats'").fetchone()[0]
    with path.open("r+b") as file:
        file.seek(4096 * (root - 1))
        file.write(b"\xff" * 100)
    async with visiting(database) as client:
        assert (await client.post("/games", data={"quick": "yes"})).status_code == 503
        before = path.read_bytes(), Path(f"{path}-wal").read_bytes()
        assert (await client.get("/health")).status_code == 503
        with pytest.raises(StorageError):
            await client.app.state.tables.store.games.create("one", "", [])
        assert (path.read_bytes(), Path(f"{path}-wal").read_bytes()) == before
    assert {"code": "SQLITE_CORRUPT", "writing": "stopped"} in failures


@pytest.mark.parametrize("replaced", [False, True])
async def test_a_file_that_was_deleted_or_replaced_takes_no_moves(client, path, failures, replaced):
    """The system lets a program keep writing to a file that has been deleted or replaced."""
    (player,) = await Program.create(client, seats=[{}, {"bot": "chance"}])
    choice = (await player.state())["choices"][0]["choice"]
    copy = path.read_bytes()
    path.unlink()
    if replaced:
        path.write_bytes(copy)
    assert (await player.submit_move(choice, 0, "key")).status_code == 503
    assert (await client.get("/health")).status_code == 503
    assert failures == [{"code": "FILE_REPLACED", "writing": "stopped"}]
