"""Files of SQLite databases and backups: places, permissions, locks and error messages."""

import re
import sqlite3
import stat
import tempfile
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

from hegemon.server.db import sqlite_files
from hegemon.server.db.backups import back_up, restore, sqlite_file
from hegemon.server.db.errors import DatabaseError, DatabaseInUse, cannot_open
from hegemon.server.db.sqlite_files import check_file, file_of, find_damage, lock_file, prepare_file
from hegemon.server.runner import database_url


@pytest.fixture
def path(database, tmp_path):
    return tmp_path / "games.db"


@pytest.fixture
def far_from_greenwich(monkeypatch):
    monkeypatch.setenv("TZ", "Etc/GMT-9")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def only_next_to_the_database(monkeypatch, tmp_path):
    """Forbid temporary files anywhere else, because a file on another disk cannot be renamed into place."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))


def rejection(work, *arguments, **options):
    with pytest.raises(DatabaseError) as rejected:
        work(*arguments, **options)
    return str(rejected.value)


def change(path, *statements):
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def lose_index_entry(path):
    """Add a row that is missing from an index, which only a thorough check detects."""
    with closing(sqlite3.connect(path)) as connection:
        index = connection.execute("SELECT * FROM sqlite_schema WHERE name = 'ix_seats_owner'").fetchone()
    change(path, "PRAGMA writable_schema = ON", "DELETE FROM sqlite_schema WHERE name = 'ix_seats_owner'")
    change(path, "INSERT INTO seats (game, seat, owner) VALUES ('one', 0, 'ada')")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)", index)
        connection.commit()


def ruin(path):
    """Damage the header of a page."""
    data = bytearray(path.read_bytes())
    data[4096 * 5] ^= 0x40
    path.write_bytes(data)


def games_in(path):
    with closing(sqlite3.connect(path)) as connection:
        return [row[0] for row in connection.execute("SELECT id FROM games")]


def add_game(path, game_id):
    change(
        path,
        "INSERT INTO games (id, created_at, updated_at, record, finished) "
        f"VALUES ('{game_id}', '2030-01-01', '2030-01-01', '', 0)",
    )


# ---------------------------------------------------------------- the file


def test_the_file_of_a_database_url(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert file_of("sqlite+aiosqlite:///games.db") == tmp_path / "games.db"
    for url in (
        "sqlite+aiosqlite://",
        "sqlite:///:memory:",
        "sqlite:///file:games",
        "postgresql://host/games",
    ):
        assert file_of(url) is None


def test_a_database_that_cannot_be_opened_is_named_with_the_reason():
    assert str(cannot_open("games.db", OSError("it is a folder"))) == (
        "The database games.db cannot be opened: it is a folder. Choose another place with --database."
    )


def test_a_new_file_is_private_and_created_in_its_final_folder(tmp_path, only_next_to_the_database):
    path = tmp_path / "new.db"
    prepare_file(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert connection.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,)


def test_an_unfinished_new_file_is_hidden_and_named_after_the_database(tmp_path, monkeypatch):
    def fail(self, target):
        raise OSError("the disk is full")

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(OSError, match="the disk is full"):
        prepare_file(tmp_path / "new.db")
    (unfinished,) = tmp_path.iterdir()
    assert unfinished.name.startswith(".new.db.")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it is empty, and a database never is; restore a backup, or delete the file"),
        (b"bread and cheese, and a good deal more", "it is a file of another kind"),
        (b"SQLite format 3", "it is a file of another kind"),
    ],
)
def test_a_file_of_another_kind_is_rejected(tmp_path, content, reason):
    path = tmp_path / "other.db"
    path.write_bytes(content)
    assert rejection(check_file, path) == str(cannot_open(path, OSError(reason)))
    assert path.read_bytes() == content


def test_a_missing_folder_and_a_folder_in_place_of_the_file_are_rejected(tmp_path):
    for path, reason in (
        (tmp_path / "nowhere" / "games.db", f"there is no folder {tmp_path / 'nowhere'}"),
        (tmp_path, "it is a folder"),
    ):
        for work in (check_file, lambda path: lock_file(database_url(str(path))).__enter__()):
            assert rejection(work, path) == str(cannot_open(path, OSError(reason)))


def test_the_file_of_another_user_is_used_as_it_is(path, monkeypatch):
    def refuse(self, mode):
        raise PermissionError

    path.chmod(0o640)
    monkeypatch.setattr(Path, "chmod", refuse)
    prepare_file(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_files_that_are_private_already_are_left_alone(path, monkeypatch):
    monkeypatch.setattr(Path, "chmod", lambda self, mode: pytest.fail("the file was already private"))
    prepare_file(path)


def test_a_database_in_use_is_named(database, path):
    with lock_file(database):
        said = rejection(lambda: lock_file(database).__enter__())
    assert said == (
        f"A server already uses {path} (database is locked). "
        "Stop it first, or choose another place with --database."
    )


def test_a_second_server_does_not_wait_for_the_lock(database, monkeypatch):
    """It reports the running server immediately."""
    asked, connect = [], sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **o: asked.append(o["timeout"]) or connect(*a, **o))
    with lock_file(database), pytest.raises(DatabaseInUse), lock_file(database):
        pytest.fail("both have the lock")
    assert asked == [0, 0]


# ---------------------------------------------------------------- damage


def test_pages_are_always_checked_and_indexes_only_in_small_files(path, monkeypatch):
    assert find_damage(path) == find_damage(path, thorough=True) == []
    lose_index_entry(path)
    assert find_damage(path) == []
    assert find_damage(path, thorough=True)[0] == "row 1 missing from index ix_seats_owner"
    monkeypatch.setattr(sqlite_files, "_MAX_THOROUGH_BYTES", path.stat().st_size - 1)
    check_file(path)
    monkeypatch.setattr(sqlite_files, "_MAX_THOROUGH_BYTES", path.stat().st_size)
    assert rejection(check_file, path) == (
        f"The database {path} is damaged: row 1 missing from index ix_seats_owner. Nothing was changed. "
        "Look closer with `hegemon check`, and restore a backup with `hegemon restore`."
    )


def test_each_line_of_damage_is_one_finding_without_headings(path, monkeypatch):
    ruin(path)
    assert find_damage(path)
    said = [("*** in database main ***\nPage 3 is never used\nPage 4 is never used",), ("row 1 missing",)]
    connection = SimpleNamespace(execute=lambda pragma: said, close=lambda: None)
    monkeypatch.setattr(sqlite_files, "open_read_only", lambda path: connection)
    assert find_damage(path) == ["Page 3 is never used", "Page 4 is never used", "row 1 missing"]


# ---------------------------------------------------------------- backups


def test_a_backup_in_a_folder_is_named_after_the_time_in_utc(
    database, path, tmp_path, far_from_greenwich, only_next_to_the_database
):
    folder = tmp_path / "backups"
    folder.mkdir()
    add_game(path, "one")
    before = f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
    copy = back_up(database, folder)
    after = f"{datetime.now(UTC):%Y%m%d-%H%M%S}"
    assert list(folder.iterdir()) == [copy]
    assert before <= re.fullmatch(r"games-(\d{8}-\d{6})\.db", copy.name)[1] <= after
    assert games_in(copy) == ["one"]
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600


def test_a_backup_does_not_replace_a_file(database, tmp_path):
    copy = tmp_path / "saved.db"
    assert back_up(database, copy) == copy
    assert rejection(back_up, database, copy) == (f"{copy} already exists. Choose another file, or a folder.")


def test_a_failed_backup_gives_the_reason_and_leaves_no_files(database, path, tmp_path):
    folder, copy = tmp_path / "nowhere", tmp_path / "saved.db"
    assert rejection(back_up, database, folder / "saved.db") == f"There is no folder {folder}."
    ruin(path)
    assert rejection(back_up, database, copy) == (
        f"The database {path} is damaged: {find_damage(path)[0]}. Nothing was copied."
    )
    path.write_text("bread and cheese, and a good deal more than fits into a header " * 20)
    assert rejection(back_up, database, copy) == (
        f"The database {path} cannot be copied: file is not a database."
    )
    assert list(tmp_path.glob("*saved*")) == []


def test_an_unfinished_backup_is_hidden_and_named_after_the_database(database, tmp_path, monkeypatch):
    made, make = [], tempfile.mkstemp
    monkeypatch.setattr(tempfile, "mkstemp", lambda **where: made.append(make(**where)) or made[-1])
    back_up(database, tmp_path / "saved.db")
    ((_, name),) = made
    assert Path(name).name.startswith(".saved.db.")


def test_only_the_file_of_an_existing_database_can_be_copied(tmp_path):
    missing = tmp_path / "missing.db"
    assert rejection(sqlite_file, database_url(str(missing))) == (
        f"There is no database {missing}. Choose it with --database."
    )
    assert rejection(sqlite_file, database_url(str(tmp_path))).startswith(f"There is no database {tmp_path}.")
    assert sqlite_file(database_url(str(missing)), new=True) == missing
    assert rejection(sqlite_file, "postgresql+asyncpg://host/games", new=True) == (
        "This is for SQLite files. Use the tools of the database postgresql."
    )


# ---------------------------------------------------------------- restoring


def test_a_restored_database_replaces_the_former_one_with_its_logs(
    database, path, tmp_path, far_from_greenwich, only_next_to_the_database
):
    add_game(path, "one")
    copy = back_up(database, tmp_path / "saved.db")
    add_game(path, "two")
    former_content = path.read_bytes()
    for log in ("-wal", "-shm"):
        Path(f"{path}{log}").write_text(f"the former {log}")
    (tmp_path / ".games.db.restored").write_text("what an attempt before has left")
    before = f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"
    former = restore(database, copy)
    after = f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"
    assert before <= re.fullmatch(r"games\.db\.replaced-(\d{8}-\d{6}-\d{6})", former.name)[1] <= after
    assert former.read_bytes() == former_content
    assert [Path(f"{former}{log}").read_text() for log in ("-wal", "-shm")] == [
        "the former -wal",
        "the former -shm",
    ]
    assert games_in(path) == games_in(copy) == ["one"]
    assert {file.name for file in tmp_path.iterdir()} == {
        *("games.db", "games.db-lock", "saved.db"),
        *(f"{former.name}{log}" for log in ("", "-wal", "-shm")),
    }


def test_a_database_is_restored_where_there_was_none_or_one_without_logs(database, path, tmp_path):
    copy = back_up(database, tmp_path / "saved.db")
    for log in ("-wal", "-shm"):
        Path(f"{path}{log}").unlink(missing_ok=True)
    assert restore(database, copy).exists()
    assert restore(database_url(str(tmp_path / "new.db")), copy) is None
    assert find_damage(tmp_path / "new.db", thorough=True) == []


def test_an_invalid_backup_is_not_restored(database, path, tmp_path):
    before = path.read_bytes()
    text, foreign, torn = (tmp_path / name for name in ("shopping.txt", "foreign.db", "torn.db"))
    text.write_text("bread and cheese, and a good deal more than fits into a header " * 20)
    assert rejection(restore, database, text) == (
        f"The backup {text} is damaged: file is not a database. Nothing was changed."
    )
    change(foreign, "CREATE TABLE games (id)", "CREATE TABLE alembic_version (version_num)")
    assert rejection(restore, database, foreign) == (
        f"{foreign} is not a backup of a server. Nothing was changed."
    )
    torn.write_bytes(before)
    lose_index_entry(torn)
    assert "row 1 missing from index" in rejection(restore, database, torn)
    assert path.read_bytes() == before
    assert not list(tmp_path.glob("*replaced*"))
    with lock_file(database):
        assert rejection(restore, database, back_up(database, tmp_path / "saved.db")).startswith("A server")


@pytest.mark.parametrize("missing", ["alembic_version", "games", "seats"])
def test_a_backup_has_the_tables_of_every_revision(database, path, tmp_path, missing):
    copy = back_up(database, tmp_path / "saved.db")
    change(copy, f"DROP TABLE {missing}")
    assert rejection(restore, database, copy).endswith("is not a backup of a server. Nothing was changed.")
    oldest = tmp_path / "oldest.db"
    change(oldest, *(f"CREATE TABLE {name} (id)" for name in ("alembic_version", "games", "seats")))
    assert restore(database, oldest).exists()
